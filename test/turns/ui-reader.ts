/** A UI message stream as the AI SDK itself reads it: every chunk against its schema, then the message it makes of them. */
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';

class Reader extends DefaultChatTransport<UIMessage> {
  chunks(text: string): ReadableStream<UIMessageChunk> {
    return this.processResponseStream(new Response(text).body!);
  }
}

/** Rejects at a chunk that the SDK doesn't know, or that says `error`. */
export async function readUi(text: string): Promise<UIMessage> {
  let last: UIMessage | undefined;
  const stream = new Reader({}).chunks(text);
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
  return last!;
}

export const uiText = ({ parts }: UIMessage): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
