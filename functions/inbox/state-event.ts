/**
 * State events are never gated: they make the room's picture stale. Two have effects of their own: an invite of the bot
 * asks a worker to join, a tombstone to follow.
 */
import { entered, invalidate } from '../gate/picture.ts';
import { textAt } from '../matrix/json.ts';
import type { Arrived } from './message.ts';
import type { InboxDeps } from './ports.ts';

/** Of these only the room's own one (`state_key` "") says anything about it. */
const SINGLE = new Set([
  'm.room.create',
  'm.room.power_levels',
  'm.room.canonical_alias',
  'm.room.encryption',
  'm.room.tombstone',
  'io.element.functional_members',
]);

export async function takeState(deps: InboxDeps, { event, received }: Arrived): Promise<void> {
  const { room, id, type, stateKey, sender, content } = event;
  if (type === 'm.room.member') {
    if (stateKey === deps.namespace.bot)
      return takeOwnMembership(
        deps,
        { room, id, sender, received, ts: event.ts },
        textAt(content, 'membership'),
      );
    if (stateKey?.startsWith('@')) await invalidate(deps.table, room);
    return;
  }
  if (stateKey !== '' || !SINGLE.has(type)) return;
  await invalidate(deps.table, room, { encrypted: type === 'm.room.encryption' });
  const replacement = type === 'm.room.tombstone' ? textAt(content, 'replacement_room') : undefined;
  if (replacement !== undefined)
    await deps.queue.join({
      room: replacement,
      event: id,
      by: sender,
      since: Math.min(event.ts, received),
      predecessor: room,
    });
}

async function takeOwnMembership(
  deps: InboxDeps,
  member: { room: string; id: string; sender: string; received: number; ts: number },
  membership: string | undefined,
): Promise<void> {
  const { room, id, sender, received, ts } = member;
  switch (membership) {
    case 'invite':
      await invalidate(deps.table, room);
      if (deps.options.mayInvite(sender))
        await deps.queue.join({ room, event: id, by: sender, since: Math.min(ts, received) });
      else deps.count('InvitesRefused');
      return;
    case 'join':
      await entered(deps.table, room);
      return deps.memory.returned(room);
    case 'leave':
    case 'ban':
      await invalidate(deps.table, room, { left: true });
      return deps.memory.left(room, received);
    default:
      return invalidate(deps.table, room);
  }
}
