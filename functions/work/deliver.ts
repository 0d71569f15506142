/**
 * Brings a finished answer into its room: fixes the split, sends each part once and in order, and notes what the gate
 * must know of it. A homeserver that is away costs no attempt; the turn is paused, and whoever receives it next goes on.
 */
import { replied } from '../gate/pace.ts';
import { recordAt } from '../matrix/json.ts';
import { TURN_KEY } from '../matrix/own-key.ts';
import type { PartContent } from '../matrix/reply.ts';
import type { MatrixSource, Meta } from '../turns/meta.ts';
import { DRAFT, fixParts, getPart } from '../turns/parts.ts';
import type { Pump } from '../turns/pump.ts';
import type { Invocation, WorkDeps } from './ports.ts';
import { sendPart } from './send-part.ts';

export type Delivered =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'refused'; readonly status: 'error' | 'cancelled'; readonly reason: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'fenced' };

export type Delivery = {
  readonly turn: string;
  readonly meta: Meta;
  readonly source: MatrixSource;
  readonly text: string;
  /** The events answered, the last one last: it is the one replied to. */
  readonly messages: readonly MatrixSource[];
  /** This very invocation wrote *into delivering*: no earlier send of a part can have reached the room. */
  readonly first: boolean;
};

export async function deliver(
  deps: WorkDeps,
  pump: Pump,
  delivery: Delivery,
  invocation: Invocation,
): Promise<Delivered> {
  const { turn, source } = delivery;
  const base = { turn, room: source.room } as const;
  const draft = await getPart(deps.table, turn, DRAFT);
  // A draft whose event is not known yet is found, or sent, first: the answer then stands in its place.
  const drafted = draft && (await sendPart(deps, { ...base, name: DRAFT, look: true }, invocation, pump));
  if (drafted && drafted.kind !== 'sent' && drafted.kind !== 'refused')
    return given(drafted.kind, pump, deps);
  const target = drafted?.kind === 'sent' ? drafted.event : undefined;
  const reply = await import('../matrix/reply.ts');
  const names = await fixParts(
    deps.table,
    turn,
    (set) => split(reply, deps, delivery, set, target),
    renamed,
    delivery.meta.expires,
  );
  for (const [index, name] of names.entries()) {
    const sent = await sendPart(deps, { ...base, name, look: !delivery.first }, invocation, pump);
    if (sent.kind === 'refused') {
      if (sent.status === 403) return { kind: 'refused', status: 'cancelled', reason: 'not-in-room' };
      return { kind: 'refused', status: 'error', reason: sent.errcode.toLowerCase().slice(0, 25) };
    }
    if (sent.kind !== 'sent') return given(sent.kind, pump, deps);
    if (index === 0)
      await replied(
        deps.gate,
        source.room,
        delivery.messages.map(({ event }) => event),
        deps.clock.now(),
      );
  }
  return { kind: 'delivered' };
}

async function given(kind: 'unsent' | 'fenced', pump: Pump, deps: WorkDeps): Promise<Delivered> {
  if (kind === 'fenced') return { kind: 'fenced' };
  if (deps.clock.now() > pump.dueAt!) return { kind: 'refused', status: 'error', reason: 'delivery_failed' };
  return { kind: (await pump.pause()) === 'written' ? 'paused' : 'fenced' };
}

type Reply = typeof import('../matrix/reply.ts');

/** The contents of the parts, under the names they will have in that set. */
function split(
  { replyParts, editContent }: Reply,
  deps: WorkDeps,
  delivery: Delivery,
  set: string,
  draft: string | undefined,
) {
  const { turn, source, text, messages } = delivery;
  const trigger = messages.at(-1) ?? source;
  const contents = replyParts(text, {
    turn,
    set,
    trigger: trigger.event,
    ...(source.thread !== undefined && { thread: source.thread }),
    ...(source.thread === undefined && source.roomKind === 'group' && { quote: trigger.event }),
    ...(deps.options.mentionAsker && { mention: source.sender }),
  });
  const inPlace = (content: PartContent, index: number) =>
    draft !== undefined && index === 0 ? editContent(content, draft) : content;
  return contents.map(inPlace) as Readonly<Record<string, unknown>>[];
}

/** A content under its part's name, wherever it carries it. */
function renamed(
  content: Readonly<Record<string, unknown>>,
  part: string,
): Readonly<Record<string, unknown>> {
  const own = (inner: Readonly<Record<string, unknown>>) => ({
    ...inner,
    [TURN_KEY]: { ...(inner[TURN_KEY] as object), part },
  });
  const edited = recordAt(content, 'm.new_content');
  return edited ? { ...own(content), 'm.new_content': own(edited) } : own(content);
}
