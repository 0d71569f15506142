/** What comes twice, beside itself, or under another name: it is decided once and answered once. */
import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import { recordOf } from '../../functions/inbox/record.ts';
import { handle } from '../../functions/work/handle.ts';
import { BOT } from '../model/flow/system.ts';
import { ALICE, BOB, play, type Stage } from './stage.ts';

const MENTION = { 'm.mentions': { user_ids: [BOT] } };

const decisionOf = (stage: Stage, { room, event }: { room: string; event: string }) =>
  recordOf(stage.system.gate.get(keys.record(room, event))).decided?.reason;

/** Several runs at once, each a process of its own. */
async function atOnce(
  stage: Stage,
  count: number,
  body: (process: ReturnType<Stage['world']['process']>) => Promise<unknown>,
): Promise<void> {
  let left = count;
  for (let n = 0; n < count; n++) {
    const process = stage.world.process(900_000);
    stage.world.spawn(process, async () => {
      await body(process);
      left--;
    });
  }
  while (left > 0) await stage.world.pause(undefined, 5);
}

describe('twice', () => {
  it('two webhooks with the same transaction at once', async () => {
    const stage = await play(async (stage) => {
      stage.say(stage.direct, ALICE, 'one');
      stage.say(stage.group, BOB, 'two', MENTION);
      const events = stage.said.map(({ room, event }) => stage.pushed(room, event));
      await atOnce(stage, 2, (process) => stage.take(process, events));
      await stage.settle();
    });
    expect(stage.judge({ unheard: false })).toEqual([]);
    expect(stage.answers(stage.direct).size + stage.answers(stage.group).size).toBe(2);
  });

  it('two workers with the same turn', async () => {
    const stage = await play(async (stage) => {
      const said = stage.say(stage.direct, ALICE, 'one');
      await stage.run((process) => stage.take(process, [stage.pushed(said.room, said.event)]));
      const message = stage.system.queues.receive('turns')!;
      const body = stage.system.message(message.body)!;
      const delivery = {
        queue: 'turns',
        sentAt: message.sentAt,
        invocation: { remaining: () => 900_000 },
      } as const;
      await atOnce(stage, 2, (process) => handle(stage.system.work(process), body, delivery));
      stage.system.queues.remove('turns', message);
      await stage.settle();
    });
    expect(stage.judge({ unheard: false })).toEqual([]);
    expect([...stage.answers(stage.direct).values()]).toHaveLength(1);
  });

  it('the same event in four transactions', async () => {
    const stage = await play(async (stage) => {
      const said = stage.say(stage.direct, ALICE, 'one');
      for (let n = 0; n < 4; n++) {
        await stage.run((process) =>
          stage.take(process, [stage.pushed(said.room, said.event), stage.pushed(said.room, said.event)]),
        );
        await stage.settle();
      }
    });
    expect(stage.judge({ unheard: false })).toEqual([]);
    expect([...stage.answers(stage.direct).values()].flat()).toHaveLength(1);
  });
});

describe('in between', () => {
  it('a hundred events with odd ones between: the odd are skipped, the others decided', async () => {
    const odd = [
      null,
      7,
      'x',
      [],
      {},
      { event_id: 5 },
      { event_id: '$x', room_id: '!r', type: 'm.room.message', sender: '@a:hs', content: 'text' },
    ];
    const stage = await play(async (stage) => {
      const events: unknown[] = [];
      for (let n = 0; n < 100; n++) {
        if (n % 3 === 0) events.push(odd[n % odd.length]);
        else {
          const said = stage.say(stage.group, BOB, 'x');
          events.push(stage.pushed(said.room, said.event));
        }
      }
      await stage.run((process) => stage.take(process, events));
    });
    expect(stage.judge({ unheard: false })).toEqual([]);
    expect(stage.said.map((said) => decisionOf(stage, said))).toEqual(stage.said.map(() => 'ignored'));
  });

  it('a message for a turn that nobody knows makes no turn', async () => {
    const stage = await play(async (stage) => {
      stage.system.queues.send('turns', 'g', JSON.stringify({ v: 1, kind: 'turn', turn: 'x'.repeat(22) }));
      await stage.settle();
    });
    expect(stage.system.log.rows.all()).toEqual([]);
  });
});
