/**
 * The process of one function: loads a handler file (its path and the name of the export are the arguments) and runs
 * the invocations that come over IPC, many at a time where Lambda would start an environment for each.
 * It ends with its host, however that ends; between invocations it is not frozen.
 */
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';
import { installAwslambda, isStreaming, responseStream } from './awslambda.ts';
import type { FromRuntime, FunctionError, ToRuntime } from './messages.ts';

type Handler = (...values: unknown[]) => unknown;
type Invocation = Extract<ToRuntime, { type: 'invoke' }>;

const env = process.env as Record<string, string>;
const taken = new Map<string, () => void>();

const send = (message: FromRuntime) => void process.send?.(message);

/** Resolves when the host has passed the chunk on, which is how a slow client slows its function down. */
function sendChunk(id: string, bytes: Uint8Array, contentType: string): Promise<void> {
  return new Promise((resolve) => {
    taken.set(id, resolve);
    send({ type: 'chunk', id, bytes, contentType });
  });
}

function describeError(error: unknown): FunctionError {
  if (!(error instanceof Error)) return { errorType: typeof error, errorMessage: String(error), trace: [] };
  return { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] };
}

function contextOf({ id, remainingMs }: Invocation): Omit<Context, 'done' | 'fail' | 'succeed'> {
  const deadline = performance.now() + remainingMs;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: env.AWS_LAMBDA_FUNCTION_NAME!,
    functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION!,
    memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE!,
    logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME!,
    logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME!,
    invokedFunctionArn: `arn:aws:lambda:${env.AWS_REGION}:000000000000:function:${env.AWS_LAMBDA_FUNCTION_NAME}`,
    awsRequestId: id,
    getRemainingTimeInMillis: () => Math.round(deadline - performance.now()),
  };
}

/** Answers only when the handler has returned and its stream has ended: a handler that forgets `end` times out. */
async function runStreaming(handler: Handler, call: Invocation): Promise<string> {
  const { stream, contentType } = responseStream((bytes, type) => sendChunk(call.id, bytes, type));
  const ended = finished(stream);
  ended.catch(() => {});
  try {
    const result = handler(JSON.parse(call.event), stream, contextOf(call));
    if (!(result instanceof Promise)) throw new Error('Streaming does not support non-async handlers.');
    if ((await result) !== undefined) console.warn('Streaming handlers ignore return values.');
    await ended;
    return contentType();
  } catch (error) {
    if (!stream.destroyed && !stream.writableEnded) await new Promise<void>((resolve) => stream.end(resolve));
    throw error;
  }
}

async function runBuffered(handler: Handler, call: Invocation): Promise<string> {
  const result = await handler(JSON.parse(call.event), contextOf(call));
  await sendChunk(call.id, Buffer.from(JSON.stringify(result) ?? 'null'), 'application/json');
  return 'application/json';
}

async function run(handler: Handler, call: Invocation): Promise<void> {
  try {
    const contentType = await (isStreaming(handler) ? runStreaming : runBuffered)(handler, call);
    send({ type: 'end', id: call.id, contentType });
  } catch (error) {
    console.error('Invoke Error', error);
    send({ type: 'error', id: call.id, error: describeError(error) });
  }
  taken.delete(call.id);
}

async function load(file: string, name: string): Promise<Handler> {
  const handler = ((await import(pathToFileURL(file).href)) as Record<string, unknown>)[name];
  if (typeof handler !== 'function') throw new Error(`${file} exports no function named ${name}`);
  if (handler.length >= 3 && !isStreaming(handler))
    throw new Error('Node.js 24 on Lambda takes no callback: write an async handler of two arguments.');
  return handler as Handler;
}

process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole process group, but when a function ends is for the host to say.
process.on('SIGINT', () => {});
installAwslambda();
try {
  const handler = await load(process.argv[2]!, process.argv[3]!);
  process.on('message', (message: ToRuntime) => {
    if (message.type === 'invoke') void run(handler, message);
    else taken.get(message.id)?.();
  });
  send({ type: 'ready' });
} catch (error) {
  console.error(error);
  process.exitCode = 1;
  process.send?.({ type: 'unusable', error: describeError(error) } satisfies FromRuntime, () =>
    process.exit(),
  );
}
