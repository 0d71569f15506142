/** Finds the route of a request by method and undecoded path; each segment is decoded once, after the split. */
import { invalid, MatrixFault } from '../world/fault.ts';
import type { Route } from './route.ts';

export type Found = { readonly route: Route; readonly params: Readonly<Record<string, string>> };

/** No such path is 404 `M_UNRECOGNIZED`, a path without that method 405. */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => Found {
  const table = routes.map((route) => ({ route, pattern: route.path.split('/') }));
  return (method, path) => {
    const segments = path.split('/');
    const there = table.filter(({ pattern }) => matches(pattern, segments));
    const found = there.find(({ route }) => route.method === method);
    if (found) return { route: found.route, params: paramsOf(found.pattern, segments) };
    throw new MatrixFault(there.length > 0 ? 405 : 404, 'M_UNRECOGNIZED', 'Unrecognized request');
  };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => part.startsWith(':') || part === segments[index])
  );
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries())
    if (part.startsWith(':')) params[part.slice(1)] = decoded(segments[index]!);
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalid('The path is not percent-encoded UTF-8');
  }
}
