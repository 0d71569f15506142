/**
 * Everything a worker can be asked by its queue: a turn, an event whose room could not be read, a room to join, a notice
 * to send. Messages hold ids only, and each kind's effect is keyed by its event.
 */
import type { Notice } from '../gate/decide.ts';
import { type JoinDeps, type JoinMessage, joinRoom } from './join.ts';
import { sendNotice } from './notice.ts';
import { again, done, type Handled, type Invocation } from './ports.ts';
import { receiveTurn } from './receive.ts';

export type WorkMessage =
  | { readonly kind: 'turn'; readonly turn: string }
  | { readonly kind: 'decide'; readonly room: string; readonly event: string }
  | ({ readonly kind: 'join' } & JoinMessage)
  | { readonly kind: 'notice'; readonly room: string; readonly event: string; readonly notice: Notice };

/** What became of a deferred event. */
export type Late =
  | { readonly kind: 'turn'; readonly turn: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'unreadable' };

export type HandleDeps = JoinDeps & {
  /** Decides a deferred event; the turn it became was not sent. */
  decideLate(room: string, event: string): Promise<Late>;
  /** Ends a deferred event without an answer, unless it is decided already. */
  giveUpLate(room: string, event: string): Promise<Late>;
};

export type Delivery = {
  readonly queue: 'turns' | 'watchdog';
  readonly sentAt: number;
  readonly invocation: Invocation;
};

/** A room that can't be read is tried so often, with growing pauses; then its event ends without an answer. */
const READ_TRIES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export async function handle(deps: HandleDeps, message: WorkMessage, delivery: Delivery): Promise<Handled> {
  switch (message.kind) {
    case 'turn':
      return receiveTurn(deps, { turn: message.turn, ...delivery });
    case 'decide':
      return decideAndRun(deps, message, delivery);
    case 'join':
      return joinRoom(deps, message);
    case 'notice':
      return sendNotice(deps, message, delivery.invocation);
  }
}

async function decideAndRun(
  deps: HandleDeps,
  { room, event }: { room: string; event: string },
  delivery: Delivery,
): Promise<Handled> {
  for (let tries = 1; ; tries++) {
    const late = await deps.decideLate(room, event);
    if (late.kind === 'turn') return receiveTurn(deps, { turn: late.turn, ...delivery });
    if (late.kind === 'done') return done;
    if (tries >= READ_TRIES) break;
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 4 ** (tries - 1));
    if (delivery.invocation.remaining() < pause + LONGEST_PAUSE_MS) return again(30);
    await deps.clock.sleep(pause);
  }
  await deps.giveUpLate(room, event);
  return done;
}
