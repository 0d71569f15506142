/** What a redaction leaves of an event's content (https://spec.matrix.org/v1.16/rooms/v12/#redactions and older). */
import { type Content, isObject, type StoredEvent } from './event.ts';
import type { RoomVersion } from './versions.ts';

export function pruned(version: RoomVersion, event: StoredEvent): Content {
  const keeps = version.keeps[event.type] ?? [];
  if (keeps === 'all' || !isObject(event.content)) return event.content;
  return Object.fromEntries(Object.entries(event.content).filter(([key]) => keeps.includes(key)));
}
