/** A person's word on a turn: stop, yes or no, and the ticket by which a page may follow or stop it without the session. */
import { openSession } from '../access/session.ts';
import { mintTicket } from '../access/ticket.ts';
import { cancel } from '../turns/cancel.ts';
import { putConsent } from '../turns/consent.ts';
import { asksConsent } from '../turns/head.ts';
import { readJson, wordField } from './body.ts';
import { known } from './caller.ts';
import { badRequest, HttpError, notFound } from './http-error.ts';
import type { Answer, StreamDeps, StreamRequest } from './ports.ts';
import { headNow, json } from './turn.ts';

/** Repeatable. A turn that nobody runs ends at once; a running one ends within its next write. */
export async function stop(deps: StreamDeps, request: StreamRequest, turn: string): Promise<Answer> {
  await known(deps, request, turn, 'stop');
  const stopped = await cancel(deps.work, turn, 'stopped');
  switch (stopped.kind) {
    case 'stopping':
      return json({ status: stopped.status });
    case 'too late':
      throw new HttpError('too_late', 'the answer is being delivered');
    default:
      throw notFound();
  }
}

/** The answer to the question that the turn waits with; the first one wins, and is what is returned. */
export async function consent(deps: StreamDeps, request: StreamRequest, turn: string): Promise<Answer> {
  const { caller, meta } = await known(deps, request, turn, 'own');
  const body = readJson(request);
  const choice = wordField(body, 'choice', ['yes', 'no']);
  const { seq } = body;
  if (!Number.isSafeInteger(seq) || (seq as number) < 1) throw badRequest('seq must be that of the question');
  const head = await headNow(deps, turn);
  if (!asksConsent(head) || head.tail !== seq)
    throw new HttpError('conflict', 'the turn does not wait with that question');
  const { work } = deps;
  const now = work.clock.now();
  const given = { by: caller.user, choice, at: now };
  const stands = await putConsent(work.table, turn, seq, given, Math.floor(now / 1_000) + deps.keepS);
  await work.queue.send(turn, meta.conversation, `${turn}.consent.${seq}`);
  return json({ choice: stands.choice });
}

const TICKET_MS = 15 * 60_000;

export async function ticket(deps: StreamDeps, request: StreamRequest, turn: string): Promise<Answer> {
  const body = readJson(request);
  const allows = wordField(body, 'scope', ['follow', 'stop']);
  const { caller } = await known(deps, request, turn, allows);
  if (caller.scope.kind !== 'session') throw new HttpError('forbidden', 'a ticket makes no ticket');
  const { origin } = request.headers;
  const minted = await mintTicket(deps.access, caller, {
    turn,
    allows,
    ...(origin !== undefined && { origin }),
    until: deps.work.clock.now() + TICKET_MS,
  });
  return json({ ticket: minted.ticket, expires: minted.expires });
}

/** An OpenID token of the homeserver for a session of ours. 202: a code was sent, and is to come with another token. */
export async function session(deps: StreamDeps, request: StreamRequest): Promise<Answer> {
  const { openid, code } = readJson(request);
  const opened = await openSession(deps.access, { openid, code, address: request.address });
  if (opened.kind === 'session') {
    const { session, principal, user, expires } = opened;
    return json({ session, principal, user, expires });
  }
  if (opened.kind === 'confirm') return json({ confirm: 'room' }, 202);
  const seconds = opened.retryAfterS;
  throw new HttpError(opened.code, opened.message, {
    headers: seconds === undefined ? {} : { 'retry-after': String(seconds) },
  });
}
