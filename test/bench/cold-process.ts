/** One first invocation, in a process that has done nothing else: sends how long it took, in ms. */
import { installAwslambda, isStreaming, responseStream } from '../../bin/dev/host/awslambda.ts';

type Handler = (event: unknown, ...rest: object[]) => Promise<unknown>;

installAwslambda();
const [path, event] = process.argv.slice(2);
const began = performance.now();
const { handler } = (await import(path!)) as { handler: Handler };
const { stream } = responseStream(async () => {});
const context = { getRemainingTimeInMillis: () => 60_000 };
await handler(JSON.parse(event!), ...(isStreaming(handler) ? [stream, context] : [context]));
process.send!(performance.now() - began, () => process.exit());
