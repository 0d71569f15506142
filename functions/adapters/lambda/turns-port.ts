/** The inbox's port to turns, by the turns module: a Matrix message's turn is made, redacted, consented to. */
import type { TurnRequest, Turns } from '../../inbox/ports.ts';
import { putConsent } from '../../turns/consent.ts';
import { unsay } from '../../turns/conversation.ts';
import { asksConsent, type Head, headOf } from '../../turns/head.ts';
import { conversationId, matrixTurnId } from '../../turns/ids.ts';
import { keys } from '../../turns/keys.ts';
import { readSegments } from '../../turns/log.ts';
import { getMeta, type Meta } from '../../turns/meta.ts';
import { askedSeq, setPartEvent } from '../../turns/parts.ts';
import { redactAnswer, redactTurn } from '../../turns/redact.ts';
import { eventsOf } from '../../turns/rows.ts';
import { createQueued } from '../../turns/start.ts';
import type { OwnerDeps } from '../../turns/takeover.ts';

/** `keepS`: how long a turn is kept, in s. */
export function turnsPort(deps: OwnerDeps, tenant: string, keepS: number): Turns {
  const { table, clock } = deps;
  const waitingAt = async (turn: string, seq: number): Promise<Head | undefined> => {
    const row = await table.get(keys.head(turn));
    const head = row && headOf(row);
    return head && asksConsent(head) && head.tail === seq ? head : undefined;
  };
  return {
    idOf: matrixTurnId,
    conversationOf: ({ roomKind, room, sender, thread }) =>
      conversationId(
        roomKind === 'direct'
          ? { kind: 'direct', room, sender, ...(thread !== undefined && { thread }) }
          : thread === undefined
            ? { kind: 'group', room, sender }
            : { kind: 'group', room, thread },
      ),
    create: (request) =>
      createQueued(table, request.turn, { ...metaOf(request, tenant, keepS), input: request.input }),
    redact: (request) => redactTurn(deps, request.turn, metaOf(request, tenant, keepS)),
    redactAnswer: (turn) => redactAnswer(deps, turn),
    unsay: (conversation, said) => unsay(table, conversation, said, clock.now()),
    partSent: (turn, part, event) => setPartEvent(table, turn, part, event),
    async question(turn, part) {
      const seq = askedSeq(part);
      if (seq === undefined) return undefined;
      const [meta, head] = await Promise.all([getMeta(table, turn), waitingAt(turn, seq)]);
      if (meta?.source.kind !== 'matrix' || !head) return undefined;
      const segments = await readSegments(table, turn, head, seq - 1);
      const asked = [...eventsOf(segments.flatMap(({ rows }) => rows))].find((one) => one.seq === seq)?.event;
      if (asked?.type !== 'waiting') return undefined;
      return { conversation: meta.conversation, seq, sender: meta.source.sender, choices: asked.choices };
    },
    async consent(turn, seq, by, choice) {
      if (!(await waitingAt(turn, seq))) return;
      const now = clock.now();
      await putConsent(table, turn, seq, { by, choice, at: now }, Math.floor(now / 1000) + keepS);
    },
  };
}

function metaOf(request: Omit<TurnRequest, 'input'>, tenant: string, keepS: number): Meta {
  const { principal, conversation, order, room, roomKind, event, thread, sender, name, at, created } =
    request;
  const source = { kind: 'matrix', room, roomKind, event, sender, name, at } as const;
  return {
    tenant,
    principal,
    conversation,
    order,
    source: thread === undefined ? source : { ...source, thread },
    created,
    expires: Math.floor(created / 1000) + keepS,
  };
}
