/** Who asks, and whether they may. Every handler begins with one of these; a refusal says nothing about the turn. */
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/ports.ts';
import { getMeta, type Meta } from '../turns/meta.ts';
import { HttpError, notFound } from './http-error.ts';
import type { StreamDeps, StreamRequest } from './ports.ts';

/** Turn ids are 22 characters of base64url. */
const TURN = /^[A-Za-z0-9_-]{22}$/;

async function callerOf(deps: StreamDeps, { headers, query }: StreamRequest): Promise<Caller> {
  const { authorization, origin } = headers;
  const ticket = query.get('ticket');
  const known = await authorize(deps.access, {
    ...(authorization !== undefined && { authorization }),
    ...(origin !== undefined && { origin }),
    ...(ticket !== null && { ticket }),
  });
  if (known.kind === 'refused') throw new HttpError(known.code, known.message);
  return known;
}

/** A person with a session; a ticket is for one turn only and proves nothing else. */
export async function personOf(deps: StreamDeps, request: StreamRequest): Promise<Caller> {
  const caller = await callerOf(deps, request);
  if (caller.scope.kind !== 'session') throw forbidden();
  return caller;
}

export type Known = { readonly caller: Caller; readonly meta: Meta };
export type What = 'follow' | 'stop' | 'own';

/** The turn and who asks for it: 404 if there is none, 403 if they may not. `own`: only whom the turn answers. */
export async function known(
  deps: StreamDeps,
  request: StreamRequest,
  turn: string,
  what: What,
): Promise<Known> {
  const caller = await callerOf(deps, request);
  const { scope } = caller;
  if (scope.kind === 'ticket' && (scope.turn !== turn || scope.allows !== what)) throw forbidden();
  const meta = TURN.test(turn) ? await getMeta(deps.work.table, turn) : undefined;
  if (!meta || meta.expires * 1_000 <= deps.work.clock.now() || meta.tenant !== caller.tenant)
    throw notFound();
  if (!(await may(deps, caller, meta, what))) throw forbidden();
  return { caller, meta };
}

async function may(deps: StreamDeps, caller: Caller, meta: Meta, what: What): Promise<boolean> {
  if (meta.principal === caller.principal) return true;
  if (what === 'own' || meta.source.kind !== 'matrix') return false;
  const { room } = meta.source;
  return what === 'follow' ? deps.mayFollow(caller.user, room) : deps.mayStop(caller.user, room);
}

const forbidden = () => new HttpError('forbidden', 'not yours');
