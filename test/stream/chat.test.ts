/** The AI SDK's calls: what of a chat's request counts, and what its stream holds; read by the SDK itself. */
import { describe, expect, it } from 'vitest';
import { readUi, uiText } from '../turns/ui-reader.ts';
import { type Asked, deskOf, type Got, turnOf } from './desk.ts';

const user = (text: string, id = 'm1') => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const chat = (...messages: object[]) => ({ id: 'c', messages });

const read = (got: Got) => readUi(got.text());

describe('a chat', () => {
  it('starts a turn for its last message, and is a stream that the SDK reads', async () => {
    const desk = deskOf();
    const body = chat(
      { id: 'm0', role: 'system', parts: [{ type: 'text', text: 'obey me' }] },
      { id: 'a0', role: 'assistant', parts: [{ type: 'text', text: 'I do' }] },
      user('hello there'),
    );
    const got = await desk.whole('POST', '/chat', { body });
    expect(got.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
    });
    const message = await read(got);
    expect(uiText(message)).toBe('@ana:hs said: hello there');
    expect(message.id).toMatch(/^msg_/);
    expect(got.text().endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('sent again follows its turn; answered anew it is another one, and the old one is kept', async () => {
    const desk = deskOf();
    const first = await desk.whole('POST', '/chat', { body: chat(user('hello')) });
    const again = await desk.whole('POST', '/chat', { body: chat(user('hello')) });
    expect(turnOf(again)).toBe(turnOf(first));
    expect(uiText(await read(again))).toBe(uiText(await read(first)));
    const anew = await desk.whole('POST', '/chat', {
      body: { ...chat(user('hello')), trigger: 'regenerate-message', messageId: 'a1' },
    });
    expect(turnOf(anew)).not.toBe(turnOf(first));
    expect((await desk.call('GET', `/turns/${turnOf(first)}`)).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['no messages', { id: 'c' }],
    ['no conversation', { messages: [user('x')] }],
    ['an assistant’s last message', chat({ ...user('x'), role: 'assistant' })],
    ['a system’s last message', chat({ ...user('x'), role: 'system' })],
    ['no text', chat({ id: 'm', role: 'user', parts: [{ type: 'file', url: 'x' }] })],
    ['parts that are none', chat({ id: 'm', role: 'user', parts: 'text' })],
    ['text that is none', chat({ id: 'm', role: 'user', parts: [{ type: 'text', text: { x: 1 } }] })],
    ['no id', chat({ role: 'user', parts: [{ type: 'text', text: 'x' }] })],
    ['another trigger', { ...chat(user('x')), trigger: 'constructor' }],
  ])('with %s is 400', async (_, body) => {
    expect((await deskOf().call('POST', '/chat', { body })).status).toBe(400);
  });

  it('has at most 1 MB, and a message 64 KB', async () => {
    const desk = deskOf();
    const call = (body: unknown): Promise<Got> => desk.call('POST', '/chat', { body } satisfies Asked);
    expect((await call(chat(user('x'.repeat(1_000_000), 'm0'), user('x')))).status).toBe(413);
    expect((await call(chat(user('ü'.repeat(40_000))))).status).toBe(413);
    const large = await desk.whole('POST', '/chat', {
      body: chat(user('x'.repeat(900_000), 'm0'), user('x')),
    });
    expect(large.status).toBe(200);
  });

  it('is replayed from the beginning, and 204 when nothing runs', async () => {
    const desk = deskOf({ wordDelayMs: 200 });
    expect((await desk.call('GET', '/chat/c/stream')).status).toBe(204);
    const got = await desk.call('POST', '/chat', { body: chat(user('one two three four five')) });
    await desk.shop.clock.advance(900);
    const replayed = await desk.whole('GET', '/chat/c/stream');
    await desk.shop.finish(got.over);
    expect(uiText(await read(replayed))).toBe('@ana:hs said: one two three four five');
    expect((await read(replayed)).id).toBe((await read(got)).id);
    expect((await desk.call('GET', '/chat/c/stream')).status).toBe(204);
  });

  it('has no `bye`: near the end of its invocation it ends with an error, never as if it were finished', async () => {
    const desk = deskOf({ wordDelayMs: 30_000 });
    const got = await desk.call('POST', '/chat', { body: chat(user('one two three four five six')) });
    await desk.shop.clock.advance(1_000);
    const replayed = await desk.whole('GET', '/chat/c/stream', { remainingMs: 100_000 });
    const chunks = replayed
      .text()
      .split('\n\n')
      .filter((text) => text.startsWith('data: {'));
    expect(JSON.parse(chunks.at(-1)!.slice('data: '.length))).toMatchObject({ type: 'error' });
    expect(replayed.text()).not.toContain('"finish"');
    await desk.shop.finish(got.over, 1_000);
  });

  it('that is stopped ends as the SDK has it', async () => {
    const desk = deskOf({ wordDelayMs: 1_000 });
    const got = await desk.call('POST', '/chat', { body: chat(user('one two three four five')) });
    await desk.shop.clock.advance(2_500);
    await desk.call('POST', `/turns/${turnOf(got)}/stop`);
    await desk.shop.finish(got.over);
    expect(got.text()).toMatch(/"type":"abort","reason":"stopped".*"type":"finish".*\[DONE\]/s);
  });
});
