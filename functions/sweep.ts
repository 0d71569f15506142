/** Lambda: by schedule and on the dead-letter queues, finishes what nobody came back for. */
export { sweep as handler } from './adapters/lambda/sweep.ts';
