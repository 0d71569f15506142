/** Sends a notice to a room, once per kind and window: if the room's policy and the bot's power still allow it. */
import type { Notice } from '../gate/decide.ts';
import { noticePart, noticeTurn, putNotice, setNoticeEvent } from '../gate/notice.ts';
import { putOwn } from '../gate/own.ts';
import { roomKindOf } from '../gate/read-room.ts';
import type { RoomView } from '../gate/view.ts';
import { maySpeak, powerLevels } from '../matrix/power.ts';
import { again, done, type Handled, type Invocation, type WorkDeps } from './ports.ts';
import { REFUSED, sendOnce } from './send-once.ts';

const WORDS: Readonly<Record<Notice['kind'], string>> = {
  stale: 'I was away for a while and missed your last messages. Please ask again.',
  loop: 'I pause here for a while: we were answering each other at once, again and again.',
  'rate-limited': 'There were too many messages for me. Please try again in a few minutes.',
  encrypted: 'I cannot read encrypted messages. Please talk to me in a room without encryption.',
};

export type NoticeDeps = WorkDeps & {
  view(room: string): Promise<RoomView>;
  /** With less power the bot says nothing in groups. */
  readonly requiredPower: number;
};

export async function sendNotice(
  deps: NoticeDeps,
  message: { room: string; event: string; notice: Notice },
  invocation: Invocation,
): Promise<Handled> {
  const { room, event, notice } = message;
  const looked = await (await deps.view(room)).look();
  if (looked.kind === 'unreadable') return again(30);
  if (looked.kind === 'gone') return done;
  const { picture } = looked;
  const group = roomKindOf(picture) === 'group';
  if (group && deps.policy === 'silent') return done;
  const needs = { required: group ? deps.requiredPower : 0, encrypted: picture.encrypted };
  if (!maySpeak(powerLevels(picture.power, picture.create), deps.bot, needs)) return done;
  // Somebody has said something since: the room gets that answered, not an excuse.
  if (notice.kind === 'stale' && !(await isNewest(deps, room, event))) return done;
  const { noticeContent } = await import('../matrix/reply.ts');
  const [turn, part] = [noticeTurn(room, notice), noticePart(notice)];
  const content = noticeContent(WORDS[notice.kind], { turn, part, trigger: event });
  const slot = {
    room,
    turn,
    part,
    look: true,
    load: () => putNotice(deps.gate, room, notice, content, deps.clock.now()),
    async store(sent: string) {
      await setNoticeEvent(deps.gate, room, notice, sent);
      if (sent !== REFUSED)
        await putOwn(deps.gate, room, sent, { turn, part, kind: 'notice', at: deps.clock.now() });
    },
  };
  const sent = await sendOnce(deps, slot, invocation);
  return sent.kind === 'unsent' ? again(60) : done;
}

async function isNewest(deps: WorkDeps, room: string, event: string): Promise<boolean> {
  const { events } = await deps.matrix.messages(room, { limit: 20 });
  const said = events.find(({ type, sender }) => type === 'm.room.message' && sender !== deps.bot);
  return said === undefined || said.id === event;
}
