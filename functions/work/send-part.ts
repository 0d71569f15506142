/** Sends one part of a turn, exactly once, and tells the gate whose event it is. */
import { putOwn } from '../gate/own.ts';
import { askedSeq, getPart, NOTE, setPartEvent } from '../turns/parts.ts';
import type { Pump } from '../turns/pump.ts';
import type { Invocation, WorkDeps } from './ports.ts';
import { REFUSED, type Sent, sendOnce } from './send-once.ts';

export type PartToSend = {
  readonly turn: string;
  readonly room: string;
  readonly name: string;
  /** An earlier send of this part may have reached the room. */
  readonly look: boolean;
};

export async function sendPart(
  deps: WorkDeps,
  part: PartToSend,
  invocation: Invocation,
  owner?: Pump,
): Promise<Sent> {
  const { turn, room, name, look } = part;
  const slot = {
    room,
    turn,
    part: name,
    look,
    load: () => getPart(deps.table, turn, name),
    async store(event: string) {
      await setPartEvent(deps.table, turn, name, event);
      if (event === REFUSED) return;
      await putOwn(deps.gate, room, event, {
        turn,
        part: name,
        kind: kindOfPart(name),
        at: deps.clock.now(),
      });
    },
  };
  return sendOnce(deps, slot, invocation, owner);
}

/** What a part is to the gate: an answer keeps a thread alive, a question takes a consent, a notice does neither. */
export function kindOfPart(name: string): 'answer' | 'notice' | 'question' {
  if (askedSeq(name) !== undefined) return 'question';
  return name === NOTE ? 'notice' : 'answer';
}
