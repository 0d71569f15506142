/**
 * The replies of one conversation. A browser has six connections to a host for all its tabs, so only the newest two that
 * still run stay connected; the others are dropped, and resumed by whoever wants to see them. What ends before our eyes is
 * told to who can't see it, whole.
 */
import type { StartOptions } from '../../../../../functions/client/client.ts';
import { isOver, openReply, type Reply, type ReplyDeps } from './reply.ts';
import { statusWords } from './words.ts';

const CONNECTED = 2;

export type Replies = {
  /** The same for the same key. `isNew`: it was asked for while we looked on. */
  open(key: string, from: { readonly turn: string } | StartOptions, isNew: boolean): Reply;
  close(): void;
};

export function createReplies(deps: ReplyDeps, announce: (text: string) => void): Replies {
  const replies = new Map<string, Reply>();

  function limit(): void {
    const connected = [...replies.values()].filter((reply) => {
      const view = reply.get();
      return view.isLive && view.link !== 'dropped' && !isOver(view);
    });
    if (connected.length > CONNECTED) connected[0]!.drop();
  }

  function watch(reply: Reply, isNew: boolean): void {
    let before = reply.get();
    reply.subscribe(() => {
      const view = reply.get();
      const [wasLive, wasOver, asked] = [before.isLive, isOver(before), before.question];
      before = view;
      if (view.isLive && !wasLive) limit();
      if (!isNew && !view.isLive) return;
      if (view.question && view.question !== asked) announce(`The agent asks: ${view.question.text}`);
      if (isOver(view) && !wasOver) announce(`${view.text}\n${statusWords(view)}`);
    });
  }

  return {
    open(key, from, isNew) {
      const known = replies.get(key);
      if (known) return known;
      const reply = openReply(deps, from);
      replies.set(key, reply);
      watch(reply, isNew);
      return reply;
    },
    close() {
      for (const reply of replies.values()) reply.close();
    },
  };
}
