/** The stream function's routes over a shop: requests in, answers and what their clients see out, under virtual time. */

import { isJoined, mayRedact } from '../../functions/matrix/membership.ts';
import type { StreamDeps, StreamRequest } from '../../functions/stream/ports.ts';
import { answer } from '../../functions/stream/route.ts';
import { accessGate, ORIGIN } from '../access/gate.ts';
import { matrixOver } from '../fakes/matrix.ts';
import { ANA } from '../work/people.ts';
import { Shop, type ShopOptions } from '../work/shop.ts';
import { type Client, clientOf } from './out.ts';

export type Asked = {
  readonly as?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remainingMs?: number;
  readonly client?: Client;
};

export type Got = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a JSON answer. */
  readonly json: Record<string, unknown>;
  /** Of a stream, as far as it has come. */
  text(): string;
  lines(): Record<string, unknown>[];
  /** Resolves when all work of the request is done. */
  readonly over: Promise<void>;
};

export function deskOf(options: ShopOptions = {}) {
  const shop = new Shop(options);
  const gate = accessGate({ clock: shop.clock, principalOf: (user) => user });
  const failures: unknown[] = [];
  const matrix = matrixOver(shop.rooms, undefined, () => shop.away);
  const deps: StreamDeps = {
    access: gate.deps,
    work: shop.work,
    mayFollow: (user, room) => isJoined(matrix, room, user),
    mayStop: (user, room) => mayRedact(matrix, room, user),
    startsPerMinute: 30,
    keepS: 1e6,
    fail: (error) => void failures.push(error),
  };
  const sessions = new Map<string, string>();

  async function sessionOf(user: string): Promise<string> {
    const known = sessions.get(user) ?? (await gate.sessionOf(user));
    sessions.set(user, known);
    return known;
  }

  /** `path` with its query. `as` is whose session it carries; undefined for none. */
  async function call(method: string, path: string, asked: Asked = {}): Promise<Got> {
    const { body, headers = {}, remainingMs = 900_000, client = clientOf(shop.clock) } = asked;
    const as = 'as' in asked ? asked.as : ANA;
    const session = as === undefined ? undefined : await sessionOf(as);
    const [rawPath, query = ''] = path.split('?') as [string, string?];
    const request: StreamRequest = {
      method,
      path: rawPath,
      query: new URLSearchParams(query),
      headers: {
        ...(session !== undefined && { authorization: `Bearer ${session}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: () => (typeof body === 'string' ? body : JSON.stringify(body ?? '')),
      address: '10.0.0.1',
      invocation: shop.invocation(remainingMs),
    };
    const answered = await inRealTime(shop, answer(deps, request));
    const isStream = answered.kind === 'stream';
    const over = isStream ? answered.run(client) : Promise.resolve();
    return {
      status: isStream ? 200 : answered.status,
      headers: answered.headers ?? {},
      json: (answered.kind === 'json' ? answered.body : {}) as Record<string, unknown>,
      text: client.text,
      lines: () =>
        client
          .text()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      over,
    };
  }

  return {
    shop,
    gate,
    deps,
    failures,
    call,
    /** The same, to the end of its stream. */
    async whole(method: string, path: string, asked?: Asked): Promise<Got> {
      const got = await call(method, path, asked);
      await shop.finish(got.over, 5);
      return got;
    },
    start: (text: string, more: object = {}, asked: Asked = {}) =>
      call('POST', '/turns', { body: { conversation: 'c', text, ...more }, ...asked }),
    ORIGIN,
  };
}

/** Signatures take real time, in which no other should go by: a step of the shop's time is at least a moment of it. */
async function inRealTime<T>(shop: Shop, working: Promise<T>): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  working.then(end, end);
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (!over) await shop.clock.advance(1);
  }
  return working;
}

export const turnOf = ({ headers }: Got): string => headers['x-turnpike-turn']!;
