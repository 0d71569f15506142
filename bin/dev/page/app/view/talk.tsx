/** The right pane: what was said, the bar of the turn that is looked at, and where to write. */
import { useEffect, useState } from 'preact/hooks';
import { type Address, hashOf } from '../model/address.ts';
import type { Item } from '../model/conversation.ts';
import type { Reply } from '../model/reply.ts';
import { Composer } from './composer.tsx';
import { useStore } from './hooks.ts';
import { ItemView } from './item.tsx';
import type { PlaceView } from './places.ts';
import { Scroller } from './scroller.tsx';
import { TurnBar } from './turn-bar.tsx';

type TalkProps = {
  /** The user id of whom the page is signed in as. */
  readonly user: string;
  readonly address: Address;
  readonly view: PlaceView;
};

/** Its key names the place: another place is another conversation. */
export function Talk({ user, address, view }: TalkProps) {
  const { title, about, tries } = view;
  const [conversation] = useState(() => view.open(address.turn));
  useEffect(() => conversation.close, [conversation]);
  useEffect(() => {
    document.title = `${title} · Turnpike`;
  }, [title]);
  const { items, problem, announced } = useStore(conversation);
  const selected = selectedOf(items ?? [], address.turn);
  const say = async (text: string) => {
    await conversation.send(text);
    // From now on the newest turn is the one that is looked at.
    const { turn, ...here } = address;
    if (turn !== undefined) location.replace(hashOf(here));
  };
  return (
    <main class="talk" aria-labelledby="title">
      <header>
        <h1 id="title">{title}</h1>
        <p class={problem === undefined ? 'about' : 'problem'}>{problem ?? about}</p>
      </header>
      <Scroller label={`Messages in ${title}`}>
        <ol class="items">
          {items?.map((item) => (
            <ItemView key={item.key} item={item} user={user} address={address} selected={selected} />
          ))}
        </ol>
        {items?.length === 0 && <p class="empty">Nothing has been said here yet.</p>}
      </Scroller>
      <TurnBar reply={selected} address={address} />
      <Composer label={`Message to ${title}`} tries={tries} send={say} />
      <p class="unseen" role="status">
        {announced}
      </p>
    </main>
  );
}

/** The one the address names, else the newest. */
function selectedOf(items: readonly Item[], turn: string | undefined): Reply | undefined {
  const replies = items.flatMap((item) => (item.kind === 'words' ? [] : (item.reply ?? [])));
  return replies.find((reply) => turn !== undefined && reply.get().turn === turn) ?? replies.at(-1);
}
