/**
 * One operating-system process of a function, seen from the host: started once, it takes invocations until it dies.
 * Whatever is running then fails with what ended it, after the chunks it had sent were passed on.
 */
import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FromRuntime, FunctionError, ToRuntime } from './messages.ts';

/** Takes one chunk of an answer; the function goes on when it resolves. It must not reject. */
export type Sink = (bytes: Uint8Array, contentType: string) => Promise<void> | void;
export type StreamOutcome =
  | { readonly status: 'success'; readonly contentType: string }
  | { readonly status: 'error'; readonly error: FunctionError };

export type FunctionProcess = {
  /** Resolves to what is wrong when the handler could not be loaded. It has 10 s for that, as on Lambda. */
  readonly ready: Promise<FunctionError | undefined>;
  /** Resolves when the process and its output have ended. */
  readonly gone: Promise<void>;
  invoke(id: string, event: string, remainingMs: number, sink: Sink): Promise<StreamOutcome>;
  /** Fails one invocation; what its handler still sends is dropped. */
  fail(id: string, error: FunctionError): void;
  /** `kill -9`. What is running fails as crashed. */
  kill(): void;
};

const runtime = fileURLToPath(new URL('runtime.ts', import.meta.url));

export function startProcess(options: {
  readonly handler: string;
  readonly exportName: string;
  readonly env: Readonly<Record<string, string>>;
  log(line: string): void;
}): FunctionProcess {
  const child = fork(runtime, [options.handler, options.exportName], {
    env: { ...options.env },
    execArgv: ['--enable-source-maps'],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const input of [child.stdout!, child.stderr!]) createInterface({ input }).on('line', options.log);

  const running = new Map<string, { sink: Sink; passed: Promise<void>; end(outcome: StreamOutcome): void }>();
  const ready = Promise.withResolvers<FunctionError | undefined>();
  const gone = Promise.withResolvers<void>();
  const tooLong = setTimeout(() => child.kill('SIGKILL'), 10_000);
  void ready.promise.then(() => clearTimeout(tooLong));
  let death: string | undefined;

  // A message that cannot be sent any more is answered by the end of the process.
  const send = (message: ToRuntime) => child.send(message, () => {});
  const end = (id: string, outcome: StreamOutcome) => {
    const call = running.get(id);
    running.delete(id);
    void call?.passed.then(() => call.end(outcome));
  };
  const passOn = ({ id, bytes, contentType }: Extract<FromRuntime, { type: 'chunk' }>) => {
    const call = running.get(id);
    if (!call) return;
    call.passed = call.passed.then(() => call.sink(bytes, contentType));
    void call.passed.then(() => send({ type: 'taken', id }));
  };
  const fail = (id: string, error: FunctionError) => end(id, { status: 'error', error });
  const crash = (id: string) => {
    const errorMessage = `RequestId: ${id} Error: Runtime exited with error: ${death}`;
    fail(id, { errorType: 'Runtime.ExitError', errorMessage });
  };
  const die = (reason: string) => {
    death = reason;
    ready.resolve({ errorType: 'Runtime.ExitError', errorMessage: `Runtime exited with error: ${reason}` });
    for (const id of running.keys()) crash(id);
    gone.resolve();
  };

  child.on('message', (message: FromRuntime) => {
    if (message.type === 'ready') ready.resolve(undefined);
    else if (message.type === 'unusable') ready.resolve(message.error);
    else if (message.type === 'chunk') passOn(message);
    else if (message.type === 'end') end(message.id, { status: 'success', contentType: message.contentType });
    else fail(message.id, message.error);
  });
  child.on('error', (error) => die(error.message));
  child.on('close', (code, signal) =>
    die(signal === 'SIGKILL' ? 'signal: killed' : `exit status ${code ?? signal}`),
  );

  return {
    ready: ready.promise,
    gone: gone.promise,
    invoke(id, event, remainingMs, sink) {
      const { promise, resolve } = Promise.withResolvers<StreamOutcome>();
      running.set(id, { sink, passed: Promise.resolve(), end: resolve });
      if (death === undefined) send({ type: 'invoke', id, event, remainingMs });
      else crash(id);
      return promise;
    },
    fail,
    kill: () => void child.kill('SIGKILL'),
  };
}
