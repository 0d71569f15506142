/** What the page shows of a room and of a chat over HTTP alike. */
import type { Decision } from '../../shown.ts';
import type { Reply } from './reply.ts';
import type { Store } from './store.ts';

export type Item =
  /** Somebody's message, and the agent's reply to it. */
  | {
      readonly kind: 'message';
      readonly key: string;
      readonly sender: string;
      readonly text: string;
      /** ms */
      readonly at: number;
      /** Over HTTP there is no gate. */
      readonly gate: Decision | 'deciding' | 'none';
      readonly reply?: Reply;
      /** How many messages of the reply stand in the room. */
      readonly inRoom: number;
    }
  /** Words of the agent whose turn is not shown. */
  | { readonly kind: 'words'; readonly key: string; readonly text: string; readonly at: number }
  /** A turn whose message is not shown. */
  | { readonly kind: 'reply'; readonly key: string; readonly reply: Reply };

export type ConversationView = {
  /** Oldest first; undefined until they are known. */
  readonly items?: readonly Item[];
  /** What is in the way just now. */
  readonly problem?: string;
  /** What is told to who can't see the page. */
  readonly announced: string;
};

export type Conversation = Store<ConversationView> & {
  /** Rejects in words, and then nothing was said. */
  send(text: string): Promise<void>;
  close(): void;
};

/** The turn itself, if no item has it. */
export const withTurn = (
  items: readonly Item[],
  turn: string | undefined,
  open: (turn: string) => Reply,
): Item[] =>
  turn === undefined || items.some((item) => item.kind === 'message' && item.reply?.get().turn === turn)
    ? [...items]
    : [...items, { kind: 'reply', key: turn, reply: open(turn) }];
