/**
 * The key of our own in the content of what we send: by it an echo, or a look into the room, tells which part of which
 * turn stands there. Apart from the rest of a reply, since the webhook reads it and renders nothing.
 */
import { at, textAt } from './json.ts';

export const TURN_KEY = 'io.turnpike.turn';

export type OwnKey = { readonly turn: string; readonly part: string };

/** The key in the content of an event, if it has one. Anybody can write it: the sender must be the bot. */
export function ownKey(content: unknown): OwnKey | undefined {
  const own = at(content, TURN_KEY);
  const turn = textAt(own, 'turn');
  const part = textAt(own, 'part');
  return turn !== undefined && part !== undefined ? { turn, part } : undefined;
}
