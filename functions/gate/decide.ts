/**
 * The gate: whether the agent answers a message, why, and what else follows from it. It reads, and counts a yes against
 * the limits; recording the decision, which commits it, is the caller's next write. The same message decided again
 * before that is counted once.
 */
import { maySpeak, powerLevels } from '../matrix/power.ts';
import { PEER_WINDOW_MS, WINDOW_MS, windowOf, within } from './limits.ts';
import type { Pace } from './pace.ts';
import { step } from './pace.ts';
import type { Picture } from './picture.ts';
import type { GateDeps } from './ports.ts';
import { roomKindOf } from './read-room.ts';
import { judge, type No, type Yes } from './rules.ts';
import type { RoomView } from './view.ts';

/** A message as the gate sees it. */
export type GateMessage = {
  readonly room: string;
  readonly event: string;
  readonly sender: string;
  /** The thread it is in; a message outside a thread roots its own. */
  readonly thread?: string;
  readonly body: string;
  readonly notice: boolean;
  readonly mentioned: boolean;
  readonly quoted?: string;
  /** `origin_server_ts` and the homeserver's `age`, ms. */
  readonly ts: number;
  readonly age?: number;
  readonly received: number;
  /** The turn and conversation it would be. */
  readonly turnId: string;
  conversationOf(roomKind: 'direct' | 'group'): string;
};

export type Notice = {
  readonly kind: 'stale' | 'loop' | 'rate-limited' | 'encrypted';
  readonly window: string;
};

export type Decision = {
  readonly respond: boolean;
  readonly reason: Yes | No;
  readonly roomKind: 'direct' | 'group';
  readonly memberCount: number;
  readonly name: string;
  readonly captured: boolean;
  /** Until when an answer marks the thread, ms. */
  readonly markUntil?: number;
  readonly notice?: Notice;
  /** What to leave of the pace once the decision stands. */
  readonly pace?: Pace;
};

const STALE_MS = 15 * 60_000;

export async function decide(
  deps: GateDeps,
  view: RoomView,
  picture: Picture,
  message: GateMessage,
): Promise<Decision> {
  const { options } = deps;
  const { sender, received } = message;
  const policy = options.groupRooms;
  const roomKind = policy === 'answer' ? 'direct' : roomKindOf(picture);
  const gated = roomKind === 'group' && policy === 'gate';
  const rule = judge({
    policy,
    roomKind,
    space: picture.space,
    tombstoned: picture.tombstoned,
    notice: message.notice,
    mentioned: message.mentioned,
    quotesBot:
      gated && !message.mentioned && message.quoted !== undefined && (await view.isBots(message.quoted)),
    markedUntil: gated ? view.markedUntil(message.thread ?? message.event) : undefined,
    root: gated && message.thread !== undefined ? view.own(message.thread) : undefined,
    activeThreadTtlMs: options.activeThreadTtlMs,
    now: received,
  });
  const base = {
    roomKind,
    memberCount: policy === 'answer' ? 0 : picture.joined,
    name: policy === 'answer' || rule.reason === 'group-rooms-off' ? sender : await view.name(sender),
    captured: gated && options.isCaptured(sender) && message.body.trim() !== '',
  };
  if (!rule.respond) return { ...base, ...rule };
  const veto = await vetoed(deps, view, picture, message, roomKind);
  if (veto.kind === 'refused') {
    const { reason, notice, pace } = veto;
    // Nothing is said in group rooms under `silent`; a stale message is excused in direct rooms only.
    return { ...base, respond: false, reason, ...(notice && { notice }), ...(pace && { pace }) };
  }
  const marks = gated ? { markUntil: received + options.activeThreadTtlMs } : {};
  return { ...base, ...rule, ...marks, pace: veto.pace };
}

type Veto =
  | { readonly kind: 'none'; readonly pace: Pace }
  | { readonly kind: 'refused'; readonly reason: No; readonly notice?: Notice; readonly pace?: Pace };

const refuse = (reason: No, more: { notice?: Notice; pace?: Pace } = {}): Veto => ({
  kind: 'refused',
  reason,
  ...more,
});

/** In this order; what counts an id asks last, but for the peers' own budget. */
async function vetoed(
  deps: GateDeps,
  view: RoomView,
  picture: Picture,
  message: GateMessage,
  roomKind: 'direct' | 'group',
): Promise<Veto> {
  const { table, options, namespace } = deps;
  const { room, sender, event, received, turnId } = message;
  const claimed = received - message.ts;
  const age = message.age === undefined ? claimed : Math.min(claimed, message.age);
  if (age > STALE_MS) {
    const notice = { kind: 'stale', window: String(windowOf(received, WINDOW_MS)) } as const;
    return refuse('stale', roomKind === 'direct' ? { notice } : {});
  }
  if (options.isPeer(sender)) {
    const budget = { turns: options.limits.peerTurns, windowMs: PEER_WINDOW_MS };
    if (!message.mentioned || !(await within(table, `peers\0${room}`, turnId, received, budget)))
      return refuse('peer');
  }
  if (!options.isAllowed(sender)) return refuse('not-allowed');
  const { loop, next } = step(view.pace(), sender, event, received);
  if (loop && !options.isPerson(sender))
    return refuse('loop', { notice: { kind: 'loop', window: String(next.until) }, pace: next });
  const window = String(windowOf(received, WINDOW_MS));
  const full = refuse('rate-limited', { notice: { kind: 'rate-limited', window } });
  if (
    (await deps.unfinished(message.conversationOf(roomKind), options.limits.unfinished)) >=
    options.limits.unfinished
  )
    return full;
  const perWindow = (turns: number) => ({ turns, windowMs: WINDOW_MS });
  if (!(await within(table, `sender\0${sender}`, turnId, received, perWindow(options.limits.senderTurns))))
    return full;
  if (!(await within(table, `room\0${room}`, turnId, received, perWindow(options.limits.roomTurns))))
    return full;
  const levels = powerLevels(picture.power, picture.create);
  const speaks = maySpeak(levels, namespace.bot, {
    required: roomKind === 'group' ? options.requirePowerLevel : 0,
    encrypted: picture.encrypted,
  });
  return speaks ? { kind: 'none', pace: next } : refuse('power-level');
}
