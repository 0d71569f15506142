import { it } from 'vitest';
import { runMany } from '../many.ts';
import { runFlowSchedule } from './schedule.ts';

it('from transaction to reply: 5,000 random schedules', { timeout: 600_000 }, () =>
  runMany(runFlowSchedule, 5_000),
);
