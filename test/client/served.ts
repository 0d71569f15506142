/** A client whose network is a call of the stream function's own routes, under virtual time. */
import { setImmediate } from 'node:timers/promises';
import type { Platform } from '../../functions/client/platform.ts';
import type { Answer, Out, StreamRequest } from '../../functions/stream/ports.ts';
import { answer } from '../../functions/stream/route.ts';
import { settled } from '../dev/homeserver/virtual-clock.ts';
import type { deskOf } from '../stream/desk.ts';
import { ANA } from '../work/people.ts';

export type Served = {
  readonly platform: Platform;
  /** Where the session of Ana's, or another's, comes from. */
  tokenOf(user?: string): (refused?: string) => Promise<string>;
  /** `method path` of every request. */
  readonly asked: string[];
  /** Streams that are open now. */
  open(): number;
  /** Breaks every stream that is open now. */
  cut(): void;
  /** No request arrives while it is. */
  away: boolean;
  /** Lets time go by, but not while a request is on its way: signatures are checked in real time. */
  advance(ms: number, stepMs?: number): Promise<void>;
  until(holds: () => boolean): Promise<void>;
  finish<T>(one: Promise<T>): Promise<T>;
};

const STEP_MS = 10;
/** A request may itself wait for time to go by. */
const PATIENCE = 50;

export function servedBy(desk: ReturnType<typeof deskOf>): Served {
  const { clock } = desk.shop;
  const asked: string[] = [];
  const breaking = new Set<() => void>();
  let [keys, asking] = [0, 0];

  function streamed(
    { headers, run }: Extract<Answer, { kind: 'stream' }>,
    signal: AbortSignal | null | undefined,
  ): Response {
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    let gone = false;
    const over = (how: () => void) => () => {
      if (!gone) how();
      gone = true;
      breaking.delete(cut);
    };
    const cut = over(() => controller.error(new TypeError('cut')));
    const body = new ReadableStream<Uint8Array>({
      start(made) {
        controller = made;
      },
      cancel: over(() => undefined),
    });
    breaking.add(cut);
    signal?.addEventListener('abort', cut);
    const out: Out = {
      write: (text) => !gone && controller.enqueue(new TextEncoder().encode(text)),
      waiting: () => 0,
      drained: async () => undefined,
      gone: () => gone,
    };
    void run(out).then(over(() => controller.close()));
    return new Response(body, { headers });
  }

  const served: Served = {
    asked,
    away: false,
    open: () => breaking.size,
    cut() {
      for (const one of [...breaking]) one();
    },
    tokenOf(user = ANA) {
      let session: string | undefined;
      return async (refused) => {
        if (session === undefined || session === refused) session = await desk.gate.sessionOf(user);
        return session;
      };
    },
    async advance(ms, stepMs = STEP_MS) {
      const end = clock.monotonic() + ms;
      while (clock.monotonic() < end) {
        await clock.advance(stepMs);
        for (let n = 0; asking > 0 && n < PATIENCE; n++) await setImmediate();
      }
    },
    async until(holds) {
      for (let steps = 0; !holds(); steps++) {
        if (steps > 100_000) throw new Error('it never came true');
        await served.advance(STEP_MS);
      }
    },
    async finish(one) {
      let over = false;
      const end = () => {
        over = true;
      };
      one.then(end, end);
      await settled();
      await served.until(() => over);
      return one;
    },
    platform: {
      async fetch(input, init = {}) {
        init.signal?.throwIfAborted();
        const { pathname, searchParams } = new URL(String(input));
        asked.push(`${init.method} ${pathname}`);
        if (served.away) throw new TypeError('no network');
        const request: StreamRequest = {
          method: init.method!,
          path: pathname,
          query: searchParams,
          headers: Object.fromEntries(new Headers(init.headers)),
          body: () => String(init.body ?? ''),
          address: '10.0.0.1',
          invocation: desk.shop.invocation(),
        };
        asking++;
        const answered = await answer(desk.deps, request);
        asking--;
        if (answered.kind === 'stream') return streamed(answered, init.signal);
        const { status, headers = {} } = answered;
        return answered.kind === 'json'
          ? Response.json(answered.body, { status, headers })
          : new Response(null, { status, headers });
      },
      sleep: clock.sleep,
      random: () => 0.5,
      now: clock.monotonic,
      key: () => `key${keys++}`,
    },
  };
  return served;
}
