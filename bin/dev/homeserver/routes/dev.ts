/** Faults set from outside: `POST /_dev/faults` with one command, `GET` for what is set. No part of Matrix. */
import { type Faults, faultCommand } from '../faults.ts';
import { invalid } from '../world/fault.ts';
import { bodyOf, open, type Route } from './route.ts';

export const DEV_PREFIX = '/_dev/';

export function devRoutes(faults: Faults): Route[] {
  return [
    open('GET', '/_dev/faults', 'dev', () => ({ json: faults.current() })),
    open('POST', '/_dev/faults', 'dev', (request) => {
      // A page of another origin cannot send this type without asking first, and is not allowed to.
      if (request.contentType !== 'application/json') throw invalid('Send application/json');
      faults.set(bodyOf(request, faultCommand));
      return { json: faults.current() };
    }),
  ];
}
