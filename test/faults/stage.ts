/**
 * A stage for fault tests: the whole system in memory under virtual time, moved by hand, in which one process dies before
 * or after its nth call to a store, the queue or the homeserver. What comes then is the test's choice.
 */
import { keys } from '../../functions/gate/keys.ts';
import { LIMITS } from '../../functions/gate/options.ts';
import { recordOf } from '../../functions/inbox/record.ts';
import { finishUndone } from '../../functions/inbox/undone.ts';
import { isTerminal } from '../../functions/turns/head.ts';
import { bury } from '../../functions/work/bury.ts';
import { handle } from '../../functions/work/handle.ts';
import { sweepTurns } from '../../functions/work/sweep.ts';
import { judgeFlow } from '../model/flow/judge.ts';
import type { Said } from '../model/flow/script.ts';
import { BOT, FlowSystem } from '../model/flow/system.ts';
import type { Message, QueueName } from '../model/queues.ts';
import { type Process, World } from '../model/world.ts';

export const ALICE = '@alice:hs';
export const BOB = '@bob:hs';
const INVOCATION_MS = 900_000;
const MANY = 1_000_000;

export type Death = { readonly call: number; readonly when: 'before' | 'after' };

export class Stage {
  readonly world = new World(3, { crash: 0, lost: 0, freeze: 0 });
  readonly system = new FlowSystem(this.world, {}, LIMITS, 10);
  readonly said: Said[] = [];
  readonly direct: string;
  readonly group: string;
  /** How many calls the last process made. */
  calls = 0;

  constructor() {
    this.world.calm = true;
    const { rooms } = this.system;
    for (const name of ['alice', 'bob', 'carol']) rooms.register(name);
    rooms.register('bot', 'service');
    this.direct = this.room(ALICE, [BOT]);
    this.group = this.room(ALICE, [BOT, BOB, '@carol:hs']);
  }

  private room(owner: string, others: readonly string[]): string {
    const { rooms } = this.system;
    const room = rooms.createRoom(owner, { preset: 'private_chat', invite: [...others] });
    for (const user of others) rooms.join(user, room);
    return room;
  }

  /** Says something, with a word of its own; `more` joins the content. */
  say(room: string, sender: string, text: string, more: Readonly<Record<string, unknown>> = {}): Said {
    const word = `word${this.said.length}x`;
    const content = { msgtype: 'm.text', body: `${word} ${text}`, 'm.mentions': {}, ...more };
    const said = {
      event: this.system.rooms.send(sender, room, 'm.room.message', content),
      room,
      sender,
      word,
      redacted: false,
    };
    this.said.push(said);
    return said;
  }

  redact(said: Said): string {
    said.redacted = true;
    return this.system.rooms.redact(said.sender, said.room, said.event);
  }

  /** An event as it is pushed now. */
  pushed(room: string, event: string): unknown {
    const { rooms } = this.system;
    return rooms.clientEvent(rooms.event(BOT, room, event), { legacy: true });
  }

  /** Everything the bot sent, as its echo is pushed. */
  echoes(): unknown[] {
    return [this.direct, this.group].flatMap((room) =>
      this.system.rooms
        .timeline(room)
        .filter(({ sender, type }) => sender === BOT && type === 'm.room.message')
        .map(({ id }) => this.pushed(room, id)),
    );
  }

  /** Runs a process to its end or to its death; whether it lived. */
  async run(body: (process: Process) => Promise<unknown>, death?: Death): Promise<boolean> {
    const process = this.world.process(INVOCATION_MS);
    this.world.doom = { process, left: death?.call ?? MANY, when: death?.when ?? 'before' };
    let over = false;
    this.world.spawn(process, async () => {
      await body(process);
      over = true;
    });
    while (!over && !process.dead) await this.world.pause(undefined, 5);
    this.calls = (death?.call ?? MANY) - this.world.doom.left;
    this.world.doom = undefined;
    return over;
  }

  take(process: Process, events: readonly unknown[]): Promise<void> {
    return this.system.take(process, events);
  }

  /** Receives what is in the queues, one worker a message, until nothing is to be seen; the first may die. */
  async work(death?: Death, system: FlowSystem = this.system): Promise<void> {
    let next = death;
    for (const queue of ['turns', 'watchdog'] as const)
      for (let message = system.queues.receive(queue); message; message = system.queues.receive(queue)) {
        await this.receive(system, queue, message, next);
        next = undefined;
      }
  }

