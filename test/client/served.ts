/** A client whose network is a call of the stream function's own routes, under virtual time. */
import type { Platform } from '../../functions/client/platform.ts';
import type { Answer, Out, StreamRequest } from '../../functions/stream/ports.ts';
import { answer } from '../../functions/stream/route.ts';
import type { deskOf } from '../stream/desk.ts';
import { ANA } from '../work/people.ts';

export type Served = {
  readonly platform: Platform;
  /** The session of Ana's, or another's. */
  token(user?: string): Promise<string>;
  /** `method path` of every request. */
  readonly asked: string[];
  /** Streams that are open now. */
  open(): number;
  /** Breaks every stream that is open now. */
  cut(): void;
  /** No request arrives while it is. */
  away: boolean;
};

export function servedBy(desk: ReturnType<typeof deskOf>): Served {
  const { clock } = desk.shop;
  const asked: string[] = [];
  const breaking = new Set<() => void>();
  let keys = 0;

  function streamed({ headers, run }: Extract<Answer, { kind: 'stream' }>): Response {
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
    token: (user = ANA) => desk.gate.sessionOf(user),
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
        const answered = await answer(desk.deps, request);
        if (answered.kind === 'stream') return streamed(answered);
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
