/** Events as a homeserver pushes them. */
import { BOT, ROOM } from './inbox.ts';

export const START = 1_800_000_000_000;

type Fields = Readonly<Record<string, unknown>>;
export type More = { readonly content?: Fields; readonly unsigned?: Fields } & Fields;

/** An event of Ana's, new when it comes. */
export function event(id: string, type: string, { content = {}, unsigned = {}, ...more }: More = {}) {
  const base = { event_id: id, room_id: ROOM, type, sender: '@ana:hs', origin_server_ts: START };
  return { ...base, ...more, content, unsigned: { age: 0, ...unsigned } };
}

/** A message that mentions nobody. */
export const said = (id: string, { content = {}, ...more }: More = {}) =>
  event(id, 'm.room.message', {
    ...more,
    content: { msgtype: 'm.text', body: `words of ${id}`, 'm.mentions': {}, ...content },
  });

/** A message that mentions the bot. */
export const asked = (id: string, { content = {}, ...more }: More = {}) =>
  said(id, { ...more, content: { 'm.mentions': { user_ids: [BOT] }, ...content } });

export const inThread = (root: string) => ({
  'm.relates_to': {
    rel_type: 'm.thread',
    event_id: root,
    is_falling_back: true,
    'm.in_reply_to': { event_id: root },
  },
});
export const quoting = (target: string) => ({ 'm.relates_to': { 'm.in_reply_to': { event_id: target } } });

export const stateOf = (id: string, type: string, { content = {}, ...more }: More = {}) =>
  event(id, type, { state_key: '', ...more, content });
export const member = (id: string, user: string, membership: string, more: More = {}) =>
  stateOf(id, 'm.room.member', { ...more, state_key: user, content: { membership } });
