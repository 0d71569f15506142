/** A person's session: opened once for all who need it, and anew when it is refused, about to end, or never came. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sessionOf } from '../../../../../bin/dev/page/app/model/session.ts';

const MINUTES = 60_000;
let opened: number;
let isDown: boolean;

beforeEach(() => {
  opened = 0;
  isDown = false;
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  vi.stubGlobal('fetch', async (path: string) => {
    if (isDown) throw new TypeError('no network');
    if (path === '/dev/page/people/alice/openid') return Response.json({ openid: {} });
    if (path !== '/session') return Response.json({}, { status: 404 });
    const session = `session ${++opened}`;
    return Response.json({ session, expires: Date.now() + 15 * MINUTES });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('is one for all who ask at once', async () => {
  const token = sessionOf('alice');
  const all = await Promise.all([token(), token(), token()]);
  expect(all).toEqual(['session 1', 'session 1', 'session 1']);
  expect(await token()).toBe('session 1');
});

it('is another, once, for all whose session was refused', async () => {
  const token = sessionOf('alice');
  const first = await token();
  expect(await Promise.all([token(first), token(first)])).toEqual(['session 2', 'session 2']);
  expect(await token(first)).toBe('session 2');
});

it('is another half a minute before it ends', async () => {
  const token = sessionOf('alice');
  await token();
  vi.setSystemTime(14 * MINUTES);
  expect(await token()).toBe('session 1');
  vi.setSystemTime(14.6 * MINUTES);
  expect(await token()).toBe('session 2');
});

it('is asked for again after a failure', async () => {
  const token = sessionOf('alice');
  isDown = true;
  await expect(token()).rejects.toThrow('does not answer');
  isDown = false;
  expect(await token()).toBe('session 1');
});
