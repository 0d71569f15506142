/**
 * `turnpike/ai-sdk`: a `ChatTransport` for `useChat` (AI SDK, `ai` v7) over the cursor protocol. Unlike the transport of
 * the SDK it reconnects by itself in mid-turn, and its abort signal stops the turn on the server. `useChat` aborts also
 * when its component goes away: a turn that is to outlive it needs a `Chat` made outside of the component.
 */
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import { type Chunks, createChunks } from '../turns/ui-chunks.ts';
import { type ClientOptions, createClient } from './client.ts';
import { messageId } from './message-id.ts';
import type { Turn } from './turn.ts';
import type { Line, WhenBusy } from './wire.ts';

export type ChatTransportOptions = ClientOptions & { readonly whenBusy?: WhenBusy };

export function createChatTransport<Message extends UIMessage = UIMessage>(
  options: ChatTransportOptions,
): ChatTransport<Message> {
  const client = createClient(options);
  const { whenBusy } = options;
  let newest: { readonly chatId: string } | undefined;

  return {
    // A turn is shown again from its beginning.
    resumeStreamIsReplay: true,

    async sendMessages({ trigger, chatId, messages, abortSignal }) {
      const last = messages.at(-1);
      if (last?.role !== 'user') throw new TypeError("the last message must be the user's");
      const left = new AbortController();
      const turn = client.start({
        conversation: chatId,
        text: last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
        // A message that is sent again follows its turn; one that is to be answered anew is another turn.
        ...(trigger === 'submit-message' && { idempotencyKey: last.id }),
        ...(whenBusy && { whenBusy }),
        signal: left.signal,
      });
      const aborted = onAbort(turn, abortSignal, () => stop(turn));
      const stream = chunksOf(turn, left);
      // Who stops before there is an answer does not wait for it; the turn is stopped as soon as its id is known.
      await Promise.race([turn.id, aborted]);
      return stream;
    },

    async reconnectToStream({ chatId, abortSignal }) {
      const own = { chatId };
      newest = own;
      const [running] = await client.list(chatId);
      if (!running || abortSignal?.aborted) return null;
      const left = new AbortController();
      const turn = client.follow(running.turn, { signal: left.signal });
      onAbort(turn, abortSignal, async () => {
        // The SDK aborts a resume also for a newer one of the same chat, which has begun by then. That is no stop.
        await Promise.resolve();
        if (newest === own || newest?.chatId !== chatId) await stop(turn);
      }).catch(() => undefined);
      return chunksOf(turn, left);
    },
  };
}

/** Comes too late, or to nobody: no error of the chat. */
const stop = (turn: Turn): Promise<void> => turn.stop().catch(() => undefined);

/** Calls back when the signal aborts before the turn is over; rejects then, and only then. */
function onAbort(turn: Turn, signal: AbortSignal | undefined, then: () => Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    const aborted = () => {
      void then();
      reject(signal!.reason);
    };
    if (signal?.aborted) return aborted();
    signal?.addEventListener('abort', aborted, { once: true });
    const over = () => signal?.removeEventListener('abort', aborted);
    turn.done.then(over, over);
  });
}

/** The turn's lines as chunks, from now on; who cancels it follows no more. */
function chunksOf(turn: Turn, left: AbortController): ReadableStream<UIMessageChunk> {
  let off = () => {};
  const lines = new ReadableStream<Line>({
    start(controller) {
      off = turn.onEvent((line) => controller.enqueue(line));
      turn.done.then(() => controller.close()).catch((error: unknown) => controller.error(error));
    },
    cancel() {
      off();
      left.abort();
    },
  });
  let chunks: Chunks;
  return lines.pipeThrough(
    new TransformStream<Line, UIMessageChunk>({
      async start() {
        chunks = createChunks(await messageId(await turn.id));
      },
      transform(line, controller) {
        for (const chunk of chunks(line)) controller.enqueue(chunk as UIMessageChunk);
      },
    }),
  );
}
