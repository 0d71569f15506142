/**
 * A function on this machine, invoked as on Lambda: errors are outcomes, never exceptions; a timeout or a crash costs
 * the process, and the next invocation starts another. Invocations share one process, so they share its death too.
 */
import { randomUUID } from 'node:crypto';
import { basename, dirname, extname } from 'node:path';
import { localCredentials } from '../credentials.ts';
import type { FunctionError } from './messages.ts';
import { type FunctionProcess, type Sink, type StreamOutcome, startProcess } from './process.ts';
import { drain } from './waiting.ts';

/** `payload` is the answer of the handler: JSON text, or whatever a streaming handler wrote. */
export type Outcome =
  | { readonly status: 'success'; readonly payload: string }
  | { readonly status: 'error'; readonly error: FunctionError };

export type FunctionOptions = {
  readonly name: string;
  /** The path of a TypeScript or JavaScript module. */
  readonly handler: string;
  /** The name of the export, by default `handler`. */
  readonly exportName?: string;
  /** With what Lambda itself sets, all that the function sees: the host's own environment stays out. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMB?: number;
  /** When the process starts first: with the first invocation (the default), or at once. */
  readonly start?: 'lazy' | 'now';
  /** Receives what the function prints, line by line, and how its process ended. */
  log?(name: string, line: string): void;
};

export type LocalFunction = {
  readonly name: string;
  invoke(event: unknown): Promise<Outcome>;
  /** The answer goes to `sink` as the handler writes it. */
  invokeStream(event: unknown, sink: Sink): Promise<StreamOutcome>;
  /** `kill -9`. Resolves when the process has ended and its invocations have failed. */
  kill(): Promise<void>;
  /** Takes no invocation any more, waits up to `graceMs` for those that run, and ends the process. */
  stop(graceMs?: number): Promise<void>;
};

/** The most a buffered answer may have, in bytes. */
export const maxPayload = 6 * 1024 * 1024;

export function startFunction(options: FunctionOptions): LocalFunction {
  const { name, timeoutMs } = options;
  const log = (line: string) => options.log?.(name, line);
  const running = new Set<Promise<unknown>>();
  let current: FunctionProcess | undefined;
  let stopped = false;

  const start = (): FunctionProcess => {
    const started = startProcess({
      handler: options.handler,
      exportName: options.exportName ?? 'handler',
      env: environment(options),
      log,
    });
    void started.gone.then(() => forget(started));
    return started;
  };
  const forget = (ended: FunctionProcess) => {
    if (current === ended) current = undefined;
  };
  const run = async (event: unknown, sink: Sink): Promise<StreamOutcome> => {
    if (stopped) return failure('Function.Stopped', `The function ${name} is stopped.`);
    const text = JSON.stringify(event);
    current ??= start();
    const used = current;
    const unusable = await used.ready;
    if (unusable) return { status: 'error', error: unusable };
    const id = randomUUID();
    const timer = setTimeout(() => {
      const line = `RequestId: ${id} Error: Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`;
      forget(used);
      used.fail(id, { errorType: 'Sandbox.Timedout', errorMessage: line });
      used.kill();
      log(line);
    }, timeoutMs);
    const outcome = await used.invoke(id, text, timeoutMs, sink);
    clearTimeout(timer);
    if (outcome.status === 'error' && outcome.error.errorType === 'Runtime.ExitError')
      log(outcome.error.errorMessage);
    return outcome;
  };
  const invokeStream = (event: unknown, sink: Sink): Promise<StreamOutcome> => {
    const invocation = run(event, sink).finally(() => running.delete(invocation));
    running.add(invocation);
    return invocation;
  };
  const kill = async () => {
    const killed = current;
    if (!killed) return;
    forget(killed);
    killed.kill();
    await killed.gone;
  };
  if (options.start === 'now') current = start();

  return {
    name,
    invokeStream,
    kill,
    async invoke(event) {
      const chunks: Uint8Array[] = [];
      const outcome = await invokeStream(event, (bytes) => void chunks.push(bytes));
      if (outcome.status === 'error') return outcome;
      const payload = Buffer.concat(chunks);
      if (payload.length <= maxPayload) return { status: 'success', payload: payload.toString() };
      return failure(
        'Function.ResponseSizeTooLarge',
        `Response payload size exceeded maximum allowed payload size (${maxPayload} bytes).`,
      );
    },
    async stop(graceMs = 5_000) {
      stopped = true;
      await drain(running, graceMs);
      await kill();
    },
  };
}

const failure = (errorType: string, errorMessage: string) =>
  ({ status: 'error', error: { errorType, errorMessage } }) as const;

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html, defined runtime environment variables. */
function environment({ name, handler, exportName, memoryMB, env }: FunctionOptions): Record<string, string> {
  const { region, credentials } = localCredentials;
  return {
    _HANDLER: `${basename(handler, extname(handler))}.${exportName ?? 'handler'}`,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_DEFAULT_REGION: region,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMB ?? 512),
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: `local/[$LATEST]${randomUUID()}`,
    AWS_REGION: region,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    LAMBDA_TASK_ROOT: dirname(handler),
    TZ: 'UTC',
    ...env,
  };
}
