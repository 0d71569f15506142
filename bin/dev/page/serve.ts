/**
 * Serves the page of development. Vite builds it in memory at the first request, so that a host nobody looks at starts
 * without; a build that fails is said on the page and tried again at the next request. The page may load from and speak
 * to its own origin only.
 */
import type { RequestListener } from 'node:http';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('app', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** By path, as `/assets/app.js`. */
type Files = ReadonlyMap<string, string | Uint8Array>;

export function servePage(): RequestListener {
  let files: Promise<Files> | undefined;
  return async ({ method, url = '/', headers: { host = '' } }, response) => {
    if (method !== 'GET' && method !== 'HEAD')
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    // To the streams, the same machine by another name is another origin.
    const [, port] = /^localhost:(\d+)$/.exec(host) ?? [];
    if (port) return void response.writeHead(302, { location: `http://127.0.0.1:${port}${url}` }).end();
    const [path = '/'] = url.split('?');
    try {
      files ??= build();
      const file = (await files).get(path === '/' ? '/index.html' : path);
      if (file === undefined) return void response.writeHead(404).end();
      response.writeHead(200, {
        'content-type': TYPES[path === '/' ? 'html' : path.split('.').at(-1)!] ?? 'application/octet-stream',
        // What is under /assets has its hash in its name.
        'cache-control': path === '/' ? 'no-store' : 'max-age=31536000, immutable',
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      response.end(method === 'HEAD' ? undefined : file);
    } catch (error) {
      files = undefined;
      response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(`The page can't be built. ${error instanceof Error ? error.message : error}\n`);
    }
  };
}

async function build(): Promise<Files> {
  const vite = await import('vite');
  const built = await vite.build({
    root,
    configFile: false,
    envFile: false,
    publicDir: false,
    logLevel: 'silent',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: { write: false, modulePreload: false, target: 'es2024' },
  });
  const { output } = (Array.isArray(built) ? built[0] : built) as import('vite').Rolldown.RolldownOutput;
  return new Map(
    output.map((file) => [`/${file.fileName}`, file.type === 'asset' ? file.source : file.code]),
  );
}
