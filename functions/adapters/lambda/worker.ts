/** The worker behind its two queues. Its first act, before it reads its configuration, is to hide its message. */
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { handle } from '../../work/handle.ts';
import { done, type Handled } from '../../work/ports.ts';
import { chooseAgent, chooseTools } from '../models/choose.ts';
import { parseMessage } from '../sqs/messages.ts';
import { assemble, once, patientTables } from './assemble.ts';
import { handleBatch } from './batch.ts';
import { composeWork } from './compose.ts';

const setup = once(() => {
  const { config, parts, clock, telemetry } = assemble('worker');
  return { config, parts, telemetry, agent: chooseAgent(config, clock), tools: chooseTools(config) };
});

export async function worker(
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SQSBatchResponse> {
  const remaining = () => context.getRemainingTimeInMillis();
  const handled = await handleBatch(
    event,
    (record) => work(record, remaining),
    (error) => setup().telemetry.fail(error),
  );
  setup().telemetry.flush();
  return handled;
}

async function work(record: SQSRecord, remaining: () => number): Promise<Handled> {
  const { config, parts, telemetry, agent, tools } = setup();
  const message = parseMessage(record.body);
  if (!message) {
    telemetry.count('OddMessages');
    return done;
  }
  const tables = patientTables(parts.tables, remaining() - 5_000);
  const deps = composeWork({ ...parts, tables, agent, tools, options: config.work });
  const queue = record.eventSourceARN.endsWith('.fifo') ? 'turns' : 'watchdog';
  return handle(deps, message, {
    queue,
    sentAt: Number(record.attributes.SentTimestamp),
    invocation: { remaining },
  });
}
