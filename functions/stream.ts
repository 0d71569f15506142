/** Lambda: clients start, follow, resume, replay and stop turns. */
export { stream as handler } from './adapters/lambda/stream.ts';
