/** Who acts on the system under the flow's model: people, their homeserver's pusher, workers, `sweep`. */
import { dendrite } from '../../../bin/dev/homeserver/push/dendrite.ts';
import { synapse } from '../../../bin/dev/homeserver/push/synapse.ts';
import { keys } from '../../../functions/gate/keys.ts';
import { recordOf } from '../../../functions/inbox/record.ts';
import { finishUndone } from '../../../functions/inbox/undone.ts';
import { bury } from '../../../functions/work/bury.ts';
import { handle } from '../../../functions/work/handle.ts';
import { again, type Handled } from '../../../functions/work/ports.ts';
import { sweepTurns } from '../../../functions/work/sweep.ts';
import { BOT, type FlowSystem } from './system.ts';

const INVOCATION_MS = 240_000;
const WEBHOOK_MS = 25_000;
/** The homeserver's own patience, shorter than the webhook's here: retries beside a living run are what is wanted. */
const GIVE_UP_MS = 15_000;

type Pushed = {
  readonly event_id: string;
  readonly room_id: string;
  readonly state_key?: string;
  readonly sender: string;
};

/** Pushes what concerns the service until everything is through; repeats, cuts anew, redelivers. */
export async function pushes(system: FlowSystem): Promise<{ idle(): boolean }> {
  const { world, rooms } = system;
  const { hit, below, pick } = world.chance;
  const outbox = pick([synapse, synapse, dendrite]).outbox({
    world: rooms,
    random: world.random(),
    now: () => Math.floor(world.now),
  });
  const seen: (typeof rooms.timeline extends (room: string) => readonly (infer E)[] ? E : never)[] = [];
  let tell = () => {};
  const news = () =>
    new Promise<void>((resolve) => {
      tell = resolve;
    });
  rooms.onEvent((event) => {
    if (!rooms.concernsService(event)) return;
    seen.push(event);
    outbox.take(event);
    tell();
  });
  const known = new Set<string>();
  let busy = false;
  world.spawn(undefined, async () => {
    for (;;) {
      await world.pause(undefined, 100 + below(400));
      if (outbox.waiting() === 0)
        await Promise.race([news(), world.pause(undefined, world.calm ? 600_000 : 5_000)]);
      if (!world.calm && seen.length > 0 && hit(0.02)) outbox.take(pick(seen));
      if (!world.calm && hit(0.05)) outbox.repartition(world.random());
      const delivery = outbox.next();
      if (!delivery) continue;
      busy = true;
      const byId = system.mutant.byTransaction && known.has(delivery.id);
      known.add(delivery.id);
      const accepted = byId || (await deliver(system, delivery.body.events as unknown as Pushed[]));
      outbox.settle(accepted);
      busy = false;
      if (!accepted) await world.pause(undefined, 1_000 + below(4_000));
    }
  });
  return { idle: () => !busy && outbox.waiting() === 0 };
}

/** One try: 200, or anything else, or silence. A run that was given up goes on all the same. */
async function deliver(system: FlowSystem, events: readonly Pushed[]): Promise<boolean> {
  const { world } = system;
  const process = world.process(WEBHOOK_MS);
  let answer: boolean | undefined;
  world.spawn(process, async () => {
    try {
      await system.take(process, events);
      checkFinished(system, events);
      answer = true;
    } catch {
      answer = false;
    }
  });
  for (let waited = 0; answer === undefined && !process.dead && waited < GIVE_UP_MS; waited += 250)
    await world.pause(undefined, 250);
  return answer === true && !world.chance.hit(world.calm ? 0 : 0.03);
}

/** A 200 says that every event is finished, or deferred and its worker told, or a redaction that waits for a turn. */
function checkFinished({ world, gate, rooms, mutant }: FlowSystem, events: readonly Pushed[]): void {
  for (const { event_id, room_id, state_key, sender } of events) {
    if (state_key !== undefined || sender === BOT || rooms.service?.isOurs(sender)) continue;
    const row = gate.get(keys.record(room_id, event_id));
    const record = recordOf(row);
    if (record.finished || row?.sent === true || record.decided?.kind === 'redaction' || mutant.byTransaction)
      continue;
    world.fail('200 before an event was finished', `${event_id} ${record.decided?.kind}`);
  }
}

export async function works(system: FlowSystem, queue: 'turns' | 'watchdog'): Promise<void> {
  const { world, queues, mutant } = system;
  for (;;) {
    await world.pause(undefined, 50 + world.chance.below(500));
    const message = queues.receive(queue);
    if (!message) {
      await queues.news(queue);
      continue;
    }
    const process = world.process(INVOCATION_MS);
    system.lastWorker = process;
    const invocation = { remaining: () => process.end - world.now };
    queues.work(queue, message, process, INVOCATION_MS + 30_000, async () => {
      const body = system.message(message.body)!;
      const handled: Handled = await handle(system.work(process), body, {
        queue,
        sentAt: message.sentAt,
        invocation,
      }).catch(() => again(5));
      return mutant.loserSucceeds && handled.kind === 'again' && handled.seconds === 1
        ? { kind: 'done' }
        : handled;
    });
  }
}

export async function sweeps(system: FlowSystem): Promise<void> {
  const { world, queues } = system;
  for (;;) {
    await world.pause(undefined, 30_000 + world.chance.below(30_000));
    const process = world.process(240_000);
    const invocation = { remaining: () => process.end - world.now };
    world.spawn(process, async () => {
      const work = system.work(process);
      for (const message of queues.dead.filter(({ visibleAt }) => visibleAt <= world.now)) {
        const handled = await bury(work, system.message(message.body)!, invocation).catch(() => again(5));
        if (handled.kind === 'again') message.visibleAt = world.now + handled.seconds * 1_000;
        else queues.dead.splice(queues.dead.indexOf(message), 1);
      }
      await finishUndone(system.inbox(process, true), () => false).catch(() => undefined);
      await sweepTurns(work, invocation).catch(() => undefined);
      process.dead = true;
    });
  }
}

/** The homeserver answers nobody for a while, now and then; it may have forgotten transaction ids when it is back. */
export async function wanders(system: FlowSystem): Promise<void> {
  const { world } = system;
  const { below, hit } = world.chance;
  while (!world.calm) {
    await world.pause(undefined, 10_000 + below(90_000));
    system.away = !world.calm;
    await world.pause(undefined, below(hit(0.2) ? 90_000 : 10_000));
    system.away = false;
    if (!hit(0.6)) continue;
    system.epoch++;
    system.rooms.forgetTransactions();
  }
}
