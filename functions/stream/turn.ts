/** What is known of a turn without its stream: its status, what of a conversation can be resumed, and forgetting it. */
import { cursorText } from '../turns/cursor.ts';
import type { Message } from '../turns/events.ts';
import { FORMAT, type Head, headOf, isExpired, isTerminal } from '../turns/head.ts';
import { keys } from '../turns/keys.ts';
import { forgetTurn } from '../turns/redact.ts';
import { known, personOf } from './caller.ts';
import { badRequest, HttpError, notFound, retryLater } from './http-error.ts';
import type { Answer, StreamDeps, StreamRequest } from './ports.ts';
import { httpConversation } from './start.ts';

const MAX_NAME = 200;

/** HEAD as it is now. */
export async function headNow({ work }: StreamDeps, turn: string): Promise<Head> {
  const row = await work.table.get(keys.head(turn));
  const head = row && headOf(row);
  if (!head || isExpired(head, work.clock.now())) throw notFound();
  if (head.format !== FORMAT) throw retryLater('this turn was written by another release');
  return head;
}

/** `{turn, status, attempt, cursor, reason?, message, usage}`; the message is null until the turn is over. */
export async function turnStatus(deps: StreamDeps, request: StreamRequest, turn: string): Promise<Answer> {
  await known(deps, request, turn, 'follow');
  const head = await headNow(deps, turn);
  const row = isTerminal(head) ? await deps.work.table.get(keys.final(turn, head.attempt)) : undefined;
  const message = row && !head.forgotten ? (JSON.parse(row.m as string) as Message) : null;
  const { reason } = head;
  return json({
    ...briefly(turn, head),
    ...(reason !== undefined && { reason }),
    message,
    usage: message?.usage ?? null,
  });
}

const briefly = (turn: string, { status, attempt, tail }: Head) => ({
  turn,
  status,
  attempt,
  cursor: cursorText({ attempt: Math.max(1, attempt), seq: tail }),
});

/** The one turn of a conversation that can be resumed, if there is one: `{turns: […]}`. */
export async function runningTurns(deps: StreamDeps, request: StreamRequest): Promise<Answer> {
  const caller = await personOf(deps, request);
  const name = request.query.get('conversation') ?? '';
  if (name === '' || name.length > MAX_NAME) throw badRequest('conversation must be named');
  if ((request.query.get('status') ?? 'running') !== 'running')
    throw badRequest('only running turns can be listed');
  const running = await runningIn(deps, httpConversation(caller, name));
  return json({ turns: running ? [briefly(running.turn, running.head)] : [] });
}

/** RUN, then HEAD, consistently. */
export async function runningIn(
  { work }: StreamDeps,
  conversation: string,
): Promise<{ turn: string; head: Head } | undefined> {
  const run = await work.table.get(keys.run(conversation));
  const turn = run?.turn as string | undefined;
  const row = turn === undefined ? undefined : await work.table.get(keys.head(turn));
  const head = row && headOf(row);
  return head && !isTerminal(head) ? { turn: turn!, head } : undefined;
}

/** The log and the input go, the ids stay. Only a turn that is over; repeatable. */
export async function forget(deps: StreamDeps, request: StreamRequest, turn: string): Promise<Answer> {
  const { meta } = await known(deps, request, turn, 'own');
  if (!isTerminal(await headNow(deps, turn)))
    throw new HttpError('busy', 'the turn is not over: stop it first');
  await forgetTurn(deps.work, turn, meta);
  return json({});
}

export const json = (body: object, status = 200): Answer => ({ kind: 'json', status, body });
