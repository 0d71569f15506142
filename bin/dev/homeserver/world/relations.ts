/**
 * What an event says of another, and which of it a homeserver refuses: a relation to an unknown event, a thread on
 * an event that itself relates to one, the same reaction twice. That an edit is its author's is left to clients.
 */
import { type Content, type Draft, isObject } from './event.ts';
import { invalid } from './fault.ts';
import type { Room } from './state.ts';

export type Relation = { readonly type: string; readonly target: string; readonly key: string | undefined };

/** A plain reply is none: it has no `rel_type`, and its target is never looked at. */
export function relationOf(content: Content): Relation | undefined {
  const relates = content['m.relates_to'];
  if (!isObject(relates) || typeof relates.rel_type !== 'string' || typeof relates.event_id !== 'string')
    return undefined;
  return {
    type: relates.rel_type,
    target: relates.event_id,
    key: typeof relates.key === 'string' ? relates.key : undefined,
  };
}

export function checkRelation(room: Room, draft: Draft): void {
  const relation = relationOf(draft.content);
  if (!relation) return;
  const target = room.events.get(relation.target);
  if (!target) throw invalid("Can't send relation to unknown event");
  if (relation.type === 'm.thread' && relationOf(target.content))
    throw invalid('Cannot start threads from an event with a relation');
  if (relation.type === 'm.annotation') {
    if (relation.key === undefined) throw invalid('Missing aggregation key');
    if (hasAnnotated(room, draft, relation))
      throw invalid("Can't send same reaction twice", 'M_DUPLICATE_ANNOTATION');
  }
}

/** A redacted reaction counts no longer: its content is gone. */
function hasAnnotated(room: Room, draft: Draft, { target, key }: Relation): boolean {
  return room.timeline.some((event) => {
    if (event.sender !== draft.sender || event.type !== draft.type) return false;
    const other = relationOf(event.content);
    return other?.type === 'm.annotation' && other.target === target && other.key === key;
  });
}
