/**
 * The optional live draft (`MATRIX_LIVE_EDITS=on`): the answer grows in the room while it is written, edited at most once
 * a second and a hundred times. It is a notice, so that only the final words notify. The final answer's first part
 * is an edit of it; a turn that ends otherwise takes it back.
 */
import { isMatrixError } from '../matrix/client.ts';
import type { MatrixSource, Meta } from '../turns/meta.ts';
import { DRAFT, forgetPart, getPart, putPart, REFUSED } from '../turns/parts.ts';
import type { Pump } from '../turns/pump.ts';
import type { Invocation, WorkDeps } from './ports.ts';
import { isFinal } from './send-once.ts';
import { sendPart } from './send-part.ts';

const EVERY_MS = 1_000;
const MAX_EDITS = 100;
/** Characters of the draft that are shown; the final answer has all. */
const MAX_SHOWN = 8_000;

export type Draft = { add(text: string): void; stop(): Promise<void> };

export const noDraft: Draft = { add() {}, stop: async () => undefined };

export function startDraft(
  deps: WorkDeps,
  work: {
    turn: string;
    meta: Meta;
    source: MatrixSource;
    already: string;
    look: boolean;
    pump: Pump;
    invocation: Invocation;
  },
): Draft {
  const { turn, source, pump } = work;
  const over = new AbortController();
  let text = work.already;
  let shown = '';
  const context = () => ({
    turn,
    part: DRAFT,
    trigger: source.event,
    ...(source.thread !== undefined && { thread: source.thread }),
    ...(source.thread === undefined && source.roomKind === 'group' && { quote: source.event }),
  });
  async function grow(): Promise<void> {
    const { editContent, noticeContent } = await import('../matrix/reply.ts');
    const content = () => noticeContent(`${text.slice(0, MAX_SHOWN)} …`, context());
    while (!text && !over.signal.aborted) await deps.clock.sleep(100, over.signal);
    if (over.signal.aborted) return;
    await putPart(deps.table, turn, DRAFT, content(), work.meta.expires);
    const sent = await sendPart(
      deps,
      { turn, room: source.room, name: DRAFT, look: work.look },
      work.invocation,
      pump,
    );
    if (sent.kind !== 'sent') return;
    for (let edits = 0; edits < MAX_EDITS && !over.signal.aborted; ) {
      await deps.clock.sleep(EVERY_MS, over.signal);
      if (over.signal.aborted || !pump.mayAct()) return;
      if (text === shown || text.length > MAX_SHOWN) continue;
      shown = text;
      edits++;
      const edit = editContent(content(), sent.event);
      // An edit that fails is made up for by the next one.
      await deps.matrix
        .send(source.room, 'm.room.message', `${turn}.draft.${pump.attempt}.${edits}`, edit)
        .catch(() => deps.count('DraftFailures'));
    }
  }
  // A draft is a courtesy: what goes wrong with it is no fault of the turn.
  const growing = grow().catch(() => deps.count('DraftFailures'));
  return {
    add(more) {
      text += more;
    },
    async stop() {
      over.abort();
      await growing;
    },
  };
}

/** Takes back the draft of a turn that ended without an answer. Repeatable; done once the part has lost its words. */
export async function redactDraft(
  deps: WorkDeps,
  turn: string,
  room: string,
  invocation: Invocation,
): Promise<void> {
  const draft = await getPart(deps.table, turn, DRAFT);
  if (!draft?.content || draft.event === REFUSED) return;
  const sent = draft.event ?? (await sendPart(deps, { turn, room, name: DRAFT, look: true }, invocation));
  const event = typeof sent === 'string' ? sent : sent.kind === 'sent' ? sent.event : undefined;
  if (event === undefined) return;
  try {
    await deps.matrix.redact(room, event, `${turn}.draft.redact`);
  } catch (error) {
    // What the homeserver refuses for good is not asked again.
    if (!isMatrixError(error) || !isFinal(error)) throw error;
  }
  await forgetPart(deps.table, turn, DRAFT);
}
