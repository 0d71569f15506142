/**
 * `turnpike/ai-sdk`: a `ChatTransport` for `useChat` (AI SDK, `ai` v7) over the cursor protocol. Unlike the transport of
 * the SDK it reconnects by itself in mid-turn, and stopping stops the turn on the server.
 */
import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import { createChunks } from '../turns/ui-chunks.ts';
import { type ClientOptions, createClient } from './client.ts';
import type { Turn } from './turn.ts';
import type { WhenBusy } from './wire.ts';

export type ChatTransportOptions = ClientOptions & { readonly whenBusy?: WhenBusy };

export function createChatTransport<Message extends UIMessage = UIMessage>(
  options: ChatTransportOptions,
): ChatTransport<Message> {
  const client = createClient(options);
  return {
    // A turn is shown again from its beginning.
    resumeStreamIsReplay: true,
    async sendMessages({ trigger, chatId, messages, abortSignal }) {
      const last = messages.at(-1);
      if (last?.role !== 'user') throw new TypeError("the last message must be the user's");
      const text = last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      const { whenBusy } = options;
      const turn = client.start({
        conversation: chatId,
        text,
        // A message that is sent again follows its turn; one that is to be answered anew is another turn.
        ...(trigger === 'submit-message' && { idempotencyKey: last.id }),
        ...(whenBusy && { whenBusy }),
      });
      return chunksOf(turn, await turn.id, abortSignal);
    },
    async reconnectToStream({ chatId }) {
      const [running] = await client.list(chatId);
      return running ? chunksOf(client.follow(running.turn), running.turn) : null;
    },
  };
}

function chunksOf(turn: Turn, id: string, stop?: AbortSignal): ReadableStream<UIMessageChunk> {
  const chunks = createChunks(`turn_${id}`);
  const stopTurn = () => void turn.stop().catch(() => undefined);
  if (stop?.aborted) stopTurn();
  stop?.addEventListener('abort', stopTurn, { once: true });
  return new ReadableStream({
    start(controller) {
      turn.onEvent((line) => {
        for (const chunk of chunks(line)) controller.enqueue(chunk as UIMessageChunk);
      });
      turn.done
        .then(
          () => controller.close(),
          (error: unknown) => controller.error(error),
        )
        .finally(() => stop?.removeEventListener('abort', stopTurn));
    },
  });
}
