/**
 * A conversation over HTTP, as an app has one: each message starts a turn by `POST /turns`, shown live. The server knows a
 * turn's answer but not who asked what in which order, so the page keeps its own words, for all its tabs. A start whose
 * turn was not heard of is made again under its own key, which follows the first.
 */
import { TurnpikeError } from '../../../../../functions/client/client.ts';
import { type Conversation, type ConversationView, type Item, withTurn } from './conversation.ts';
import { createReplies } from './replies.ts';
import type { Reply, ReplyDeps } from './reply.ts';
import { createStore } from './store.ts';

type Entry = {
  /** The idempotency key. */
  readonly key: string;
  readonly text: string;
  readonly at: number;
  readonly turn?: string;
};

const MAX_ENTRIES = 30;

export type ChatOptions = {
  readonly as: string;
  readonly user: string;
  /** The conversation's name. */
  readonly name: string;
  readonly turn?: string | undefined;
};

export function openChat(deps: ReplyDeps, { as, user, name, turn }: ChatOptions): Conversation {
  const left = new AbortController();
  const store = createStore<ConversationView>({ announced: '' });
  const show = (change: Partial<ConversationView>) => store.set({ ...store.get(), ...change });
  const replies = createReplies(deps, (announced) => show({ announced }));
  const kept = `turnpike chat ${as} ${name}`;
  /** What other tabs start is followed once its turn is known. */
  const own = new Set<string>();

  const read = (): Entry[] => JSON.parse(localStorage.getItem(kept) ?? '[]') as Entry[];
  const write = (entries: readonly Entry[]) =>
    localStorage.setItem(kept, JSON.stringify(entries.slice(-MAX_ENTRIES)));

  function replyTo(entry: Entry, isNew: boolean): Reply | undefined {
    const { key, text, turn } = entry;
    if (turn !== undefined) return replies.open(key, { turn }, isNew);
    if (!own.has(key)) return undefined;
    const start = { conversation: name, text, idempotencyKey: key, whenBusy: 'enqueue' } as const;
    const reply = replies.open(key, start, isNew);
    const off = reply.subscribe(() => {
      const { turn } = reply.get();
      if (turn === undefined) return;
      off();
      write(read().map((one) => (one.key === key ? { ...one, turn } : one)));
    });
    return reply;
  }

  function refresh(isNew: boolean): void {
    const items = read().map((entry): Item => {
      const { key, text, at } = entry;
      const reply = replyTo(entry, isNew);
      return {
        kind: 'message',
        key,
        sender: user,
        text,
        at,
        gate: 'none',
        inRoom: 0,
        ...(reply && { reply }),
      };
    });
    show({ items: withTurn(items, turn, (turn) => replies.open(turn, { turn }, false)) });
  }

  /** A host that was started anew knows nothing of them. */
  async function dropForgotten(): Promise<void> {
    const known = await Promise.all(
      read().map(async (entry) => {
        if (entry.turn === undefined) return true;
        const status = deps.client.status(entry.turn);
        return status
          .then(() => true)
          .catch((error) => !(error instanceof TurnpikeError && error.status === 404));
      }),
    );
    write(read().filter((_, index) => known[index] ?? true));
  }

  async function begin(): Promise<void> {
    await dropForgotten();
    if (left.signal.aborted) return;
    for (const { key, turn } of read()) if (turn === undefined) own.add(key);
    refresh(false);
    addEventListener('storage', ({ key }) => key === kept && refresh(true), { signal: left.signal });
  }

  void begin();
  return {
    ...store,
    async send(text) {
      const key = crypto.randomUUID();
      own.add(key);
      write([...read(), { key, text, at: Date.now() }]);
      refresh(true);
    },
    close() {
      left.abort();
      replies.close();
    },
  };
}
