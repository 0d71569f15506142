/**
 * The port to a homeserver over the stand-in's world, without HTTP: each call is one operation of the world, as the bot.
 * `through` stands around every call, so that a test can delay, lose or break it.
 */

import type { StoredEvent } from '../../bin/dev/homeserver/world/event.ts';
import { forbidden, MatrixFault } from '../../bin/dev/homeserver/world/fault.ts';
import type { World } from '../../bin/dev/homeserver/world.ts';
import { type MatrixClient, MatrixError } from '../../functions/matrix/client.ts';
import { parseEvent, type RoomEvent } from '../../functions/matrix/event.ts';

export type MatrixThrough = <T>(name: string, effect: () => T) => Promise<T>;

const direct: MatrixThrough = async (_name, effect) => effect();

/** `away` says whether the homeserver is down just now. */
export function matrixOver(
  world: World,
  through: MatrixThrough = direct,
  away: () => boolean = () => false,
  bot = world.service!.sender,
): MatrixClient {
  const transaction = (id: string) => ({ owner: 'service', id });
  const call = <T>(name: string, effect: () => T): Promise<T> =>
    through(name, () => {
      if (away()) throw new MatrixError(name, { kind: 'unreachable' });
      try {
        return effect();
      } catch (error) {
        throw error instanceof MatrixFault ? errorOf(name, error) : error;
      }
    });
  const found = <T>(effect: () => T): T | undefined => {
    try {
      return effect();
    } catch (error) {
      if (error instanceof MatrixFault && error.errcode === 'M_NOT_FOUND') return undefined;
      throw error;
    }
  };
  const read = (event: StoredEvent): RoomEvent[] => {
    const parsed = parseEvent(world.clientEvent(event, { legacy: false }), event.room);
    return parsed.ok ? [parsed.event] : [];
  };
  return {
    whoami: () => call('whoami', () => bot),
    register: (localpart) =>
      call('register', () => {
        try {
          world.register(localpart, 'service');
          return 'registered';
        } catch (error) {
          if (error instanceof MatrixFault && error.errcode === 'M_USER_IN_USE') return 'exists';
          throw error;
        }
      }),
    setDisplayName: (name) => call('setDisplayName', () => void world.setDisplayName(bot, name)),
    setAvatarUrl: (url) => call('setAvatarUrl', () => void world.setAvatarUrl(bot, url)),
    profile: (user) =>
      call('profile', () => {
        const profile = found(() => world.profile(user));
        const { displayname, avatar_url } = profile ?? {};
        return (
          profile && {
            ...(displayname !== undefined && { displayName: displayname }),
            ...(avatar_url !== undefined && { avatarUrl: avatar_url }),
          }
        );
      }),
    ping: (service) =>
      call('ping', () => {
        if (service !== world.service?.registration.id) throw forbidden('Mismatching application service ID');
        return 1;
      }),
    join: (named) =>
      call('join', () => {
        const room = named.startsWith('#') ? world.resolveAlias(named) : named;
        world.join(bot, room);
        return room;
      }),
    leave: (room) => call('leave', () => void world.leave(bot, room)),
    joinedRooms: () => call('joinedRooms', () => world.joinedRooms(bot)),
    creation: (room) =>
      call('creation', () => {
        const event = found(() => world.stateEvent(bot, room, 'm.room.create'));
        return event && { sender: event.sender, content: event.content };
      }),
    state: (room, type, key) =>
      call('state', () => found(() => world.stateEvent(bot, room, type, key).content)),
    joinedMembers: (room) =>
      call('joinedMembers', () => ({
        members: Object.entries(world.joinedMembers(bot, room)).map(([userId, { display_name }]) => ({
          userId,
          ...(display_name !== null && { displayName: display_name }),
        })),
        truncated: false,
      })),
    invitedMembers: (room) =>
      call('invitedMembers', () => ({
        members: world.members(bot, room, { membership: 'invite' }).map(({ stateKey, content }) => ({
          userId: stateKey!,
          ...(typeof content.displayname === 'string' && { displayName: content.displayname }),
        })),
        truncated: false,
      })),
    event: (room, event) => call('event', () => found(() => read(world.event(bot, room, event))[0])),
    messages: (room, { limit, from, senders }) =>
      call('messages', () => {
        const filter = senders ? { senders: [...senders] } : {};
        const page = world.messages(bot, room, {
          dir: 'b',
          limit,
          ...(from !== undefined && { from }),
          filter,
        });
        return { events: page.chunk.flatMap(read), ...(page.end !== undefined && { end: page.end }) };
      }),
    send: (room, type, txnId, content, { mayLeave } = {}) =>
      call('send', () => {
        if (mayLeave?.() === false) throw new MatrixError('send', { kind: 'held' });
        return world.send(bot, room, type, { ...content }, transaction(txnId));
      }),
    redact: (room, event, txnId, reason) =>
      call('redact', () =>
        world.redact(bot, room, event, {
          transaction: transaction(txnId),
          ...(reason !== undefined && { reason }),
        }),
      ),
    typing: (room, on, timeoutMs) => call('typing', () => void world.setTyping(bot, room, on, timeoutMs)),
    receipt: (room, event) => call('receipt', () => void world.sendReceipt(bot, room, 'm.read', event)),
    resolveAlias: (alias) => call('resolveAlias', () => found(() => world.resolveAlias(alias))),
    createRoom: ({ name, preset, invite, isDirect }) =>
      call('createRoom', () =>
        world.createRoom(bot, {
          ...(name !== undefined && { name }),
          ...(preset && { preset }),
          ...(invite && { invite: [...invite] }),
          ...(isDirect !== undefined && { is_direct: isDirect }),
        }),
      ),
  };
}

function errorOf(name: string, { status, errcode, retryAfterMs }: MatrixFault): MatrixError {
  const kind = status === 429 ? 'limited' : status >= 500 ? 'unreachable' : 'refused';
  return new MatrixError(name, {
    kind,
    status,
    errcode,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
