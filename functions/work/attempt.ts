/**
 * One attempt at a turn, from the lease in hand to the turn's end: start and take along, run the agent, deliver, close.
 * Every outcome that is not an end leaves the turn to whoever receives it next; nothing is held in memory that the
 * next attempt would miss.
 */
import { hasLeft } from '../gate/picture.ts';
import type { EndStatus, Numbered } from '../turns/events.ts';
import type { Head } from '../turns/head.ts';
import { canonical, readLog, textOf } from '../turns/log.ts';
import { KEEP_SEGMENTS_S, type Meta } from '../turns/meta.ts';
import { createPump, type LiveLine, type Pump } from '../turns/pump.ts';
import { startMessages } from '../turns/redact.ts';
import { closeMerged, gather, messagesOf } from './along.ts';
import { type Answered, answer } from './answer.ts';
import { deliver } from './deliver.ts';
import { noDraft, startDraft } from './draft.ts';
import { close, remember } from './finish.ts';
import { agentInput } from './input.ts';
import { ask } from './note.ts';
import type { Invocation, WorkDeps } from './ports.ts';
import { showWork } from './presence.ts';

/** `unasked`: it waits for a person whom the room could not be made to ask yet. */
export type Worked = 'over' | 'waiting' | 'unasked' | 'paused' | 'fenced';

export type Work = {
  readonly turn: string;
  readonly meta: Meta;
  /** HEAD as the start or takeover left it. */
  readonly head: Head;
  readonly invocation: Invocation;
  readonly live?: (line: LiveLine) => void;
};

/** An attempt takes at most this long, and ends this long before its invocation does; ms. */
const ATTEMPT_MS = 15 * 60_000;
const RESERVE_MS = 20_000;

export async function runAttempt(deps: WorkDeps, work: Work): Promise<Worked> {
  const { turn, head } = work;
  const log = head.tail > 0 ? await readLog(deps.table, deps.clock, turn, head) : [];
  if (log === 'lost') return 'fenced';
  const events = canonical(log);
  const pump = createPump({
    ...deps,
    turn,
    head,
    queued: !work.live,
    segmentExpiry: Math.floor(deps.clock.now() / 1000) + KEEP_SEGMENTS_S,
    onEvent: (event) => events.push(event),
    ...(work.live && { live: work.live }),
  });
  try {
    return await attempt(deps, work, pump, log, events);
  } finally {
    await pump.stop();
  }
}

async function attempt(
  deps: WorkDeps,
  work: Work,
  pump: Pump,
  log: readonly Numbered[],
  events: readonly Numbered[],
): Promise<Worked> {
  const { turn, meta, head, invocation } = work;
  const source = meta.source.kind === 'matrix' ? meta.source : undefined;
  let list: readonly string[] | undefined = startMessages(events);
  const end = (status: EndStatus, reason?: string) =>
    close(deps, { turn, meta, list: list ?? [turn], events, pump }, status, reason);

  if (head.cancelAsked !== undefined && head.phase !== 'delivering') return end('cancelled', 'stopped');
  if (!list) {
    if (await hasGone(deps, meta)) return end('cancelled', 'not-in-room');
    list = await gather(deps, turn, meta);
    pump.emit({ type: 'start', messages: list });
    if ((await pump.flush()) === 'fenced') return 'fenced';
    // A turn that is stopped before it took anything along takes nothing with it.
    if (pump.signal.aborted) return end('cancelled', 'stopped');
  }
  list = await closeMerged(deps, turn, list);
  const messages = await messagesOf(deps, list);
  const asked = messages.flatMap((one) => (one.source.kind === 'matrix' ? [one.source] : []));
  const resumed = pump.phase === 'delivering';

  if (!resumed) {
    if (messages.length === 0) return end('cancelled', 'redacted');
    const signs = source && showWork(deps, source, asked);
    const answered = await speak(deps, work, pump, log, events, messages).finally(() => signs?.stop());
    if (answered.kind === 'fenced') return 'fenced';
    if (answered.kind === 'ended') return end(answered.status, answered.reason);
    if (answered.kind === 'waiting') return posted(deps, work, events.at(-1)!);
  }
  if (source) {
    const text = textOf(events);
    const delivery = { turn, meta, source, text, messages: asked, first: !resumed };
    const delivered = await deliver(deps, pump, delivery, invocation);
    if (delivered.kind === 'paused' || delivered.kind === 'fenced') return delivered.kind;
    if (delivered.kind === 'refused') return end(delivered.status, delivered.reason);
  }
  await remember(deps, { turn, meta, messages, answer: textOf(events) });
  return end('complete');
}

/** The room of the turn is left: nothing can be said there. */
const hasGone = async ({ gate }: WorkDeps, { source }: Meta): Promise<boolean> =>
  source.kind === 'matrix' && hasLeft(gate, source.room);

/** Runs the agent from the last whole step on. */
async function speak(
  deps: WorkDeps,
  work: Work,
  pump: Pump,
  log: readonly Numbered[],
  steps: readonly Numbered[],
  messages: readonly Meta[],
): Promise<Answered> {
  const { turn, meta, invocation } = work;
  const deadline = deps.clock.now() + Math.min(ATTEMPT_MS, invocation.remaining() - RESERVE_MS);
  const input = await agentInput(deps, {
    turn,
    attempt: pump.attempt,
    meta,
    messages,
    steps: [...steps],
    log,
    deadline,
  });
  const source = meta.source;
  const draft =
    deps.options.liveEdits && source.kind === 'matrix'
      ? startDraft(deps, {
          turn,
          meta,
          source,
          already: textOf(steps),
          look: pump.attempt > 1,
          pump,
          invocation,
        })
      : noDraft;
  const isGone = () => hasGone(deps, meta);
  return answer(deps, pump, input, { onText: draft.add, isGone }).finally(draft.stop);
}

/** The lease is given up; now the room is asked. */
async function posted(
  deps: WorkDeps,
  { turn, meta, invocation }: Work,
  { seq, event }: Numbered,
): Promise<Worked> {
  if (event.type !== 'waiting') throw new Error('a turn waits without a question');
  const asked = await ask(deps, { turn, meta, seq, event, look: false }, invocation);
  return asked === 'asked' ? 'waiting' : 'unasked';
}
