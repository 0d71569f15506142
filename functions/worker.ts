/** Lambda: works the queues' messages, one turn an invocation. */
export { worker as handler } from './adapters/lambda/worker.ts';