  private async receive(system: FlowSystem, queue: QueueName, received: Message<string>, death?: Death) {
    const lived = await this.run(async (process) => {
      const invocation = { remaining: () => process.end - this.world.now };
      const body = system.message(received.body)!;
      const { sentAt } = received;
      const handled = await handle(system.work(process), body, { queue, sentAt, invocation });
      if (handled.kind === 'done') system.queues.remove(queue, received);
      else received.visibleAt = this.world.now + handled.seconds * 1_000;
    }, death);
    if (!lived) received.visibleAt = this.world.now + 45_000;
  }

  /** Lets time go by in steps, with workers and `sweep` in each, until nothing is left to do. */
  async settle(options: { readonly buried?: boolean } = {}): Promise<void> {
    for (let round = 0; round < 60; round++) {
      if (options.buried) this.system.queues.dead.push(...this.system.queues.turns.splice(0));
      await this.work();
      await this.run((process) => this.sweep(process));
      await this.work();
      if (this.isSettled()) return;
      await this.world.pause(undefined, 60_000);
    }
    this.world.fail('not settled');
  }

  private async sweep(process: Process): Promise<void> {
    const work = this.system.work(process);
    const invocation = { remaining: () => process.end - this.world.now };
    for (const message of [...this.system.queues.dead]) {
      const handled = await bury(work, this.system.message(message.body)!, invocation);
      if (handled.kind === 'done')
        this.system.queues.dead.splice(this.system.queues.dead.indexOf(message), 1);
    }
    await finishUndone(this.system.inbox(process, true), () => false);
    await sweepTurns(work, invocation);
  }

  private isSettled(): boolean {
    const { log, gate, queues } = this.system;
    return (
      queues.turns.length + queues.watchdog.length + queues.dead.length === 0 &&
      log.rows.all().every((row) => row.sk !== 'HEAD' || isTerminal(log.head(row.pk)!)) &&
      gate.all().every((row) => row.sk !== 'E' || row.dec === undefined || row.fin === true)
    );
  }

  /** The answers in a room: the bodies of the bot's messages that are parts of an answer, by turn. */
  answers(room: string): Map<string, string[]> {
    const answers = new Map<string, string[]>();
    for (const { sender, content } of this.system.rooms.timeline(room)) {
      const own =
        sender === BOT
          ? (content['io.turnpike.turn'] as { turn: string; part: string } | undefined)
          : undefined;
      if (!own || /^(note|ask)#/.test(own.part)) continue;
      answers.set(own.turn, [...(answers.get(own.turn) ?? []), String(content.body)]);
    }
    return answers;
  }

  /**
   * What went wrong, by the flow's own judge. `unheard`: the homeserver never came back, so what was not decided by then
   * never happened.
   */
  judge({ unheard }: { readonly unheard: boolean }): string[] {
    const decided = (room: string, event: string) =>
      recordOf(this.system.gate.get(keys.record(room, event))).decided !== undefined;
    const redactions = [this.direct, this.group].flatMap((room) =>
      this.system.rooms.timeline(room).filter(({ type }) => type === 'm.room.redaction'),
    );
    const heard = (said: Said) =>
      redactions.some(({ id, room, redacts }) => redacts === said.event && decided(room, id));
    const said = unheard
      ? this.said
          .filter((one) => decided(one.room, one.event))
          .map((one) => ({ ...one, redacted: one.redacted && heard(one) }))
      : this.said;
    judgeFlow(this.system, { said, rooms: { direct: this.direct, group: this.group }, over: () => true });
    return [...this.world.violations].map(([what, detail]) => `${what} ${detail}`);
  }
}

/** Runs a script on a stage of its own, in virtual time; the stage as it was left. */
export async function play(script: (stage: Stage) => Promise<void>): Promise<Stage> {
  const stage = new Stage();
  let over = false;
  stage.world.spawn(undefined, async () => {
    await script(stage);
    over = true;
  });
  await stage.world.run({ untilMs: 24 * 3_600_000, maxSteps: 400_000, settled: () => over });
  if (!over) stage.world.fail('the script did not end');
  return stage;
}
