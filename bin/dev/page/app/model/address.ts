/**
 * Where the page stands, kept in the hash of its URL: who one is, which room or chat is open, which turn is shown. So a
 * link opens the same in another tab, and the browser's own Back works.
 */

export type Place =
  | { readonly kind: 'room'; readonly id: string }
  /** A conversation over HTTP, by the name its person gave it. */
  | { readonly kind: 'chat'; readonly name: string };

export type Address = { readonly as?: string; readonly place?: Place; readonly turn?: string };

export function parseAddress(hash: string): Address {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const [as, room, chat, turn] = ['as', 'room', 'chat', 'turn'].map((name) => given.get(name) || undefined);
  const place: Place | undefined =
    room !== undefined
      ? { kind: 'room', id: room }
      : chat !== undefined
        ? { kind: 'chat', name: chat }
        : undefined;
  return {
    ...(as !== undefined && { as }),
    ...(as !== undefined && place && { place }),
    ...(as !== undefined && place && turn !== undefined && { turn }),
  };
}

export function hashOf({ as, place, turn }: Address): string {
  const given = new URLSearchParams({
    ...(as !== undefined && { as }),
    ...(place && (place.kind === 'room' ? { room: place.id } : { chat: place.name })),
    ...(turn !== undefined && { turn }),
  });
  return `#${given}`;
}
