/** The transport for `useChat` with the server's own routes; what it streams is read by the SDK itself. */
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { describe, expect, it } from 'vitest';
import { manuscript } from '../../functions/agent/manuscript.ts';
import { createChatTransport } from '../../functions/client/ai-sdk.ts';
import { messageId as messageIdHere } from '../../functions/client/message-id.ts';
import type { WhenBusy } from '../../functions/client/wire.ts';
import { messageId } from '../../functions/turns/ids.ts';
import { deskOf } from '../stream/desk.ts';
import { uiText } from '../turns/ui-reader.ts';
import { servedBy } from './served.ts';

const text = manuscript(60, 'words');
const said = (words: string, id = 'm1', role: 'user' | 'assistant' = 'user'): UIMessage => ({
  id,
  role,
  parts: [{ type: 'text', text: words }],
});

function open(whenBusy?: WhenBusy) {
  const desk = deskOf({ wordDelayMs: 50 });
  const served = servedBy(desk);
  const transport = createChatTransport({
    url: 'http://streams.example',
    token: served.tokenOf(),
    platform: served.platform,
    ...(whenBusy && { whenBusy }),
  });
  const send = (message: UIMessage, abortSignal?: AbortSignal, trigger: Trigger = 'submit-message') =>
    transport.sendMessages({ trigger, chatId: 'c', messageId: undefined, messages: [message], abortSignal });
  const resume = (signal?: AbortSignal) =>
    transport.reconnectToStream({ chatId: 'c', ...(signal && { abortSignal: signal }) });
  const { finish } = served;
  /** The turns there are. */
  const turns = () => desk.shop.turns.all().filter(({ sk }) => sk === 'HEAD');
  const statuses = () => turns().map(({ st }) => st);
  return { served, send, resume, finish, turns, statuses };
}
type Trigger = 'submit-message' | 'regenerate-message';

async function read(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  return last!;
}

async function typesOf(stream: ReadableStream<UIMessageChunk>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) if (types.at(-1) !== type) types.push(type);
  return types;
}

describe('a message', () => {
  it('is answered by a turn, under the id that the server gives its answer', async () => {
    const { send, finish, served, turns } = open();
    const message = await finish(send(said('write 60 words')).then(read));
    expect(uiText(message)).toBe(text);
    expect(message.id).toBe(messageId(turns()[0]!.pk));
    expect(served.open()).toBe(0);
  });

  it('is answered whole over a network that is cut again and again', async () => {
    const { send, finish, served } = open();
    const whole = send(said('write 60 words')).then(read);
    for (let n = 0; n < 5; n++) {
      await served.until(() => served.open() > 0);
      await served.advance(100);
      served.cut();
    }
    expect(uiText(await finish(whole))).toBe(text);
    expect(served.asked).toHaveLength(1 + 5);
  });

  it('that is sent again follows its turn, and one to be answered anew is another', async () => {
    const { send, finish, statuses } = open();
    const [first, again] = [
      await finish(send(said('write 5 words')).then(read)),
      await finish(send(said('write 5 words')).then(read)),
    ];
    expect(again).toEqual(first);
    const anew = await finish(send(said('write 5 words'), undefined, 'regenerate-message').then(read));
    expect(anew.id).not.toBe(first.id);
    expect(statuses()).toHaveLength(2);
  });

  it('in a busy conversation is refused, or waits if it is to', async () => {
    const { send, finish } = open();
    const first = await finish(send(said('write 60 words')));
    await expect(finish(send(said('me too', 'm2')))).rejects.toMatchObject({ status: 409, code: 'busy' });
    await finish(read(first));
    const other = open('interrupt');
    const cut = await other.finish(other.send(said('write 60 words')));
    const types = typesOf(cut);
    await other.finish(other.send(said('write 5 words', 'm2')).then(read));
    expect((await other.finish(types)).slice(-2)).toEqual(['abort', 'finish']);
  });

  it('must be the user’s', async () => {
    await expect(open().send(said('hello', 'm1', 'assistant'))).rejects.toThrow(TypeError);
  });
});

describe('a stop', () => {
  it('stops the turn on the server, and the stream says so', async () => {
    const { send, finish, statuses, served } = open();
    const stop = new AbortController();
    const types = typesOf(await finish(send(said('count to 60'), stop.signal)));
    await served.advance(2_000);
    stop.abort();
    expect((await finish(types)).slice(-2)).toEqual(['abort', 'finish']);
    expect(statuses()).toEqual(['x']);
  });

  it('before there was an answer is heard at once, and done when the server can be reached', async () => {
    const { send, statuses, served } = open();
    served.away = true;
    const stop = new AbortController();
    const sent = send(said('count to 60'), stop.signal).catch((error: unknown) => error);
    await served.advance(1_000);
    stop.abort();
    expect(await sent).toMatchObject({ name: 'AbortError' });
    served.away = false;
    await served.advance(10_000);
    expect(statuses()).toEqual(['x']);
  });

  it('is not what a stream that is no longer read means', async () => {
    const { send, finish, statuses, served } = open();
    const stream = await finish(send(said('count to 20')));
    await served.advance(2_000);
    await stream.cancel();
    await served.until(() => served.open() === 0);
    expect(statuses()).toEqual(['r']);
    await served.advance(30_000);
    expect(statuses()).toEqual(['c']);
    expect(served.asked).toEqual(['POST /turns']);
  });
});

describe('a reconnection', () => {
  it('finds nothing where nothing runs', async () => {
    const { resume, finish } = open();
    expect(await finish(resume())).toBeNull();
  });

  it('shows the running turn from its beginning', async () => {
    const { send, resume, finish, served } = open();
    const first = await finish(send(said('write 60 words')));
    await served.advance(1_000);
    const second = await finish(resume());
    const [one, other] = await finish(Promise.all([read(first), read(second!)]));
    expect(other).toEqual(one);
    expect(uiText(one)).toBe(text);
  });

  it('that is stopped stops the turn, but not when another takes its place or it had not begun', async () => {
    const { send, resume, finish, statuses, served } = open();
    await finish(send(said('count to 60')));
    const [early, first, second] = [new AbortController(), new AbortController(), new AbortController()];
    const none = resume(early.signal);
    early.abort();
    expect(await finish(none)).toBeNull();
    const older = await finish(resume(first.signal));
    // As the SDK does it: the one before is aborted, and the next begins at once.
    first.abort();
    const newer = resume(second.signal);
    await older!.cancel();
    const types = typesOf((await finish(newer))!);
    await served.advance(3_000);
    expect(statuses()).toEqual(['r']);
    second.abort();
    expect((await finish(types)).at(-1)).toBe('finish');
    expect(statuses()).toEqual(['x']);
  });
});

it('the id of an answer is the server’s', async () => {
  for (const turn of ['Zm9vYmFyYmF6cXV4MTIzNA', 'a', '_-'.repeat(11)])
    expect(await messageIdHere(turn)).toBe(messageId(turn));
});
