/** What is known of a turn without its stream: its status, what of a conversation can be resumed, and forgetting it. */
import { cursorText } from '../turns/cursor.ts';
import { getFinal } from '../turns/final.ts';
import { readHead } from '../turns/follow.ts';
import { FORMAT, type Head, isTerminal } from '../turns/head.ts';
import { forgetTurn } from '../turns/redact.ts';
import { runOf } from '../turns/run.ts';
import { MAX_NAME } from './body.ts';
import { known, personOf } from './caller.ts';
import { badRequest, HttpError, notFound, retryLater } from './http-error.ts';
import type { Answer, StreamDeps, StreamRequest } from './ports.ts';
import { httpConversation } from './start.ts';

/** HEAD as it is now. */
export async function headNow({ work }: StreamDeps, turn: string): Promise<Head> {
  const head = await readHead(work, turn);
  if (!head) throw notFound();
  if (head.format !== FORMAT) throw retryLater('this turn was written by another release');
  return head;
}

/** `{turn, status, attempt, cursor, reason?, message, usage}`; the message is null until the turn is over. */
export async function turnStatus(deps: StreamDeps, request: StreamRequest, turn: string): Promise<Answer> {
  await known(deps, request, turn, 'follow');
  const head = await headNow(deps, turn);
  const isThere = isTerminal(head) && !head.forgotten;
  const message = isThere ? ((await getFinal(deps.work.table, turn, head.attempt)) ?? null) : null;
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

/** The turn that holds the conversation and is not over. */
export async function runningIn({ work }: StreamDeps, conversation: string) {
  const run = await runOf(work.table, conversation);
  return run && !isTerminal(run.head) ? run : undefined;
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
