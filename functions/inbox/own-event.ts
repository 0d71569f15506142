/**
 * Our own events come back in transactions. An echo proves that a part was sent and is remembered as ours; an answer in a
 * group room becomes the bot's words in memory, its final edit too. Never gated.
 */
import { keys } from '../gate/keys.ts';
import { mark } from '../gate/mark.ts';
import { putOwn } from '../gate/own.ts';
import { storedPicture } from '../gate/picture.ts';
import { roomKindOf } from '../gate/read-room.ts';
import { readMessage } from '../matrix/content.ts';
import { ownKey } from '../matrix/own-key.ts';
import type { Arrived } from './message.ts';
import type { InboxDeps } from './ports.ts';
import { judgeRedactors } from './redaction.ts';
import { sortWords } from './sort.ts';

/** The parts' names carry what they are; see `turns/parts.ts`. */
const kindOf = (part: string) =>
  part.startsWith('ask#') ? 'question' : part.startsWith('note#') ? 'notice' : 'answer';

export async function takeOwn(deps: InboxDeps, { event, received, order }: Arrived): Promise<void> {
  const { room, id, sender } = event;
  const sorted = sortWords(event);
  const edit = sorted.kind === 'edit' ? sorted : undefined;
  const content = edit ? event.content['m.new_content'] : event.content;
  const own = ownKey(content) ?? ownKey(event.content);
  if (!own || (sorted.kind !== 'message' && !edit)) return;
  const at = Math.min(event.ts, received);
  const kind = kindOf(own.part);
  const draft = own.part.startsWith('draft#');
  await putOwn(deps.table, room, id, { ...own, kind, at });
  if (!(draft && edit)) await deps.turns.partSent(own.turn, own.part, id);
  if (kind !== 'answer' || draft) return;
  const message = readMessage(event.content);
  if (message.thread !== undefined)
    // From when it was sent: its repetition keeps no thread alive.
    await mark(deps.table, room, message.thread, at + deps.options.activeThreadTtlMs);
  const { picture } = storedPicture(await deps.table.get(keys.picture(room)), received, deps.options);
  if (!picture || deps.options.groupRooms !== 'gate' || roomKindOf(picture) !== 'group') return;
  const words = {
    // A draft's final edit stands under the draft's id.
    event: edit?.target ?? id,
    thread: message.thread ?? edit?.target ?? id,
    sender,
    principal: deps.principalOf(sender),
    name: sender,
    body: edit?.body ?? message.body,
    at,
    order,
    bot: true,
  };
  await deps.memory.capture(room, [words], deps.clock.now());
  await judgeRedactors(deps, room, words.event, sender);
}
