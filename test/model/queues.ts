/**
 * The FIFO queue, the watchdog queue and their dead letters under virtual time: visibility, receives that are counted,
 * groups in order, deduplication for 5 minutes. A worker is a process that receives one message.
 */
import type { Handled } from '../../functions/work/ports.ts';
import type { Process, World } from './world.ts';

export type QueueName = 'turns' | 'watchdog';
export type Message<Body> = {
  readonly body: Body;
  readonly group: string;
  readonly sentAt: number;
  visibleAt: number;
  receives: number;
  by?: number;
};

const VISIBILITY_S = 45;
const EXTEND_MS = 15_000;

/** What of the world the queues need. */
export type QueueWorld = Pick<World, 'now' | 'schedule' | 'spawn'>;

export class Queues<Body> {
  readonly turns: Message<Body>[] = [];
  readonly watchdog: Message<Body>[] = [];
  readonly dead: Message<Body>[] = [];
  private readonly sleepers: Record<QueueName, (() => void)[]> = { turns: [], watchdog: [] };
  private readonly sent = new Map<string, number>();
  private readonly world: QueueWorld;
  private readonly maxReceives: Record<QueueName, number>;

  constructor(world: QueueWorld, maxReceives: Record<QueueName, number> = { turns: 10, watchdog: 1_000 }) {
    this.world = world;
    this.maxReceives = maxReceives;
  }

  send(queue: QueueName, group: string, body: Body, deduplication?: string, delayMs = 0): void {
    const { now } = this.world;
    if (deduplication !== undefined) {
      const id = JSON.stringify([group, deduplication]);
      if ((this.sent.get(id) ?? Number.NEGATIVE_INFINITY) > now - 300_000) return;
      this.sent.set(id, now);
    }
    for (const wake of this.sleepers[queue].splice(0)) wake();
    this[queue].push({ body, group, sentAt: now, visibleAt: now + delayMs, receives: 0 });
  }

  /** Waits until something may be there to receive: a message is sent, or the next hidden one shows again. */
  news(queue: QueueName): Promise<void> {
    const shows = Math.min(
      ...this[queue].map(({ visibleAt }) => visibleAt).filter((at) => at > this.world.now),
    );
    return new Promise((resolve) => {
      this.sleepers[queue].push(resolve);
      if (Number.isFinite(shows)) this.world.schedule(undefined, shows - this.world.now, resolve);
    });
  }

  /** A message that may be received now: the first of a group none of whose messages is in flight. */
  receive(queue: QueueName): Message<Body> | undefined {
    const { now } = this.world;
    const blocked = new Set<string>();
    for (const message of [...this[queue]]) {
      if (queue === 'turns' && blocked.has(message.group)) continue;
      if (message.visibleAt > now) {
        blocked.add(message.group);
        continue;
      }
      if (message.receives >= this.maxReceives[queue]) {
        this.remove(queue, message);
        this.dead.push({ ...message, visibleAt: now });
        continue;
      }
      message.receives++;
      return message;
    }
    return undefined;
  }

  remove(queue: QueueName, message: Message<Body>): void {
    const at = this[queue].indexOf(message);
    if (at >= 0) this[queue].splice(at, 1);
  }

  /** Runs `handle` on a message as a worker does: its visibility is extended while the process lives. */
  work(
    queue: QueueName,
    message: Message<Body>,
    process: Process,
    visibleMs: number,
    handle: () => Promise<Handled>,
  ): void {
    const { world } = this;
    message.by = process.id;
    const mine = () => message.by === process.id;
    message.visibleAt = world.now + visibleMs;
    world.spawn(process, async () => {
      message.visibleAt = world.now + VISIBILITY_S * 1_000;
      this.extend(process, message, mine);
      const handled = await handle();
      if (handled.kind === 'done') this.remove(queue, message);
      else if (mine()) message.visibleAt = world.now + handled.seconds * 1_000;
      process.dead = true;
    });
  }

  private extend(process: Process, message: Message<Body>, mine: () => boolean): void {
    this.world.schedule(process, EXTEND_MS, () => {
      if (!mine()) return;
      message.visibleAt = this.world.now + VISIBILITY_S * 1_000;
      this.extend(process, message, mine);
    });
  }
}
