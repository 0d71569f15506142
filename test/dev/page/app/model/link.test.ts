/** The network as a turn sees it: dropped in the middle, given back, and left for good. */
import { expect, it, vi } from 'vitest';
import { createLink, type LinkState } from '../../../../../bin/dev/page/app/model/link.ts';

/** Answers when told to, and breaks as `fetch` does when its signal aborts. */
function network() {
  const asked: { answer(): void; isBroken(): boolean }[] = [];
  const send = ((_: unknown, init?: RequestInit) =>
    new Promise<Response>((resolve, reject) => {
      const signal = init!.signal!;
      signal.addEventListener('abort', () => reject(signal.reason));
      asked.push({ answer: () => resolve(new Response('')), isBroken: () => signal.aborted });
    })) as typeof fetch;
  return { asked, send };
}

function linked() {
  const { asked, send } = network();
  const states: LinkState[] = [];
  const link = createLink(send, () => states.push(link.state()));
  return { asked, link, states };
}

it('lets everything through until it is dropped', async () => {
  const { asked, link, states } = linked();
  const answered = link.fetch('/turns');
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]!.answer();
  expect((await answered).status).toBe(200);
  expect(states).toEqual(['connected']);
});

it('breaks what is under way when it is dropped, also an answer that streams', async () => {
  const { asked, link, states } = linked();
  const [streaming, asking] = [link.fetch('/a'), link.fetch('/b')];
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  asked[0]!.answer();
  await streaming;
  link.drop();
  await expect(asking).rejects.toThrow();
  expect(asked.map((one) => one.isBroken())).toEqual([true, true]);
  expect(states).toEqual(['connected', 'dropped']);
});

it('lets who asks meanwhile wait, and asks at once when it is given back', async () => {
  const { asked, link, states } = linked();
  link.drop();
  link.drop();
  const answered = link.fetch('/turns');
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toHaveLength(0);
  link.resume();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  asked[0]!.answer();
  await answered;
  expect(states).toEqual(['dropped', 'connecting', 'connected']);
});

it('lets who waits go when they give up', async () => {
  const { asked, link } = linked();
  link.drop();
  const left = new AbortController();
  const answered = link.fetch('/turns', { signal: left.signal });
  left.abort();
  await expect(answered).rejects.toThrow();
  await expect(link.fetch('/turns', { signal: left.signal })).rejects.toThrow();
  expect(asked).toHaveLength(0);
});
