import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { queues } from '../../../lib/queues.ts';
import { advance } from '../queues.ts';
import { eventually, testFunctions } from './functions.ts';
import { fake, success, testMappings } from './mappings.ts';

const { local, send, remind, map, settled } = testMappings();
const { start, printed, times } = testFunctions();

describe('a message', () => {
  it.each([
    ['nothing', null],
    ['an empty answer', {}],
    ['no failures', { batchItemFailures: [] }],
    ['null for failures', { batchItemFailures: null }],
    ['anything else', 'done'],
  ])('is deleted after %s', async (_name, answer) => {
    await remind('m');
    map('watchdog', { function: fake(() => success(answer)), batchSize: 10 });
    await settled('watchdog', [0, 0]);
  });

  it('is kept when it is named as failed, and the rest of its batch is deleted', async () => {
    for (const name of ['m1 ok', 'm2 fail', 'm3 ok']) await remind(name);
    map('watchdog', { function: start('worker'), batchSize: 10 });
    await printed('end m3');
    await settled('watchdog', [0, 1]);
    advance(queues.watchdog.visibility);
    await eventually(() => times('begin m2')).toBe(2);
    expect(times('begin m1')).toBe(1);
  });

  it.each([
    ['an unknown id', { batchItemFailures: [{ itemIdentifier: 'unknown' }] }],
    ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['null for an id', { batchItemFailures: [{ itemIdentifier: null }] }],
    ['another name for the id', { batchItemFailures: [{ messageId: 'x' }] }],
    ['failures that are no list', { batchItemFailures: 'm1' }],
  ])('is kept with its whole batch after %s', async (_name, answer) => {
    for (const name of ['m1', 'm2']) await remind(name);
    const seen = fake(() => success(answer));
    map('watchdog', { function: seen, batchSize: 10 });
    await eventually(() => seen.bodies()).toEqual(['m1', 'm2']);
    await settled('watchdog', [0, 2]);
    advance(queues.watchdog.visibility);
    await eventually(() => seen.bodies().slice(2).sort()).toEqual(['m1', 'm2']);
  });

  it('is kept with its whole batch when the handler throws', async () => {
    for (const name of ['m1 ok', 'm2 throw']) await remind(name);
    map('watchdog', { function: start('worker'), batchSize: 10 });
    await printed('begin m2');
    await settled('watchdog', [0, 2]);
    advance(queues.watchdog.visibility);
    await eventually(() => times('begin m1')).toBe(2);
  });

  it('comes back after its visibility time-out when the process is killed, and its group waits for it', async () => {
    const one = start('worker');
    map('turns', { function: one });
    await send('a1 hang', 'a');
    await send('a2 ok', 'a');
    await printed('begin a1');
    await one.kill();
    await send('b1 ok', 'b');
    await printed('end b1');
    advance(queues.turns.visibility - 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([times('begin a1'), times('begin a2')]).toEqual([1, 0]);
    advance(1);
    await eventually(() => times('begin a1')).toBe(2);
    expect(times('begin a2')).toBe(0);
  });

  it('ends in the dead-letter queue when it fails too often', async () => {
    const failing = fake(() => ({ status: 'error', error: { errorType: 'Error', errorMessage: '' } }));
    map('turns', { function: failing });
    await send('poison', 'a');
    for (let n = 1; n <= queues.turns.maxReceives; n++) {
      await eventually(() => failing.events.length).toBe(n);
      advance(queues.turns.visibility);
    }
    const dead = new ReceiveMessageCommand({ QueueUrl: local().url('turns', 'dead'), WaitTimeSeconds: 1 });
    expect((await local().client.send(dead)).Messages?.[0]?.Body).toBe('poison');
    expect(failing.events).toHaveLength(queues.turns.maxReceives);
  });
});
