/** Event sources of a test over its queues; each is stopped after the test, before its queues. */
import type { SQSEvent } from 'aws-lambda';
import { afterEach, expect } from 'vitest';
import {
  type EventSource,
  type EventSourceOptions,
  startEventSource,
} from '../../../bin/dev/host/event-source.ts';
import type { Outcome } from '../../../bin/dev/host/function.ts';
import type { QueueName } from '../../../lib/queues.ts';
import { testQueues } from '../queues.ts';

export function testMappings() {
  const queues = testQueues();
  const sources: EventSource[] = [];
  afterEach(async () => {
    await Promise.all(sources.splice(0).map((one) => one.stop(0)));
  });
  return {
    ...queues,
    map(
      queue: QueueName,
      options: Pick<EventSourceOptions, 'function'> & Partial<EventSourceOptions>,
    ): EventSource {
      const source = startEventSource({ queues: queues.local(), queue, ...options });
      sources.push(source);
      return source;
    },
    /** Waits until so many messages can be received, and so many are in flight. */
    settled: (queue: QueueName, left: [number, number]) =>
      expect.poll(() => queues.counts(queue), { interval: 3, timeout: 3_000 }).toEqual(left),
  };
}

/** A function that runs here, to look at what it is given and to say what it answers. */
export function fake(answer: (event: SQSEvent) => Promise<Outcome> | Outcome = () => success(null)) {
  const events: SQSEvent[] = [];
  return {
    events,
    bodies: () => events.flatMap(({ Records }) => Records.map(({ body }) => body)),
    name: 'fake',
    async invoke(event: unknown): Promise<Outcome> {
      events.push(event as SQSEvent);
      return await answer(event as SQSEvent);
    },
  };
}

export const success = (payload: unknown): Outcome => ({
  status: 'success',
  payload: JSON.stringify(payload),
});
