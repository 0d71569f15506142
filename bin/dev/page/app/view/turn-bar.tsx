/**
 * The turn that is looked at: its state, and what can be done with it. It stands in one place, whatever grows above it,
 * and a button that can do nothing now keeps its place and its focus.
 */
import type { ComponentChildren } from 'preact';
import { type Address, hashOf } from '../model/address.ts';
import { isOver, type Reply, type ReplyView } from '../model/reply.ts';
import { statusWord } from '../model/words.ts';
import { useStore } from './hooks.ts';

type TurnBarProps = { readonly reply: Reply | undefined; readonly address: Address };

export function TurnBar({ reply, address }: TurnBarProps) {
  return (
    <section class="turn-bar" aria-label="Turn">
      {reply ? <Turn reply={reply} address={address} /> : <p class="about">No turn yet.</p>}
    </section>
  );
}

function Turn({ reply, address }: { readonly reply: Reply; readonly address: Address }) {
  const view = useStore(reply);
  const { turn, status, cursor, attempt, link, problem } = view;
  const ended = isOver(view);
  return (
    <>
      <dl class="state">
        <State name="turn">
          <span class={`status ${problem === undefined ? status : 'error'}`}>{statusWord(view)}</span>
        </State>
        <State name="connection">
          <span class={linkOf(view)}>{linkOf(view)}</span>
        </State>
        <State name="attempt">{attempt}</State>
        <State name="cursor">
          <output class="cursor">{cursor}</output>
        </State>
      </dl>
      <div class="buttons">
        <Action can={!ended} onClick={() => void reply.stop()}>
          Stop
        </Action>
        {link === 'dropped' ? (
          <Action can={!ended} onClick={reply.resume}>
            Resume
          </Action>
        ) : (
          <Action can={!ended} onClick={reply.drop}>
            Drop connection
          </Action>
        )}
        <a
          class="button"
          href={turn === undefined ? undefined : hashOf({ ...address, turn })}
          target="_blank"
          rel="noopener"
        >
          Open in a new tab
        </a>
      </div>
    </>
  );
}

function State({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class={name}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const linkOf = (view: ReplyView): string => (isOver(view) ? 'ended' : view.link);

type ActionProps = { readonly can: boolean; onClick(): void; readonly children: string };

function Action({ can, onClick, children }: ActionProps) {
  return (
    <button type="button" aria-disabled={!can} onClick={() => can && onClick()}>
      {children}
    </button>
  );
}
