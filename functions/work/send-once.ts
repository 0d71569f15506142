/**
 * Puts one message into a room exactly once. It is sent anew only if it isn't known as sent: by its stored event id, by
 * its echo, or, when an earlier send may have reached the homeserver, by one look at the bot's last messages there.
 * Homeservers forget transaction ids, so the id alone is no guard.
 */
import { isMatrixError, type MatrixError } from '../matrix/client.ts';
import { ownKey } from '../matrix/own-key.ts';
import { backoff } from '../runtime/clock.ts';
import type { Pump } from '../turns/pump.ts';
import type { Invocation, WorkDeps } from './ports.ts';

/** Where a message's content and event id are kept. */
export type Slot = {
  readonly room: string;
  /** The key of our own in its content, by which it is found in the room; also the id of its transaction. */
  readonly turn: string;
  readonly part: string;
  /** An earlier send may have reached the room. */
  readonly look: boolean;
  load(): Promise<
    { readonly event?: string; readonly content?: Readonly<Record<string, unknown>> } | undefined
  >;
  /** The first event id stands; `-` = finally refused. */
  store(event: string): Promise<void>;
};

export const REFUSED = '-';

export type Sent =
  | { readonly kind: 'sent'; readonly event: string }
  /** A final refusal; the slot is marked and never tried again. */
  | { readonly kind: 'refused'; readonly errcode: string; readonly status: number }
  /** Too little time is left in this invocation; nothing was decided. */
  | { readonly kind: 'unsent' }
  /** The owner lost the turn. */
  | { readonly kind: 'fenced' };

/** A look is too old when the request leaves later than this after it, ms. */
const LOOK_MS = 8_000;
/** How many of the bot's messages one look reads. */
const LOOK_MESSAGES = 50;
/** What is kept of the invocation for giving the turn back in good order, ms. */
export const SPARE_MS = 60_000;

/** `owner` is the pump of a delivery: nothing is posted while it has not been able to write for 8 s. */
export async function sendOnce(
  deps: WorkDeps,
  slot: Slot,
  invocation: Invocation,
  owner?: Pump,
): Promise<Sent> {
  const { clock, random, matrix } = deps;
  let look = slot.look;
  for (let tries = 0; ; tries++) {
    if (owner?.signal.aborted) return { kind: 'fenced' };
    if (
      invocation.remaining() < SPARE_MS ||
      (owner && clock.now() > (owner.dueAt ?? Number.POSITIVE_INFINITY))
    )
      return { kind: 'unsent' };
    if (owner && !owner.mayAct()) {
      await clock.sleep(300, owner.signal);
      continue;
    }
    const stored = await slot.load();
    if (stored?.event && stored.event !== REFUSED) return { kind: 'sent', event: stored.event };
    if (!stored?.content || stored.event) return { kind: 'refused', errcode: 'M_UNKNOWN', status: 410 };
    try {
      const looked = clock.monotonic();
      const found = look ? await findInRoom(deps, slot) : undefined;
      // The check and the request leave in the same tick: a lease may end while a look is under way.
      const mayLeave = () => owner?.mayAct() !== false && (!look || clock.monotonic() - looked <= LOOK_MS);
      const event =
        found ??
        (await matrix.send(slot.room, 'm.room.message', `${slot.turn}.${slot.part}`, stored.content, {
          mayLeave,
        }));
      await slot.store(event);
      return { kind: 'sent', event };
    } catch (error) {
      if (!isMatrixError(error)) throw error;
      if (error.kind === 'held') continue;
      if (isFinal(error)) {
        await slot.store(REFUSED);
        deps.log('a message was refused', {
          turn: slot.turn,
          part: slot.part,
          status: error.status,
          errcode: error.errcode,
        });
        return { kind: 'refused', errcode: error.errcode, status: error.status };
      }
      if (error.kind === 'unreachable') look = true;
      deps.count('MatrixRetries');
      const wait = error.retryAfterMs ?? backoff(random, tries, 300, 8_000);
      await clock.sleep(Math.min(wait, Math.max(1, invocation.remaining() - SPARE_MS)), owner?.signal);
    }
  }
}

/** A token that is refused may be rotating; every other refusal stands. */
export const isFinal = (error: MatrixError): boolean => error.kind === 'refused' && error.status !== 401;

/** One look at what the bot said last in the room. */
async function findInRoom(
  { matrix, bot }: WorkDeps,
  { room, turn, part }: Slot,
): Promise<string | undefined> {
  const { events } = await matrix.messages(room, { limit: LOOK_MESSAGES, senders: [bot] });
  return events.find(({ sender, content }) => {
    const own = sender === bot ? ownKey(content) : undefined;
    return own?.turn === turn && own.part === part;
  })?.id;
}
