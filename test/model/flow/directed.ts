/** Schedules of the flow written by hand, for shortcuts that chance finds too seldom. Nothing goes wrong but what they say. */
import { LIMITS } from '../../../functions/gate/options.ts';
import { isTerminal } from '../../../functions/turns/head.ts';
import type { Process } from '../world.ts';
import { World } from '../world.ts';
import { works } from './actors.ts';
import { judgeFlow } from './judge.ts';
import type { Said, Script } from './script.ts';
import { BOT, type FlowMutant, FlowSystem } from './system.ts';

const ALICE = '@alice:hs';

class Stage {
  readonly world = new World(11, { crash: 0, lost: 0, freeze: 0 });
  readonly system: FlowSystem;
  readonly said: Said[] = [];
  readonly room: string;
  /** Every event of the room that was pushed, as it was then. */
  readonly pushed: unknown[] = [];

  constructor(mutant: FlowMutant) {
    this.world.calm = true;
    this.system = new FlowSystem(this.world, mutant, LIMITS, 10);
    const { rooms } = this.system;
    rooms.register('alice');
    rooms.register('bob');
    rooms.register('bot', 'service');
    this.room = rooms.createRoom(ALICE, { preset: 'private_chat', invite: [BOT, '@bob:hs', '@carol:hs'] });
    rooms.join(BOT, this.room);
    rooms.join('@bob:hs', this.room);
  }

  say(word: string): Said {
    const content = { msgtype: 'm.text', body: word, 'm.mentions': { user_ids: [BOT] } };
    const said = {
      event: this.system.rooms.send('@bob:hs', this.room, 'm.room.message', content),
      room: this.room,
      sender: '@bob:hs',
      word,
      redacted: false,
    };
    this.said.push(said);
    return said;
  }

  /** An event as it is pushed now. */
  push(event: string): unknown {
    return this.system.rooms.clientEvent(this.system.rooms.event(BOT, this.room, event), { legacy: false });
  }

  async take(...events: unknown[]): Promise<void> {
    await this.system.take(this.world.process(1e6, false), events);
  }

  async until(what: () => boolean): Promise<void> {
    for (let waited = 0; !what(); waited++) {
      if (waited > 20_000) throw new Error('the script waits for ever');
      await this.world.pause(undefined, 10);
    }
  }

  /** The worker that handles a message now; the next to be seen in the queue. */
  async worker(): Promise<Process> {
    let process: Process | undefined;
    await this.until(() => {
      process = this.system.lastWorker;
      return process !== undefined;
    });
    this.system.lastWorker = undefined;
    return process!;
  }
}

export const flowScripts: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  /** A redaction comes before its message; the run that decides the message dies right behind the commit. */
  async 'redactors judged by the winner only'(stage) {
    const { world, system } = stage;
    const said = stage.say('word0x');
    const message = stage.push(said.event);
    const redaction = system.rooms.redact('@bob:hs', stage.room, said.event);
    said.redacted = true;
    await stage.take(stage.push(redaction));
    const first = world.process(1e6, false);
    system.dieAfter(first, 'decide message');
    world.spawn(first, () => system.take(first, [message]));
    await stage.until(() => first.dead);
    await stage.take(message);
  },

  /** The oldest message of a conversation is with a worker that sleeps; its next one is received all the same. */
  async 'start without RUN'(stage) {
    const { world, system } = stage;
    await stage.take(stage.push(stage.say('word0x').event));
    world.spawn(undefined, () => works(system, 'turns'));
    const sleeper = await stage.worker();
    const id = system.log.rows.all().find(({ sk }) => sk === 'HEAD')!.pk;
    await stage.until(() => system.log.head(id)!.tail >= 2);
    sleeper.frozenUntil = world.now + 6_000;
    await stage.take(stage.push(stage.say('word1x').event));
    // As when the first one's message is among the dead letters: nothing of the queue holds the second one back.
    system.queues.send('turns', 'another group', system.queues.turns.at(-1)!.body);
    await world.pause(undefined, 4_000);
    await stage.until(() =>
      system.log.rows.all().every((row) => row.sk !== 'HEAD' || isTerminal(system.log.head(row.pk)!)),
    );
  },

  /** A sleeper loses its turn and wakes; the worker that took it over dies; somebody must still come. */
  async 'a loser reports success'(stage) {
    const { world, system } = stage;
    await stage.take(stage.push(stage.say('word0x').event));
    world.spawn(undefined, () => works(system, 'turns'));
    world.spawn(undefined, () => works(system, 'turns'));
    const sleeper = await stage.worker();
    const id = system.log.rows.all().find(({ sk }) => sk === 'HEAD')!.pk;
    await stage.until(() => system.log.head(id)!.tail >= 2);
    sleeper.frozenUntil = world.now + 47_000;
    const taker = await stage.worker();
    await stage.until(() => system.log.head(id)!.attempt === 2);
    taker.frozenUntil = world.now + 5_000;
    world.wake(sleeper, 0);
    await world.pause(undefined, 4_000);
    taker.dead = true;
    await world.pause(undefined, 120_000);
  },
};

/** Runs a script on the real code, or with a mutant; what went wrong. */
export async function runFlowScript(name: string, mutant: FlowMutant = {}): Promise<readonly string[]> {
  const stage = new Stage(mutant);
  let over = false;
  stage.world.spawn(undefined, async () => {
    await flowScripts[name]!(stage);
    over = true;
  });
  await stage.world.run({ untilMs: 3_600_000, maxSteps: 60_000, settled: () => over });
  if (!over) stage.world.fail('the script did not end');
  const script: Script = {
    said: stage.said,
    rooms: { direct: stage.room, group: stage.room },
    over: () => true,
  };
  judgeFlow(stage.system, script);
  return [...stage.world.violations.keys()];
}
