/**
 * A Matrix room as one of its members sees it. The page asks for the room every second while it is looked at; replies
 * don't wait for that: they are followed from the decision on.
 */
import type { Message } from '../../shown.ts';
import { type Conversation, type ConversationView, type Item, withTurn } from './conversation.ts';
import { messages, say } from './dev-host.ts';
import { createReplies } from './replies.ts';
import type { ReplyDeps } from './reply.ts';
import { createStore } from './store.ts';
import { reasonWords } from './words.ts';

const EVERY_MS = 1_000;

export type RoomOptions = {
  readonly as: string;
  /** The user id of whom the page is signed in as. */
  readonly user: string;
  readonly room: string;
  /** A turn to show in any case. */
  readonly turn?: string | undefined;
};

export function openRoom(deps: ReplyDeps, { as, user, room, turn }: RoomOptions): Conversation {
  const left = new AbortController();
  const store = createStore<ConversationView>({ announced: '' });
  const show = (change: Partial<ConversationView>) => store.set({ ...store.get(), ...change });
  const announce = (announced: string) => show({ announced });
  const replies = createReplies(deps, announce);
  /** Events whose decision was shown. */
  const decided = new Set<string>();
  let shown = '';

  function itemOf(message: Message, said: readonly Message[], isFirst: boolean): Item {
    const { event: key, sender, text, at, decision } = message;
    const isNew = !isFirst && !decided.has(key);
    if (decision) decided.add(key);
    if (decision?.respond === false && isNew && sender === user)
      announce(`The agent stays silent: ${reasonWords(decision.reason)}`);
    const item = { kind: 'message', key, sender, text, at, gate: decision ?? 'deciding' } as const;
    if (decision?.turn === undefined) return { ...item, inRoom: 0 };
    const { turn } = decision;
    const inRoom = said.filter((one) => one.turn === turn).length;
    return { ...item, inRoom, reply: replies.open(turn, { turn }, isNew) };
  }

  function itemsOf(said: readonly Message[]): Item[] {
    const isFirst = store.get().items === undefined;
    const turns = new Set(said.flatMap(({ decision }) => decision?.turn ?? []));
    const items = said.flatMap((message): Item[] => {
      const { event: key, text, at } = message;
      if (message.turn === undefined) return [itemOf(message, said, isFirst)];
      // A reply is shown as it is followed; the room's copy of it is only counted.
      return turns.has(message.turn) ? [] : [{ kind: 'words', key, text, at }];
    });
    return withTurn(items, turn, (turn) => replies.open(turn, { turn }, false));
  }

  async function look(): Promise<void> {
    try {
      const said = await messages(as, room, left.signal);
      const fresh = JSON.stringify(said);
      const items = fresh === shown ? store.get().items : itemsOf(said);
      shown = fresh;
      const { problem, ...view } = store.get();
      if (items !== view.items || problem !== undefined) store.set({ ...view, ...(items && { items }) });
    } catch (error) {
      if (!left.signal.aborted) show({ problem: (error as Error).message });
    }
  }

  /** One look at a time, so that none shows what was before. */
  let looked = Promise.resolve();
  const refresh = () => {
    looked = looked.then(look);
    return looked;
  };

  async function watch(): Promise<void> {
    while (!left.signal.aborted) {
      if (document.visibilityState === 'visible') await refresh();
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  void watch();
  return {
    ...store,
    async send(text) {
      await say(as, room, text);
      await refresh();
    },
    close() {
      left.abort();
      replies.close();
    },
  };
}
