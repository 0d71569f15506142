/** People and rooms of the stand-in homeserver, and what the bot says there. */
import { BOT } from '../../bin/dev/folder.ts';
import type { Stack } from '../../bin/dev/stack.ts';

export type People = ReturnType<typeof peopleOf>;

export function peopleOf(stack: Stack) {
  const { world, pusher } = stack.standIn!.homeserver;
  const bot = `@${BOT.localpart}:${stack.server}`;
  const room = (host: string, others: readonly string[], options: { is_direct?: boolean }) => {
    const invited = [...others, bot];
    const id = world.createRoom(host, { preset: 'private_chat', invite: invited, ...options });
    for (const user of invited) world.join(user, id);
    return id;
  };
  return {
    bot,
    register: (count: number): string[] =>
      Array.from({ length: count }, (_, n) => world.register(`person${n}`)),
    direct: (person: string): string => room(person, [], { is_direct: true }),
    group: (people: readonly string[]): string => room(people[0]!, people.slice(1), {}),
    say: (person: string, to: string, body: string): string =>
      world.send(person, to, 'm.room.message', { msgtype: 'm.text', body, 'm.mentions': {} }),
    /** When the webhook has been told everything. */
    quiet: (): Promise<void> => pusher.idle(),
    /** Calls back with the room of each message of the bot. Returns the way to stop. */
    onReply: (told: (room: string) => void): (() => void) =>
      world.onEvent(({ type, sender, room }) => {
        if (type === 'm.room.message' && sender === bot) told(room);
      }),
  };
}
