/** `sweep` behind its schedule and the dead-letter queues: it finishes what nobody came back for. */
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { hasLeft } from '../../gate/picture.ts';
import { finishUndone } from '../../inbox/undone.ts';
import { sweepRooms } from '../../memory/leave.ts';
import { bury } from '../../work/bury.ts';
import { keepAlive } from '../../work/keep-alive.ts';
import { done, type Handled } from '../../work/ports.ts';
import { sweepTurns } from '../../work/sweep.ts';
import { chooseAgent, chooseTools } from '../models/choose.ts';
import { parseMessage } from '../sqs/messages.ts';
import { assemble, once, patientTables } from './assemble.ts';
import { handleBatch } from './batch.ts';
import { composeInbox, composeWork } from './compose.ts';

/** What is kept of an invocation for its last write, ms. */
const RESERVE_MS = 15_000;

const setup = once(() => {
  const { config, parts, clock, telemetry } = assemble('sweep');
  return { config, parts, clock, telemetry, agent: chooseAgent(config, clock), tools: chooseTools(config) };
});

type SweepContext = Pick<Context, 'getRemainingTimeInMillis'>;

export async function sweep(
  event: SQSEvent | Record<string, unknown>,
  context: SweepContext,
): Promise<SQSBatchResponse | undefined> {
  const { telemetry } = setup();
  try {
    if (isBatch(event)) return await handleBatch(event, (record) => buried(record, context), telemetry.fail);
    await swept(context);
    return undefined;
  } finally {
    telemetry.flush();
  }
}

const isBatch = (event: SQSEvent | Record<string, unknown>): event is SQSEvent =>
  Array.isArray(event.Records);

function composed(context: SweepContext) {
  const { config, parts, agent, tools } = setup();
  const invocation = { remaining: () => context.getRemainingTimeInMillis() };
  const tables = patientTables(parts.tables, invocation.remaining() - RESERVE_MS);
  const patientParts = { ...parts, tables };
  return {
    inbox: composeInbox(patientParts),
    memory: { table: patientParts.tables.memory, tenant: config.tenant },
    work: composeWork({ ...patientParts, agent, tools, options: config.work }),
    invocation,
  };
}

async function buried(record: SQSRecord, context: SweepContext): Promise<Handled> {
  const { telemetry } = setup();
  const message = parseMessage(record.body);
  telemetry.count('DeadLetters');
  if (!message) return done;
  const { work, invocation } = composed(context);
  return bury(work, message, invocation);
}

/** Each part by itself: one that fails keeps the others from nothing. */
async function swept(context: SweepContext): Promise<void> {
  const { config, clock, telemetry } = setup();
  const { inbox, work, memory, invocation } = composed(context);
  const over = () => invocation.remaining() < RESERVE_MS;
  const parts = [
    () => finishUndone(inbox, over).then((due) => telemetry.count('UndoneRecords', due)),
    () => sweepTurns(work, invocation).then((due) => telemetry.count('DueTurns', due)),
    () =>
      sweepRooms(memory, {
        keeps: config.gate.groupRooms === 'gate',
        now: clock.now(),
        over,
        isGone: (room) => hasLeft(inbox.table, room),
      }).then((due) => telemetry.count('DueRooms', due)),
    () => keepAlive({ ...work, appservice: config.appservice }),
  ];
  for (const part of parts) await part().catch(telemetry.fail);
}
