/** Who acts on the system under the log's model: webhooks, clients, workers, `sweep`, people who stop and consent. */
import { cancel } from '../../functions/turns/cancel.ts';
import { putConsent } from '../../functions/turns/consent.ts';
import { cursorText } from '../../functions/turns/cursor.ts';
import { afterCommit } from '../../functions/turns/events.ts';
import { attach } from '../../functions/turns/follow.ts';
import { asksConsent, isTerminal } from '../../functions/turns/head.ts';
import type { Line } from '../../functions/turns/lines.ts';
import type { LiveLine } from '../../functions/turns/pump.ts';
import { eventsOf } from '../../functions/turns/rows.ts';
import { createQueued } from '../../functions/turns/start.ts';
import { receiveTurn } from '../../functions/work/receive.ts';
import { type Started, startHere, type WhenBusy } from '../../functions/work/start-here.ts';
import { buryTurn, sweepTurns } from '../../functions/work/sweep.ts';
import type { Client } from './client.ts';
import type { QueueName } from './queues.ts';
import { CONVERSATION, INVOCATION_MS, type System, type Turn } from './system.ts';
import type { Process } from './world.ts';

/** A webhook or an enqueuing request: repeated until it went through. */
export async function arrive(system: System, turn: Turn): Promise<void> {
  const { world } = system;
  for (let sent = false; !sent; ) {
    const process = world.process(20_000);
    world.spawn(process, async () => {
      await createQueued(system.table(process), turn.id, turn.meta);
      await system.deps(process).queue.send(turn.id, CONVERSATION, `${turn.id}.run.1`);
      sent = true;
      process.dead = true;
    });
    while (!sent && !process.dead) await world.pause(undefined, 500);
  }
}

/** A client's request, repeated a few times; what runs in its invocation is shown to it live. */
export async function post(system: System, turn: Turn, client: Client, whenBusy: WhenBusy): Promise<void> {
  const { world, log } = system;
  const { below, hit, pick } = world.chance;
  const patience = pick([0.2, 0.9]);
  for (let tries = 0; tries < 12; tries++) {
    const process = world.process(INVOCATION_MS);
    let outcome: Started | undefined;
    world.spawn(process, async () => {
      outcome = await startHere(system.deps(process, turn), {
        turn: turn.id,
        meta: turn.meta,
        whenBusy,
        invocation: system.invocation(process),
        live: liveLines(system, process, turn.id, client),
      });
      process.dead = true;
    });
    for (let waited = 0; waited < 60 && !outcome && !process.dead; waited++)
      await world.pause(undefined, 200 + below(600));
    if (outcome?.kind === 'ran' || outcome?.kind === 'follow' || (log.head(turn.id) && hit(0.7))) return;
    if (!hit(patience)) return;
    await world.pause(undefined, 1_000 + below(9_000));
  }
}

/**
 * The starter's own line: what the pump shows goes to the client while the line stands. A line that leaves a gap, or a
 * connection that breaks, ends it. The mutant `early` shows the last events when their segment is put.
 */
function liveLines(system: System, process: Process, turn: string, client: Client): (line: LiveLine) => void {
  const { world, log, mutant } = system;
  if (client.live || client.cursor.seq > 0 || world.chance.hit(0.2)) return () => undefined;
  client.live = process;
  const show = ({ seq, attempt, event }: LiveLine) => {
    if (client.live !== process) return;
    const line = { ...event, from: seq, cursor: cursorText({ attempt, seq }) } as Line;
    if (client.apply(line) === 'gap' || world.chance.hit(0.005)) client.live = undefined;
  };
  if (!mutant.early) return show;
  const shown = new Set<number>();
  log.onSegment = (id, segment) => {
    if (id !== turn) return;
    for (const { seq, event } of eventsOf(segment.rows)) {
      if (!afterCommit.has(event.type) || shown.has(seq)) continue;
      shown.add(seq);
      show({ seq, attempt: segment.attempt, event });
    }
  };
  return (line) => (shown.has(line.seq) ? undefined : show(line));
}

