/** What people say and do in a schedule of the flow's model: a few messages, edits, redactions, answers to questions. */
import { ownKey } from '../../../functions/matrix/own-key.ts';
import { BOT, type FlowSystem } from './system.ts';

export type Said = {
  readonly event: string;
  readonly room: string;
  readonly sender: string;
  /** Its own word, which nothing else says. */
  readonly word: string;
  redacted: boolean;
  /** The word of its newest edit. */
  edited?: string;
};

const PEOPLE = ['@alice:hs', '@bob:hs', '@carol:hs'] as const;

export type Script = {
  readonly said: readonly Said[];
  readonly rooms: { readonly direct: string; readonly group: string };
  over(): boolean;
};

export function plays(system: FlowSystem): Script {
  const { world, rooms } = system;
  const { below, hit, pick } = world.chance;
  for (const name of ['alice', 'bob', 'carol']) rooms.register(name);
  rooms.register('bot', 'service');
  const direct = roomOf(system, PEOPLE[0], [BOT]);
  const group = roomOf(system, PEOPLE[0], [BOT, PEOPLE[1], PEOPLE[2]]);
  const said: Said[] = [];
  let left = 2 + below(5);
  const total = left;

  const say = (): void => {
    const inGroup = hit(0.5);
    const sender = inGroup ? pick(PEOPLE) : PEOPLE[0];
    const word = `word${said.length}x`;
    const mention = inGroup && hit(0.7);
    const content = {
      msgtype: 'm.text',
      body: `${word}${hit(0.15) ? ' ask' : ''}`,
      'm.mentions': mention ? { user_ids: [BOT] } : {},
    };
    const room = inGroup ? group : direct;
    said.push({
      event: rooms.send(sender, room, 'm.room.message', content),
      room,
      sender,
      word,
      redacted: false,
    });
  };

  const meddle = (): void => {
    const target = pick(said.filter(({ redacted }) => !redacted).concat(said.slice(-1)));
    if (!target || target.redacted) return;
    if (hit(0.6)) {
      rooms.redact(hit(0.7) ? target.sender : PEOPLE[0], target.room, target.event);
      target.redacted = true;
      return;
    }
    target.edited = `edit${said.length}x${below(1_000)}`;
    const content = {
      msgtype: 'm.text',
      body: `* ${target.edited}`,
      'm.new_content': { msgtype: 'm.text', body: target.edited },
      'm.relates_to': { rel_type: 'm.replace', event_id: target.event },
    };
    rooms.send(target.sender, target.room, 'm.room.message', content);
  };

  world.spawn(undefined, async () => {
    while (left > 0) {
      left--;
      say();
      if (hit(0.3)) {
        await world.pause(undefined, below(hit(0.5) ? 300 : 20_000));
        meddle();
      }
      await world.pause(undefined, below(pick([50, 2_000, 20_000])));
    }
  });
  rooms.onEvent((event) => {
    if (event.sender !== BOT || !ownKey(event.content)?.part.startsWith('ask#') || !hit(0.8)) return;
    const answer = pick(['👍', '👎', '🎉']);
    world.schedule(undefined, 500 + below(60_000), () => {
      const relation = { rel_type: 'm.annotation', event_id: event.id, key: answer };
      for (const person of PEOPLE)
        try {
          rooms.send(person, event.room, 'm.reaction', { 'm.relates_to': relation });
        } catch {
          // Not in that room.
        }
    });
  });
  return { said, rooms: { direct, group }, over: () => left === 0 && said.length === total };
}

function roomOf({ rooms }: FlowSystem, owner: string, others: readonly string[]): string {
  const room = rooms.createRoom(owner, { preset: 'private_chat', invite: [...others] });
  for (const user of others) rooms.join(user, room);
  return room;
}
