/**
 * An event in the form clients get it. `legacy` is Synapse's old form, used in pushes and most reads: copies of
 * some fields at the top level, and a redaction's target both there and in its content, in every room version.
 * Without it the form is the specification's, as `/sync` and other homeservers give it.
 */
import type { StoredEvent } from './event.ts';
import { type Membership, membershipAt, type Room, type WorldState } from './state.ts';

export type Json = Record<string, unknown>;

/** Who reads, and the owner of his client transactions; a push has no reader. */
export type Reader = { readonly user: string; readonly owner: string };

export type Form = {
  readonly legacy: boolean;
  readonly reader?: Reader | undefined;
  /** False only in `/sync`, which says the room elsewhere. */
  readonly withRoom?: boolean;
  /** False where a homeserver does not reckon it. */
  readonly withAge?: boolean;
};

export function clientEvent(world: WorldState, event: StoredEvent, form: Form): Json {
  const room = world.rooms.get(event.room)!;
  const unsigned = unsignedOf(world, room, event, form);
  const redacts = event.redacts;
  const inContent = redacts !== undefined && (form.legacy || room.version.redactsInContent);
  const atTop = redacts !== undefined && (form.legacy || !room.version.redactsInContent);
  return {
    ...(form.legacy ? legacyCopies(event, unsigned) : {}),
    type: event.type,
    event_id: event.id,
    ...(form.withRoom === false ? {} : { room_id: event.room }),
    sender: event.sender,
    ...(event.stateKey === undefined ? {} : { state_key: event.stateKey }),
    origin_server_ts: event.ts,
    content: inContent ? { ...event.content, redacts } : event.content,
    ...(atTop ? { redacts } : {}),
    unsigned,
  };
}

function unsignedOf(world: WorldState, room: Room, event: StoredEvent, form: Form): Json {
  const { reader } = form;
  const replaced = event.replaces === undefined ? undefined : room.events.get(event.replaces);
  const because = event.redactedBy === undefined ? undefined : room.events.get(event.redactedBy);
  const own = reader && event.sender === reader.user && event.transaction?.owner === reader.owner;
  const membership: Membership | undefined = reader && membershipAt(room, reader.user, event.position);
  return {
    ...(form.withAge === false ? {} : { age: Math.max(0, world.clock.now() - event.ts) }),
    ...(membership ? { membership } : {}),
    ...(own ? { transaction_id: event.transaction!.id } : {}),
    ...(replaced
      ? { replaces_state: replaced.id, prev_content: replaced.content, prev_sender: replaced.sender }
      : {}),
    ...(event.inviteState && !reader ? { invite_room_state: event.inviteState } : {}),
    ...(because ? { redacted_by: because.id, redacted_because: clientEvent(world, because, form) } : {}),
  };
}

const COPIED = ['age', 'prev_content', 'replaces_state', 'redacted_because', 'invite_room_state'];

function legacyCopies(event: StoredEvent, unsigned: Json): Json {
  const copies = COPIED.filter((name) => name in unsigned).map((name) => [name, unsigned[name]]);
  return { user_id: event.sender, ...Object.fromEntries(copies) };
}
