/** What deciding a transaction needs from the modules it does not know: memory, turns, the queue. */
import type { Notice } from '../gate/decide.ts';
import type { GateDeps } from '../gate/ports.ts';

/** A message to keep, as the room's memory takes it. */
export type ToCapture = {
  readonly event: string;
  readonly thread: string;
  readonly sender: string;
  readonly principal: string;
  readonly name: string;
  readonly body: string;
  readonly at: number;
  readonly order: string;
  readonly bot: boolean;
};

/** Every call is repeatable, in any order with every other. */
export type Memory = {
  capture(room: string, messages: readonly ToCapture[], now: number): Promise<void>;
  edit(
    room: string,
    edit: { target: string; event: string; sender: string; body: string; ts: number },
    now: number,
  ): Promise<void>;
  redactEdit(room: string, target: string, edit: string, now: number): Promise<void>;
  erase(room: string, event: string, now: number): Promise<void>;
  /** The bot left the room, or is back in it. */
  left(room: string, now: number): Promise<void>;
  returned(room: string): Promise<void>;
  /** Who said a message that memory has. */
  senderOf(room: string, event: string): Promise<string | undefined>;
};

/** A turn to be made of an accepted message, and what a tombstone of it keeps. */
export type TurnRequest = {
  readonly turn: string;
  readonly conversation: string;
  readonly principal: string;
  readonly order: string;
  readonly created: number;
  readonly room: string;
  readonly roomKind: 'direct' | 'group';
  readonly event: string;
  readonly thread?: string;
  readonly sender: string;
  readonly name: string;
  readonly at: number;
  readonly input: string;
};

export type Turns = {
  /** The id of the turn that answers an event, and of the conversation it belongs to. */
  idOf(room: string, event: string): string;
  conversationOf(place: {
    roomKind: 'direct' | 'group';
    room: string;
    sender: string;
    thread?: string;
  }): string;
  create(request: TurnRequest): Promise<void>;
  /** `over`: no words can come any more, or else it is to be done again. `answers`: events of ours that answered nothing else. */
  redact(request: Omit<TurnRequest, 'input'>): Promise<{ over: boolean; answers: readonly string[] }>;
  /** What a turn answered is taken back: `over` as above. */
  redactAnswer(turn: string): Promise<{ over: boolean }>;
  unsay(conversation: string, said: { at: number; order: string; event: string }): Promise<void>;
  /** A part of a turn stands in the room under that event id. */
  partSent(turn: string, part: string, event: string): Promise<void>;
  /** The question a turn waits with, if the part is one: for whom, and what may be answered. */
  question(
    turn: string,
    part: string,
  ): Promise<{ conversation: string; seq: number; sender: string; choices: readonly Choice[] } | undefined>;
  /** The first answer stands. */
  consent(turn: string, seq: number, by: string, choice: Choice): Promise<void>;
};

export type Choice = 'yes' | 'no';

/** Sends ids to the workers. Each is repeatable: the same effect is keyed by its event. */
export type Queue = {
  turn(turn: string, conversation: string): Promise<void>;
  consent(turn: string, conversation: string, seq: number): Promise<void>;
  /** `round` sets a repetition apart that `sweep` sends later. */
  decide(room: string, event: string, round: number): Promise<void>;
  join(join: Join): Promise<void>;
  notice(room: string, event: string, notice: Notice): Promise<void>;
};

/** A room to join: an invite, or the room that replaces one the bot is in. */
export type Join = {
  readonly room: string;
  readonly event: string;
  /** Who invited, or sent the tombstone. */
  readonly by: string;
  /** When, ms: messages before it are not answered. */
  readonly since: number;
  readonly predecessor?: string;
};

export type InboxDeps = GateDeps & {
  readonly memory: Memory;
  readonly turns: Turns;
  readonly queue: Queue;
  readonly count: (name: string, value?: number) => void;
  readonly log: (
    message: string,
    details?: Readonly<Record<string, string | number | boolean | undefined>>,
  ) => void;
};
