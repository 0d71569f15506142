/**
 * Starts a turn for a client and runs it in this invocation, shown live. The answer begins with the start line, which
 * holds the turn's id and cursor, before the model is called; the turn goes on when the client leaves, and a worker
 * takes it over when this function dies. The same key and text again follows the first.
 */

import type { Caller } from '../access/ports.ts';
import { overQuota } from '../access/quota.ts';
import { BEGINNING, cursorText } from '../turns/cursor.ts';
import { attach } from '../turns/follow.ts';
import type { Format } from '../turns/format.ts';
import { conversationId, httpTurnId, orderOf } from '../turns/ids.ts';
import { MAX_INPUT_BYTES, type Meta } from '../turns/meta.ts';
import { type Started, startHere, type WhenBusy } from '../work/start-here.ts';
import { endOfConnection, followDeps, followTurn, tellAttached } from './follow.ts';
import { HttpError } from './http-error.ts';
import { createLive, type Live } from './live.ts';
import type { Answer, Out, StreamDeps, StreamRequest } from './ports.ts';
import { createTeller } from './tell.ts';

export type StartOrder = {
  /** The client's own name for the conversation. */
  readonly conversation: string;
  readonly text: string;
  /** Without one each request is another turn. */
  readonly key?: string | undefined;
  readonly whenBusy: WhenBusy;
};

const MINUTE_MS = 60_000;

export const httpConversation = ({ tenant, principal }: Caller, name: string): string =>
  conversationId({ kind: 'http', tenant, principal, name });

export async function startTurn(
  deps: StreamDeps,
  request: StreamRequest,
  caller: Caller,
  order: StartOrder,
  format: Format,
): Promise<Answer> {
  const { clock, random } = deps.work;
  const { tenant, principal } = caller;
  if (Buffer.byteLength(order.text) > MAX_INPUT_BYTES)
    throw new HttpError('too_large', `a message has at most ${MAX_INPUT_BYTES} bytes`);
  const turn = httpTurnId(tenant, principal, order.conversation, order.key ?? random.id(22));
  await countStart(deps, caller, turn);
  const now = clock.now();
  const meta: Meta = {
    tenant,
    principal,
    conversation: httpConversation(caller, order.conversation),
    order: orderOf(now, 0),
    source: { kind: 'http' },
    input: order.text,
    ...traced(request),
    created: now,
    expires: Math.floor(now / 1_000) + deps.keepS,
  };
  const live = createLive(clock, now);
  const { whenBusy } = order;
  const { invocation } = request;
  const started = startHere(deps.work, { turn, meta, whenBusy, invocation, live: live.push });
  const early = await Promise.race([live.first.then(() => undefined), started]);
  switch (early?.kind) {
    case undefined:
      return {
        kind: 'stream',
        headers: { ...format.headers, 'x-turnpike-turn': turn },
        run: (out) => show(deps, request, { turn, format, live, started }, out),
      };
    case 'conflict':
      throw new HttpError('conflict', 'this key stands for another text');
    case 'busy':
      throw new HttpError('busy', 'another turn of this conversation is running', { turn: early.turn });
    case 'too late':
      throw new HttpError('too_late', 'the running turn is being delivered', { turn: early.turn });
    default:
      return followTurn(deps, request, turn, format, BEGINNING);
  }
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
function traced({ headers }: StreamRequest): Pick<Meta, 'traceparent'> {
  const { traceparent } = headers;
  return traceparent !== undefined && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/.test(traceparent)
    ? { traceparent }
    : {};
}

/** A turn is counted once, however often its start is repeated. */
async function countStart({ work, startsPerMinute }: StreamDeps, caller: Caller, turn: string) {
  const seconds = await overQuota(work.table, {
    name: `start ${caller.tenant} ${caller.principal}`,
    id: turn,
    now: work.clock.now(),
    windowMs: MINUTE_MS,
    limit: startsPerMinute,
  });
  if (seconds === undefined) return;
  throw new HttpError('too_many', `at most ${startsPerMinute} starts a minute`, {
    headers: { 'retry-after': String(seconds) },
  });
}

type Shown = {
  readonly turn: string;
  readonly format: Format;
  readonly live: Live;
  readonly started: Promise<Started>;
};

async function show(
  deps: StreamDeps,
  request: StreamRequest,
  { turn, format, live, started }: Shown,
  out: Out,
): Promise<void> {
  const { clock } = deps.work;
  const teller = createTeller(clock, out, format.open(turn));
  // What fails here after the first byte is a worker's to go on with, and the client follows that.
  const worked = started.then(() => undefined, deps.fail);
  live.attach(out, teller);
  await Promise.race([live.settled, worked]);
  if (live.state() === 'ended') await teller.end('ended');
  else if (format.resumable) {
    // It comes back by its cursor; until the work here is done it gets no more than heartbeats.
    teller.tell({ type: 'bye', cursor: cursorText(live.cursor()) });
    await worked;
    await teller.end('left');
  } else {
    const until = endOfConnection(clock, request, format);
    const attached = await attach(followDeps(deps), turn, { after: live.cursor(), until });
    await tellAttached(deps, { out, teller, format, until }, attached);
  }
  await worked;
}
