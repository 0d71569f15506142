/**
 * The reply of one turn as it is shown: `turnpike/client` follows the turn, and every line of it makes the next picture.
 * Its connection can be dropped and resumed, the turn stopped and its question answered.
 */
import {
  type Choice,
  type Client,
  type ControlLine,
  createClient,
  type LogLine,
  type StartOptions,
  type Status,
  type Token,
  type Turn,
  TurnpikeError,
} from '../../../../../functions/client/client.ts';
import { createLink, type LinkState } from './link.ts';
import { createStore, type Store } from './store.ts';

export type Question = { readonly seq: number; readonly text: string; readonly who: string };

export type ReplyView = {
  /** Unknown until the server has said it. */
  readonly turn: string | undefined;
  /** `unknown` until something of it is seen. */
  readonly status: Status | 'unknown';
  readonly reason?: string;
  readonly text: string;
  /** `attempt.seq` of the last event that was applied. */
  readonly cursor: string;
  readonly attempt: number;
  readonly link: LinkState;
  readonly tools: readonly { readonly seq: number; readonly name: string }[];
  readonly question?: Question;
  /** Replay is over: what comes now, comes as it is said. */
  readonly isLive: boolean;
  /** Parts of it can no longer be shown. */
  readonly hasGap: boolean;
  /** Why a stop or an answer was refused. */
  readonly refusal?: string;
  /** Why it can't be followed. */
  readonly problem?: string;
};

export type Reply = Store<ReplyView> & {
  drop(): void;
  resume(): void;
  stop(): Promise<void>;
  consent(choice: Choice): Promise<void>;
  /** Follows it no more. */
  close(): void;
};

export type ReplyDeps = {
  readonly token: Token;
  /** Asks besides the streams; not subject to drops. */
  readonly client: Client;
};

const over = new Set<string>(['complete', 'error', 'cancelled']);
export const isOver = ({ status, problem }: ReplyView): boolean => over.has(status) || problem !== undefined;

/** Starts the turn or follows the one with that id, from its beginning. */
export function openReply(deps: ReplyDeps, from: { readonly turn: string } | StartOptions): Reply {
  const left = new AbortController();
  const store = createStore<ReplyView>({
    turn: 'turn' in from ? from.turn : undefined,
    status: 'unknown',
    text: '',
    cursor: '1.0',
    attempt: 1,
    link: 'connecting',
    tools: [],
    isLive: false,
    hasGap: false,
  });
  const show = (change: Partial<ReplyView>) => store.set({ ...store.get(), ...change });
  const link = createLink(
    (...request) => fetch(...request),
    () => show({ link: link.state() }),
  );
  const client = createClient({ url: '', token: deps.token, platform: { fetch: link.fetch } });
  const signal = left.signal;
  const turn = 'turn' in from ? client.follow(from.turn, { signal }) : client.start({ ...from, signal });
  turn.onEvent((line) => store.set(next(store.get(), line, turn)));
  void watch(turn, show, signal);
  const asking = async (ask: () => Promise<unknown>) => {
    try {
      await ask();
    } catch (error) {
      if (!isOver(store.get())) show({ refusal: wordsOf(error) });
    }
  };
  return {
    ...store,
    drop: link.drop,
    resume: link.resume,
    stop: () => asking(async () => deps.client.stop(await turn.id)),
    consent: (choice) =>
      asking(async () => {
        const { question } = store.get();
        if (question) await deps.client.consent(await turn.id, { choice, seq: question.seq });
      }),
    close: () => left.abort(),
  };
}

async function watch(turn: Turn, show: (change: Partial<ReplyView>) => void, signal: AbortSignal) {
  try {
    show({ turn: await turn.id });
    await turn.done;
  } catch (error) {
    if (!signal.aborted) show({ problem: wordsOf(error) });
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof TurnpikeError && error.status === 404)
    return 'The log of this turn is no longer there.';
  return error instanceof Error ? error.message : String(error);
}

/** The picture behind a line. */
function next(view: ReplyView, line: LogLine | ControlLine, { text, cursor }: Turn): ReplyView {
  if (line.type === 'queued') return { ...view, status: 'queued', isLive: true };
  if (line.type === 'caught-up') return { ...view, isLive: true };
  if (line.type === 'gap') return { ...view, cursor, hasGap: true };
  if (line.type === 'bye') return view;
  const [attempt = 1, seq = 0] = cursor.split('.').map(Number);
  const { question: _, refusal: __, ...rest } = view;
  const running = { ...rest, status: 'running', text, cursor, attempt } as const;
  switch (line.type) {
    case 'waiting':
      return { ...running, status: 'waiting', question: { seq, text: line.question, who: line.who } };
    case 'tool-call':
      return { ...running, tools: [...view.tools, { seq, name: line.name }] };
    case 'rewind':
      return { ...running, tools: view.tools.filter((tool) => tool.seq <= line.to) };
    case 'turn_status':
      return { ...running, status: line.status, ...(line.reason !== undefined && { reason: line.reason }) };
    default:
      return running;
  }
}
