/** Functions of a test, made of the fixtures, with what they print; each is stopped after the test. */
import { fileURLToPath } from 'node:url';
import { afterEach, expect } from 'vitest';
import { type FunctionOptions, type LocalFunction, startFunction } from '../../../bin/dev/host/function.ts';

export const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));

export function testFunctions() {
  const started: LocalFunction[] = [];
  const lines: string[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.stop(0)));
    lines.length = 0;
  });
  return {
    lines,
    start(name: string, options: Partial<FunctionOptions> = {}): LocalFunction {
      const one = startFunction({
        name,
        handler: fixture(name),
        timeoutMs: 5_000,
        log: (_name, line) => lines.push(line),
        ...options,
      });
      started.push(one);
      return one;
    },
    printed: (line: string) => eventually(() => lines).toContain(line),
    times: (line: string) => lines.filter((one) => one === line).length,
  };
}

export const eventually = <T>(value: () => T) => expect.poll(value, { interval: 3, timeout: 3_000 });

export async function payload(one: LocalFunction, event: unknown): Promise<unknown> {
  const outcome = await one.invoke(event);
  if (outcome.status === 'error') expect.fail(JSON.stringify(outcome.error));
  return JSON.parse(outcome.payload);
}

/** What a streaming handler wrote, chunk by chunk, and how it ended. */
export async function stream(one: LocalFunction, rawPath: string, query: Record<string, string> = {}) {
  const chunks: { text: string; contentType: string; at: number }[] = [];
  const outcome = await one.invokeStream({ rawPath, queryStringParameters: query }, (bytes, contentType) => {
    chunks.push({ text: Buffer.from(bytes).toString(), contentType, at: performance.now() });
  });
  return { outcome, chunks, text: chunks.map((chunk) => chunk.text).join('') };
}
