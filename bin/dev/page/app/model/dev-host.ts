/** What the page asks of the dev host itself, in plain requests. An answer that is no good is a `DevHostError` in words. */
import type { Message, People, Person, Room, Rooms, Timeline } from '../../shown.ts';

export class DevHostError extends Error {
  override readonly name = 'DevHostError';
}

export const UNREACHABLE = 'The dev host does not answer. Trying again …';

export const people = async (): Promise<readonly Person[]> => (await ask<People>('/dev/page/people')).people;

export const rooms = async (as: string): Promise<readonly Room[]> =>
  (await ask<Rooms>(`${pathOf(as)}/rooms`)).rooms;

export const messages = async (as: string, room: string, signal: AbortSignal): Promise<readonly Message[]> =>
  (await ask<Timeline>(`${pathOf(as)}/rooms/${encodeURIComponent(room)}`, { signal })).messages;

/** Resolves when the gate has decided. */
export const say = (as: string, room: string, text: string): Promise<{ readonly event: string }> =>
  ask('/dev/say', { method: 'POST', body: JSON.stringify({ as, room, text }) });

export const openIdToken = async (as: string): Promise<unknown> =>
  (await ask<{ openid: unknown }>(`${pathOf(as)}/openid`, { method: 'POST' })).openid;

const pathOf = (as: string) => `/dev/page/people/${encodeURIComponent(as)}`;

async function ask<T>(path: string, request?: RequestInit): Promise<T> {
  const response = await fetch(path, request).catch((error: unknown) => {
    throw request?.signal?.aborted ? error : new DevHostError(UNREACHABLE);
  });
  const answer = (await response.json().catch(() => ({}))) as T & { error?: string };
  if (response.ok) return answer;
  throw new DevHostError(answer.error ?? `The dev host answered ${response.status}.`);
}
