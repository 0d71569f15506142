/** What an agent is given for a turn: the messages it answers, what was said before, and what is already done. */
import { type AgentInput, cleanName, type Earlier } from '../agent/agent.ts';
import { getConsent } from '../turns/consent.ts';
import { history } from '../turns/conversation.ts';
import type { Numbered } from '../turns/events.ts';
import type { Meta } from '../turns/meta.ts';
import type { WorkDeps } from './ports.ts';

/** The window of history: at most this many messages and this many estimated tokens, newest first. */
const MAX_MESSAGES = 50;
const MAX_TOKENS = 24_000;
const RECENT_MESSAGES = 20;

export async function agentInput(
  deps: WorkDeps,
  work: {
    readonly turn: string;
    readonly attempt: number;
    readonly meta: Meta;
    readonly messages: readonly Meta[];
    /** The events that count, up to the safe point. */
    readonly steps: readonly Numbered[];
    /** The whole log, for calls that an attempt started and lost. */
    readonly log: readonly Numbered[];
    readonly deadline: number;
  },
): Promise<AgentInput> {
  const { turn, attempt, meta, messages, steps, log, deadline } = work;
  const source = meta.source;
  const room = source.kind === 'matrix' && source.roomKind === 'group' ? source.room : undefined;
  const question = steps.findLast(({ event }) => event.type === 'waiting');
  const [said, recent, consent] = await Promise.all([
    history(deps.table, meta.conversation, MAX_MESSAGES),
    room ? deps.recent(room, RECENT_MESSAGES) : [],
    question && getConsent(deps.table, turn, question.seq),
  ]);
  return {
    turn,
    attempt,
    principal: meta.principal,
    roomKind: source.kind === 'matrix' ? source.roomKind : 'http',
    asked: messages.map(({ source, input, principal }) =>
      source.kind === 'matrix'
        ? { event: source.event, sender: source.sender, name: cleanName(source.name), text: input! }
        : { event: turn, sender: principal, name: principal, text: input! },
    ),
    history: windowOf(
      said.map(({ role, text, name }) => ({ role, text, ...(name !== undefined && { name }) })),
    ),
    recent,
    steps,
    started: startedCalls(log, steps),
    ...(consent && { consent: { choice: consent.choice, by: consent.by } }),
    tools: deps.tools,
    deadline,
  };
}

/** The newest messages that fit the budget; an estimate of four characters a token. */
function windowOf(messages: readonly Earlier[]): Earlier[] {
  let tokens = 0;
  const kept: Earlier[] = [];
  for (const message of messages.toReversed()) {
    tokens += Math.ceil(message.text.length / 4);
    if (tokens > MAX_TOKENS) break;
    if (message.text.trim()) kept.push(message);
  }
  return kept.reverse();
}

/** Calls behind the safe point: stored as started before some attempt broke off, without a result that counts. */
function startedCalls(log: readonly Numbered[], steps: readonly Numbered[]) {
  const counted = new Set(steps.map(({ seq }) => seq));
  return log.flatMap(({ seq, event }) => (event.type === 'tool-call' && !counted.has(seq) ? [event] : []));
}
