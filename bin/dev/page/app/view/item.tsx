/** One message with what the gate made of it, and the reply to it. */
import type { Decision } from '../../shown.ts';
import { type Address, hashOf } from '../model/address.ts';
import type { Item } from '../model/conversation.ts';
import { isOver, type Question, type Reply } from '../model/reply.ts';
import { nameOf, reasonWords, statusWords } from '../model/words.ts';
import { focusComposer } from './composer.tsx';
import { useStore } from './hooks.ts';
import { Avatar } from './marks.tsx';

/** So many characters of a turn's id tell it from its neighbours. */
const SHORT = 6;

type Scene = {
  /** The user id of whom the page is signed in as. */
  readonly user: string;
  readonly address: Address;
  /** The reply whose turn is looked at. */
  readonly selected: Reply | undefined;
};

export function ItemView({ item, ...scene }: Scene & { readonly item: Item }) {
  if (item.kind === 'reply')
    return (
      <li>
        <ReplyView reply={item.reply} inRoom={0} {...scene} />
      </li>
    );
  if (item.kind === 'words')
    return (
      <li>
        <article class="said">
          <Avatar name="agent" isAgent />
          <header>
            <span class="name">Agent</span> <Time at={item.at} />
          </header>
          <p class="text">{item.text}</p>
        </article>
      </li>
    );
  const { sender, at, text, gate, reply, inRoom } = item;
  const name = nameOf(sender);
  return (
    <li>
      <article class="said">
        <Avatar name={name} />
        <header>
          <span class="name">{sender === scene.user ? `${name} (you)` : name}</span> <Time at={at} />
        </header>
        <p class="text">{text}</p>
        <Gate gate={gate} />
      </article>
      {reply && <ReplyView reply={reply} inRoom={inRoom} {...scene} />}
    </li>
  );
}

function Time({ at }: { readonly at: number }) {
  const time = new Date(at);
  const words = time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return <time dateTime={time.toISOString()}>{words}</time>;
}

function Gate({ gate }: { readonly gate: Decision | 'deciding' | 'none' }) {
  if (gate === 'none') return <p class="gate">Over HTTP: no gate, always a turn</p>;
  if (gate === 'deciding') return <p class="gate">Gate: deciding …</p>;
  return (
    <p class={gate.respond ? 'gate yes' : 'gate no'}>
      {gate.respond ? 'Gate: answer' : 'Gate: stay silent'} · {reasonWords(gate.reason)}
    </p>
  );
}

type ReplyProps = Scene & { readonly reply: Reply; readonly inRoom: number };

function ReplyView({ reply, inRoom, user, address, selected }: ReplyProps) {
  const view = useStore(reply);
  const { turn, status, text, tools, question, hasGap, link, refusal } = view;
  const isRunning = !isOver(view) && status !== 'waiting';
  return (
    <article class="said reply" data-turn={turn} data-status={status} aria-busy={isRunning}>
      <Avatar name="agent" isAgent />
      <header>
        <span class="name">Agent</span>
        <span class={`status ${view.problem === undefined ? status : 'error'}`}>{statusWords(view)}</span>
        {inRoom > 0 && <span class="about">in the room</span>}
        {turn !== undefined && (
          <a
            class="about turn"
            href={hashOf({ ...address, turn })}
            aria-label={`Turn ${turn.slice(0, SHORT)}`}
            aria-current={reply === selected ? 'true' : undefined}
          >
            #{turn.slice(0, SHORT)}
          </a>
        )}
      </header>
      {tools.map(({ seq, name }) => (
        <p key={seq} class="tool">
          uses {name}
        </p>
      ))}
      {hasGap && <p class="tool">Parts of it are no longer in the log.</p>}
      {(text !== '' || isRunning) && (
        <p class={isRunning && link === 'connected' ? 'text words coming' : 'text words'}>{text}</p>
      )}
      {refusal !== undefined && (
        <p class="problem" role="alert">
          {refusal}
        </p>
      )}
      {question && <QuestionView question={question} isMine={question.who === user} answer={reply.consent} />}
    </article>
  );
}

type QuestionProps = {
  readonly question: Question;
  readonly isMine: boolean;
  answer(choice: 'yes' | 'no'): Promise<void>;
};

function QuestionView({ question, isMine, answer }: QuestionProps) {
  const choose = (choice: 'yes' | 'no') => {
    void answer(choice);
    // The buttons go, and with them the place where one is.
    focusComposer();
  };
  return (
    <fieldset class="question">
      <legend>{question.text}</legend>
      {isMine ? (
        <>
          <button type="button" class="primary" onClick={() => choose('yes')}>
            Yes
          </button>
          <button type="button" onClick={() => choose('no')}>
            No
          </button>
        </>
      ) : (
        <p>{nameOf(question.who)} is asked.</p>
      )}
    </fieldset>
  );
}
