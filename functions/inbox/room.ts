/**
 * The events of one room, in order. Messages are decided one after the other, since each may depend on the one before,
 * and finished together; anything else first waits for what stands before it to be finished.
 */
import { keys } from '../gate/keys.ts';
import type { Looked } from '../gate/picture.ts';
import { roomKindOf } from '../gate/read-room.ts';
import { type RoomView, roomView } from '../gate/view.ts';
import { readMessage, readReaction } from '../matrix/content.ts';
import { powerLevels } from '../matrix/power.ts';
import { Unavailable } from '../runtime/table.ts';
import { finishMessages } from './finish-messages.ts';
import { finishRecord } from './finish-record.ts';
import {
  type Arrived,
  basics,
  commitOther,
  decideConsent,
  decideEncrypted,
  decideMessage,
} from './message.ts';
import { takeOwn } from './own-event.ts';
import type { InboxDeps } from './ports.ts';
import { commit, defer, deferredSent, type EventRecord } from './record.ts';
import { type Sorted, sort } from './sort.ts';
import { takeState } from './state-event.ts';

type ToTake = Arrived & { readonly raw: unknown };

export async function takeRoom(
  deps: InboxDeps,
  events: readonly ToTake[],
  records: ReadonlyMap<string, EventRecord>,
  patience: () => number,
): Promise<void> {
  const decided: EventRecord[] = [];
  const settle = async () => {
    const messages = decided.splice(0);
    await orSkip(deps, messages.at(-1)?.decided?.event, () => finishMessages(deps, messages));
  };
  let view: RoomView | undefined;
  for (const arrived of events) {
    const record = records.get(keys.record(arrived.event.room, arrived.event.id).pk);
    if (record?.finished) continue;
    const sorted = sort(arrived.event, deps.namespace);
    if (sorted.kind !== 'message' || record?.decided) await settle();
    await orSkip(deps, arrived.event.id, async () => {
      if (record?.decided || sorted.kind === 'state' || sorted.kind === 'own') {
        // What follows from it may be what the room's next message is decided by.
        view = undefined;
        if (record?.decided) await finishRecord(deps, record);
        else if (sorted.kind === 'state') await takeState(deps, arrived);
        else await takeOwn(deps, arrived);
        return;
      }
      view ??= await viewOf(deps, events, patience());
      const outcome = await takeWords(deps, view, arrived, sorted);
      if (outcome === 'unreadable') await deferEvent(deps, arrived);
      else if (outcome?.decided?.kind === 'message') decided.push(outcome);
      else if (outcome) await finishRecord(deps, outcome);
    });
  }
  await settle();
}

/** A fault of ours in one event must not stop the room, let alone the homeserver. What it left undone is `sweep`'s. */
async function orSkip(deps: InboxDeps, event: string | undefined, take: () => Promise<void>): Promise<void> {
  try {
    await take();
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    deps.count('EventErrors');
    deps.log('an event was skipped', { event, error: error instanceof Error ? error.name : typeof error });
  }
}

/** Decides what an event says, and returns the record that stands. `unreadable`: its room can't be read now. */
export async function takeWords(
  deps: InboxDeps,
  view: RoomView,
  arrived: Arrived,
  sorted: Exclude<Sorted, { kind: 'state' | 'own' }>,
): Promise<EventRecord | 'unreadable'> {
  const { event } = arrived;
  if (sorted.kind === 'other') return commitOther(deps, arrived, sorted.reason);
  if (sorted.kind === 'reaction')
    return (
      (await decideConsent(deps, view, arrived, { target: sorted.target, text: sorted.key })) ??
      commitOther(deps, arrived, 'reaction')
    );
  if (sorted.kind === 'message' && sorted.content.quoted !== undefined) {
    const consent = await decideConsent(deps, view, arrived, {
      target: sorted.content.quoted,
      text: sorted.content.body,
    });
    if (consent) return consent;
  }
  const looked: Looked = await view.look();
  if (looked.kind === 'unreadable') return 'unreadable';
  const picture = looked.kind === 'known' ? looked.picture : undefined;
  switch (sorted.kind) {
    case 'redaction': {
      const levels = powerLevels(picture?.power, picture?.create);
      const power = picture !== undefined && levels.of(event.sender) >= levels.toRedact();
      const redaction = {
        ...basics(deps, arrived),
        kind: 'redaction',
        reason: 'redaction',
        target: sorted.target,
        power,
      } as const;
      return (await commit(deps.table, redaction, deps.clock.now())).record;
    }
    case 'edit': {
      const { groupRooms, isCaptured } = deps.options;
      const gated = groupRooms === 'gate' && picture !== undefined && roomKindOf(picture) === 'group';
      const captured = gated && isCaptured(event.sender);
      const edit = {
        ...basics(deps, arrived),
        kind: 'edit',
        reason: 'edit',
        target: sorted.target,
        captured,
      } as const;
      return (await commit(deps.table, captured ? { ...edit, text: sorted.body } : edit, deps.clock.now()))
        .record;
    }
    default:
      if (!picture) return commitOther(deps, arrived, 'not-in-room');
      return sorted.kind === 'encrypted'
        ? decideEncrypted(deps, picture, arrived)
        : decideMessage(deps, view, picture, arrived, sorted.content);
  }
}

/** The room can't be read: the event waits for a worker, which decides it with the same code. A decision that was first stands. */
async function deferEvent(deps: InboxDeps, { event, raw, received, order }: ToTake): Promise<void> {
  const record = await defer(
    deps.table,
    { room: event.room, id: event.id, raw, received, order },
    deps.clock.now(),
  );
  if (record.decided) return finishRecord(deps, record);
  await deps.queue.decide(event.room, event.id, 0);
  await deferredSent(deps.table, event.room, event.id, deps.clock.now());
  deps.count('DeferredEvents');
}

/** A view that knows of everybody and everything these events name. */
export function viewOf(deps: InboxDeps, events: readonly Arrived[], patienceMs: number): Promise<RoomView> {
  const words = events.filter(({ event }) => event.stateKey === undefined);
  const contents = words.map(({ event }) => readMessage(event.content));
  const roots = contents.flatMap(({ thread }) => (thread === undefined ? [] : [thread]));
  const named = contents.flatMap(({ quoted }) => (quoted === undefined ? [] : [quoted]));
  const reacted = words.flatMap(({ event }) => readReaction(event.content)?.target ?? []);
  return roomView(
    deps,
    events[0]!.event.room,
    {
      senders: [...new Set(words.map(({ event }) => event.sender))],
      threads: [...new Set([...roots, ...words.map(({ event }) => event.id)])],
      events: [...new Set([...roots, ...named, ...reacted])],
    },
    patienceMs,
  );
}
