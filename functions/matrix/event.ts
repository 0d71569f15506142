/**
 * The one tolerant parser of an event, pushed in a transaction or read by a client call. It never throws: an event
 * that lacks what every event has is a fault with its id, so that the rest of its transaction can go on.
 */
import { at, isRecord, type Json, recordAt, textAt } from './json.ts';

export type RoomEvent = {
  readonly id: string;
  readonly room: string;
  readonly type: string;
  readonly sender: string;
  /** There: a state event, whatever its type. */
  readonly stateKey?: string;
  readonly content: Json;
  /** `origin_server_ts` in ms as the sender's server claims it; 0 if it is odd. */
  readonly ts: number;
  /** How old the homeserver says it is, in ms; clocks that differ can make it negative. */
  readonly age?: number;
  /** The target of an `m.room.redaction`. */
  readonly redacts?: string;
  /** It was redacted before it came: its content is gone. */
  readonly redactedBecause: boolean;
  /** The homeserver itself does not show it to people (soft-failed, or its policy server calls it spam). */
  readonly softFailed: boolean;
  /** What a state event replaced. */
  readonly prevContent?: Json;
};

export type ParsedEvent =
  | { readonly ok: true; readonly event: RoomEvent }
  | { readonly ok: false; readonly fault: string; readonly id?: string };

/** Ids have 255 bytes at most; servers that once counted characters let some longer ones pass. In UTF-16 units. */
const MAX_ID = 512;

/** `room` stands in for the room id where a server leaves it out, as in the answers of `/messages`. */
export function parseEvent(raw: unknown, room?: string): ParsedEvent {
  if (!isRecord(raw)) return { ok: false, fault: 'not an object' };
  const id = idAt(raw, 'event_id');
  const odd = (fault: string): ParsedEvent => ({ ok: false, fault, ...(id !== undefined && { id }) });

  if (id === undefined) return odd('odd event_id');
  const inRoom = at(raw, 'room_id') === undefined ? room : idAt(raw, 'room_id');
  if (inRoom === undefined) return odd('odd room_id');
  const type = idAt(raw, 'type');
  if (type === undefined) return odd('odd type');
  const sender = idAt(raw, 'sender');
  if (sender === undefined) return odd('odd sender');
  const content = recordAt(raw, 'content');
  if (content === undefined) return odd('odd content');
  const stateKey = at(raw, 'state_key');
  if (stateKey !== undefined && typeof stateKey !== 'string') return odd('odd state_key');

  const unsigned = at(raw, 'unsigned');
  // Synapse pushes an older format that repeats some keys of `unsigned` at the top level.
  const aside = (name: string) => at(unsigned, name) ?? at(raw, name);
  const ts = at(raw, 'origin_server_ts');
  const age = aside('age');
  const redacts = type === 'm.room.redaction' ? redacted(raw, content) : undefined;
  const prevContent = aside('prev_content');
  return {
    ok: true,
    event: {
      id,
      room: inRoom,
      type,
      sender,
      ...(stateKey !== undefined && { stateKey }),
      content,
      ts: isWhole(ts) && ts > 0 ? ts : 0,
      ...(isWhole(age) && { age }),
      ...(redacts !== undefined && { redacts }),
      redactedBecause: (aside('redacted_because') ?? null) !== null,
      softFailed:
        at(unsigned, 'io.element.synapse.soft_failed') === true ||
        at(unsigned, 'io.element.synapse.policy_server_spammy') === true,
      ...(isRecord(prevContent) && { prevContent }),
    },
  };
}

/** In the content since room version 11, beside it before; some servers write both. */
const redacted = (raw: Json, content: Json) => idAt(content, 'redacts') ?? idAt(raw, 'redacts');

function idAt(value: Json, name: string): string | undefined {
  const id = textAt(value, name);
  return id !== undefined && id.length <= MAX_ID ? id : undefined;
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