/** Receives messages of a queue, one worker each. */
export async function poll(system: System, queue: QueueName): Promise<void> {
  const { world, queues } = system;
  for (;;) {
    await world.pause(undefined, 50 + world.chance.below(500));
    const message = queues.receive(queue);
    if (!message) {
      await queues.news(queue);
      continue;
    }
    const process = world.process(INVOCATION_MS);
    const turn = system.turns.find(({ id }) => id === message.body)!;
    const work = { turn: turn.id, queue, sentAt: message.sentAt, invocation: system.invocation(process) };
    queues.work(queue, message, process, INVOCATION_MS + 30_000, () =>
      receiveTurn(system.deps(process, turn), work),
    );
  }
}

export async function sweeps(system: System): Promise<void> {
  const { world, queues } = system;
  for (;;) {
    await world.pause(undefined, 20_000 + world.chance.below(20_000));
    const process = world.process(120_000);
    const [deps, invocation] = [system.deps(process), system.invocation(process)];
    world.spawn(process, async () => {
      for (const message of queues.dead.filter(({ visibleAt }) => visibleAt <= world.now)) {
        const handled = await buryTurn(deps, message.body, invocation);
        if (handled.kind === 'again') message.visibleAt = world.now + handled.seconds * 1_000;
        else queues.dead.splice(queues.dead.indexOf(message), 1);
      }
      await sweepTurns(deps, invocation);
      process.dead = true;
    });
  }
}

export async function stops(system: System, turn: Turn, withinMs: number): Promise<void> {
  const { world } = system;
  await world.pause(undefined, world.chance.below(withinMs));
  const process = world.process(60_000);
  world.spawn(process, async () => {
    const outcome = await cancel(system.deps(process), turn.id, 'stopped');
    if (outcome.kind === 'stopping' && (outcome.status === 'running' || outcome.status === 'cancelled'))
      turn.cancelled = true;
    if (outcome.kind === 'too late') turn.tooLate = true;
  });
}

export async function consents(system: System, turn: Turn): Promise<void> {
  const { world, log, queues } = system;
  for (let tries = 0; tries < 400; tries++) {
    await world.pause(undefined, 1_000 + world.chance.below(6_000));
    const head = log.head(turn.id);
    if (head && isTerminal(head)) return;
    if (!head || !asksConsent(head)) continue;
    const process = world.process(30_000, false);
    const consent = { by: 'person', choice: world.chance.pick(['yes', 'no'] as const), at: world.now };
    world.spawn(process, async () => {
      await putConsent(system.table(process), turn.id, head.tail, consent, 2_000_000_000);
      queues.send('turns', CONVERSATION, turn.id, `${turn.id}.consent.${head.tail}`);
    });
    return;
  }
}

/** Follows with a client that is cut off and repeated to, and comes back with its cursor. */
export async function follows(system: System, turn: Turn, client: Client): Promise<void> {
  const { world, log, queues, mutant } = system;
  const { below, hit } = world.chance;
  const process = world.process(Number.POSITIVE_INFINITY, false);
  const deps = {
    table: system.table(process),
    clock: world.clock(process),
    random: world.random(),
    nudge: async (id: string) => queues.send('watchdog', id, id),
  };
  for (let ahead = 0; !client.done; ) {
    await world.pause(process, 200 + below(1_500));
    // Its own line is live: it follows once that line is cut.
    if (client.live && !hit(0.02)) continue;
    client.live = undefined;
    const head = log.head(turn.id);
    const forgetful = mutant.client === 'cursor without attempt' && head;
    const after = forgetful ? { attempt: Math.max(1, head.attempt), seq: client.cursor.seq } : client.cursor;
    const until = world.now + 500 + below(hit(0.3) ? 3_000 : 55_000);
    const attached = await attach(deps, turn.id, { after, until });
    if (attached.kind === 'unknown') continue;
    if (attached.kind !== 'following') {
      if (client.done || (attached.kind === 'bad cursor' && ++ahead <= 3)) continue;
      world.fail(
        attached.kind === 'ended'
          ? 'a client at the end without turn_status'
          : 'a cursor ahead of a finished turn',
      );
      return;
    }
    for await (const line of attached.lines) {
      // A proxy in between repeats a line or cuts the connection; what it cut off may end with a `bye` of its own.
      if ('from' in line && hit(0.01)) {
        client.apply({ type: 'bye', cursor: line.cursor });
        break;
      }
      if (client.apply(line) === 'gap') break;
      if (hit(0.05)) client.apply(line);
      if (client.done || hit(0.02)) break;
    }
  }
}
