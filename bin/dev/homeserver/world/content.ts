/**
 * What a homeserver refuses of an event before it asks who may send it: numbers that canonical JSON cannot hold,
 * a message without words, a malformed mention, an event that is too large. Checks what Synapse checks, no more:
 * clients must bear the rest.
 */
import { type Content, type Draft, isObject } from './event.ts';
import { invalid, tooLarge } from './fault.ts';
import type { Room } from './state.ts';

/** https://spec.matrix.org/v1.16/client-server-api/#size-limits */
export const MAX_EVENT_BYTES = 65_536;
const MAX_NAME_BYTES = 255;
/** Hashes, signatures, previous and authorising events of a signed event, which the world does without. */
const SIGNED_OVERHEAD = 450;

const bytes = (text: string) => Buffer.byteLength(text);

export function checkSize(room: Room, draft: Draft): void {
  const { type, sender, stateKey, content } = draft;
  for (const [name, value] of Object.entries({ type, sender, state_key: stateKey, room_id: room.id }))
    if (value !== undefined && bytes(value) > MAX_NAME_BYTES) throw tooLarge(`'${name}' too large`);
  const event = { type, sender, state_key: stateKey, room_id: room.id, content };
  if (bytes(JSON.stringify(event)) + SIGNED_OVERHEAD > MAX_EVENT_BYTES) throw tooLarge('event too large');
}

export function checkContent(room: Room, type: string, content: Content): void {
  if (room.version.canonicalNumbers) checkNumbers(content);
  if (type === 'm.room.message') {
    for (const key of ['body', 'msgtype']) {
      if (!(key in content)) throw invalid(`'${key}' not in content`);
      if (typeof content[key] !== 'string') throw invalid(`'${key}' not a string type`);
    }
  }
  if ('m.mentions' in content && !isObject(content['m.mentions']))
    throw invalid("m.mentions is not of type 'object'", 'M_BAD_JSON');
}

function checkNumbers(value: unknown): void {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) throw invalid('Bad JSON value: float', 'M_BAD_JSON');
    if (!Number.isSafeInteger(value)) throw invalid('JSON integer out of range', 'M_BAD_JSON');
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) checkNumbers(part);
  }
}
