/**
 * The queues and their limits, said once: the stack creates them from it, the dev host and the tests likewise.
 * Why each number is what it is stands in the turn log's specification ("Who runs a turn").
 */

/** Lambda time limits, in s. The webhook's is below any homeserver's patience (35 s), so no run outlives a retry. */
export const timeouts = { webhook: 25, worker: 900, stream: 900, sweep: 300 } as const;

const DAYS_14 = 14 * 24 * 3600;

/** What one queue is made of; times in s. The dead-letter queue of each is of the same kind. */
export type QueueShape = {
  readonly fifo: boolean;
  /** Only until the worker's first act sets a shorter one; it must exceed the worker's time limit. */
  readonly visibility: number;
  readonly maxReceives: number;
  readonly retention: number;
};

export const queues = {
  /** Matrix turns and enqueued ones, consents, late decisions, joins, notices. */
  turns: { fifo: true, visibility: timeouts.worker + 30, maxReceives: 10, retention: DAYS_14 },
  /** Turns that run in a client's own invocation, and nudges. Waiting beside a healthy turn is a receive. */
  watchdog: { fifo: false, visibility: timeouts.worker + 30, maxReceives: 1_000, retention: DAYS_14 },
} as const satisfies Record<string, QueueShape>;
export type QueueName = keyof typeof queues;

/** How long a dead-letter queue keeps what `sweep` could not finish, and hides what it is working on; in s. */
export const deadLetters = { retention: DAYS_14, visibility: timeouts.sweep + 30 } as const;

/** The physical name of a queue or of its dead-letter queue: a FIFO queue's must end in `.fifo`. */
export function queueName(prefix: string, queue: QueueName, kind: 'main' | 'dead' = 'main'): string {
  return `${prefix}${queue}${kind === 'dead' ? '-dead' : ''}${queues[queue].fifo ? '.fifo' : ''}`;
}
