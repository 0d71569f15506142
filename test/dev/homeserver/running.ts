/** A homeserver and a service for it on loopback ports, under a virtual clock, and calls to its API. */
import {
  type Homeserver,
  type HomeserverOptions,
  startHomeserver,
} from '../../../bin/dev/homeserver/homeserver.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { alice, bob, populate, registration, serverName } from './small-world.ts';
import { seededRandom, type VirtualClock, virtualClock } from './virtual-clock.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are whatever the test expects of them
  readonly json: any;
};

export type Running = {
  readonly homeserver: Homeserver;
  readonly receiver: Receiver;
  readonly clock: VirtualClock;
  readonly tokens: { readonly alice: string; readonly bob: string; readonly bot: string };
  call(token: string | undefined, method: string, path: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
};

export async function start(options: Partial<HomeserverOptions> = {}): Promise<Running> {
  const receiver = await startReceiver();
  const clock = virtualClock();
  const homeserver = await startHomeserver({
    serverName,
    clock,
    random: seededRandom(),
    ...options,
    registration: { ...registration, ...options.registration, url: receiver.url },
  }).catch(async (error) => {
    await receiver.stop();
    throw error;
  });
  populate(homeserver.world);
  return {
    homeserver,
    receiver,
    clock,
    tokens: {
      alice: homeserver.world.tokenOf(alice).access_token,
      bob: homeserver.world.tokenOf(bob).access_token,
      bot: registration.as_token,
    },
    async call(token, method, path, body) {
      const isText = typeof body === 'string';
      const response = await fetch(`${homeserver.url}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': isText ? 'text/plain' : 'application/json' }),
        },
        body: body === undefined ? null : isText ? body : JSON.stringify(body),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type') === 'application/json';
      return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text };
    },
    async stop() {
      await homeserver.stop();
      await receiver.stop();
    },
  };
}

export const client = '/_matrix/client/v3';
export const e = encodeURIComponent;
