/**
 * An agent of one's own at its smallest, whatever carries it: each word of the message is a step, and a takeover goes on
 * behind the last one that was finished. A message that begins with "at once" is answered without steps.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export type Request = {
  readonly attempt: number;
  readonly input: { readonly messages: readonly { readonly text: string }[] };
  readonly steps: readonly { readonly type: string }[];
};

const AT_ONCE = /^at once /;

/** The lines of the answer; `thinking` is how long each word takes, ms. */
export async function* answerTo(
  { attempt, input, steps }: Request,
  thinking: number,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const text = input.messages.at(-1)!.text;
  const words = text.replace(AT_ONCE, '').split(/\s+/);
  const finished = steps.filter(({ type }) => type === 'step-end').length;
  if (!AT_ONCE.test(text)) yield line({ type: 'start', resumable: true });
  for (const [index, word] of words.entries()) {
    if (index < finished) continue;
    yield line({ type: 'step-start' });
    yield line({ type: 'text', part: index, text: `Attempt ${attempt}: ` });
    await sleep(thinking, undefined, { signal });
    yield line({ type: 'text', part: index, text: word });
    const usage = { inputTokens: text.length, outputTokens: word.length };
    yield line({ type: 'step-end', last: index === words.length - 1, usage });
  }
}

const line = (event: object): string => `${JSON.stringify(event)}\n`;
