/**
 * What can be made to go wrong while the homeserver runs: calls that are refused, answers that are lost after their
 * effect, ids forgotten, echoes held back, events delivered again or in other transactions, all of it down. One
 * command sets one thing; `clear` ends all that lasts. The same commands come from tests and by HTTP.
 */
import { z } from 'zod';
import type { Random } from '../../../functions/runtime/clock.ts';
import type { Pusher } from './push/pusher.ts';
import { type Call, calls } from './routes/route.ts';
import type { World } from './world.ts';

const times = z.int().min(1);

export const faultCommand = z.discriminatedUnion('fault', [
  /** The next calls of a kind are refused before they take effect; `any` is every kind but `dev`. */
  z.strictObject({
    fault: z.literal('refuse'),
    call: z.enum([...calls, 'any']),
    status: z.int().min(400).max(599),
    times: times.default(1),
    retryAfterMs: z.int().min(0).optional(),
  }),
  /** The next calls take effect, but their answer is a closed connection, or a gateway's 504. */
  z.strictObject({
    fault: z.literal('lose-answers'),
    call: z.enum(calls).default('send'),
    times: times.default(1),
    how: z.enum(['close', '504']).default('close'),
  }),
  z.strictObject({ fault: z.literal('forget-transactions') }),
  /** `hold` keeps echoes until another mode is set. */
  z.strictObject({
    fault: z.literal('echoes'),
    mode: z.enum(['pass', 'drop', 'hold', 'delay']),
    ms: z.int().min(0).default(0),
  }),
  z.strictObject({ fault: z.literal('redeliver'), room: z.string(), event: z.string() }),
  z.strictObject({ fault: z.literal('repartition') }),
  z.strictObject({
    fault: z.literal('restart'),
    loseQueued: z.boolean().optional(),
    killed: z.boolean().optional(),
  }),
  /** Connections are closed without an answer, and nothing is pushed. */
  z.strictObject({ fault: z.literal('down'), down: z.boolean() }),
  z.strictObject({ fault: z.literal('clear') }),
]);
export type FaultCommand = z.input<typeof faultCommand>;
type Command = z.output<typeof faultCommand>;
type Refusal = Extract<Command, { fault: 'refuse' }>;
type Loss = Extract<Command, { fault: 'lose-answers' }>;

export type Faults = {
  /** A command that is not one throws a `ZodError` and sets nothing. */
  set(command: FaultCommand): void;
  /** What lasts or still has calls to go. */
  current(): { refusals: readonly Refusal[]; losses: readonly Loss[]; isDown: boolean };
  isDown(): boolean;
  /** The refusal that is due for a call; counts it. */
  refusal(call: Call): { readonly status: number; readonly retryAfterMs?: number | undefined } | undefined;
  /** How the answer of a call that took effect is lost; counts it. */
  loss(call: Call): 'close' | '504' | undefined;
};

export type FaultsOptions = {
  readonly world: World;
  readonly pusher: Pusher;
  readonly random: Random;
  /** Ends the connections that are open. */
  readonly disconnect: () => void;
};

export function createFaults({ world, pusher, random, disconnect }: FaultsOptions): Faults {
  let refusals: Refusal[] = [];
  let losses: Loss[] = [];
  let isDown = false;

  const setDown = (down: boolean) => {
    isDown = down;
    pusher.setReachable(!down);
    if (down) disconnect();
  };
  const run = (command: Command) => {
    switch (command.fault) {
      case 'refuse':
        refusals.push({ ...command });
        return;
      case 'lose-answers':
        losses.push({ ...command });
        return;
      case 'forget-transactions':
        return world.forgetTransactions();
      case 'echoes':
        return pusher.treatEchoes(command);
      case 'redeliver':
        return pusher.redeliver(command.room, command.event);
      case 'repartition':
        return pusher.repartition(random);
      case 'restart':
        return pusher.restart(command);
      case 'down':
        return setDown(command.down);
      case 'clear':
        refusals = [];
        losses = [];
        pusher.treatEchoes({ mode: 'pass' });
        setDown(false);
    }
  };

  return {
    set: (command) => run(faultCommand.parse(command)),
    current: () => ({ refusals, losses, isDown }),
    isDown: () => isDown,
    refusal(call) {
      const due = refusals.find((one) => one.call === call || (one.call === 'any' && call !== 'dev'));
      if (due) refusals = spend(refusals, due);
      return due;
    },
    loss(call) {
      const due = losses.find((one) => one.call === call);
      if (due) losses = spend(losses, due);
      return due?.how;
    },
  };
}

/** The list once one more call of `due` has been dealt with. */
function spend<T extends { times: number }>(list: readonly T[], due: T): T[] {
  return list
    .map((one) => (one === due ? { ...one, times: one.times - 1 } : one))
    .filter((one) => one.times > 0);
}
