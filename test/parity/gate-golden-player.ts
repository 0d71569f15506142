/**
 * Plays a recorded scenario against our modules: each message is a transaction of its own to the inbox as the webhook
 * composes it. The recorded clock stands still while the messages' own times go on; ours follows them.
 */
import { expect } from 'vitest';
import { composeWork, type Tables } from '../../functions/adapters/lambda/compose.ts';
import type { Decision } from '../../functions/gate/decide.ts';
import { keys } from '../../functions/gate/keys.ts';
import { invalidate } from '../../functions/gate/picture.ts';
import { roster } from '../../functions/memory/roster.ts';
import { virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { type Inbox, inboxOf } from '../inbox/inbox.ts';
import type { Message, Person, Result, Said, Scenario, Step } from './gate-golden-data.ts';
import { recordedWorld } from './gate-golden-world.ts';

/** What a room holds: the buffer in its order, the threads that are active still, the roster by user id. */
export type RoomState = {
  readonly buffer: readonly Said[];
  readonly threads: Readonly<Record<string, number>>;
  readonly members: readonly Person[];
};

export type Player = {
  /** `sent` are the kinds of the queue messages that the step led to. */
  play(step: Step): Promise<{ result?: Result; sent: readonly string[] }>;
  state(room: string): Promise<RoomState>;
  now(): number;
};

const OUT_OF_REACH = { senderTurns: 1e6, roomTurns: 1e6, peerTurns: 1e6, unfinished: 1e3 };

/** `decisions` are those the gate made since the last call. */
export function player(scenario: Scenario, tables: Tables, decisions: () => Promise<Decision[]>): Player {
  const { options, botUserId: bot } = scenario;
  const env = {
    MATRIX_GROUP_ROOMS: options.groupRooms,
    GROUP_CHAT_ACTIVE_THREAD_TTL_MS: String(options.activeThreadTtlMs),
    GROUP_CHAT_REQUIRE_POWER_LEVEL: String(options.requirePowerLevel),
    GROUP_CHAT_ROOM_INFO_TTL_MS: String(options.roomInfoTtlMs),
  };
  const clock = virtualClock(scenario.startAt);
  const world = recordedWorld(scenario);
  let did = '';
  const started = () =>
    inboxOf({ env, bot, tables, clock, server: world.server, limits: OUT_OF_REACH, principalOf: () => did });
  let inbox = started();
  const named = new Map(
    scenario.steps.flatMap((step) =>
      step.op === 'message'
        ? [[`${step.roomId} ${keys.mark(step.roomId, step.threadId).sk}`, step.threadId]]
        : [],
    ),
  );

  async function say(message: Message): Promise<Result> {
    did = message.senderDid;
    await clock.advance(Math.max(0, message.ts - clock.now()));
    await inbox.push(rawOf(message, bot));
    const [decision, ...more] = await decisions();
    expect(more).toEqual([]);
    const { decided, deferred, finished } = await inbox.record(message.eventId, message.roomId);
    if (!decision) return deferred ? 'deferred' : 'skipped';
    expect(finished).toBe(true);
    const { turn, reason, roomKind, name } = decided!;
    const respond = turn !== undefined;
    if (respond && roomKind === 'group') await refreshRoster(inbox, message.roomId);
    // The member count is the one thing of a decision that the record does not keep.
    return { respond, reason, roomKind: roomKind!, memberCount: decision.memberCount, displayName: name };
  }

  async function act(step: Step): Promise<Result | undefined> {
    switch (step.op) {
      case 'message':
        return say(step);
      case 'observe':
        return void (await inbox.deps.memory.capture(step.roomId, [captured(step.message)], clock.now()));
      case 'advance':
        return void (await clock.advance(step.ms));
      case 'invalidate':
        return void (await invalidate(tables.gate, step.roomId));
      case 'fail':
        return void world.fail(step.target, step.roomId, step.on);
      case 'restart':
        inbox = started();
        return undefined;
      case 'world':
        world.set(step.roomId, step.set);
        // A homeserver pushes a change of power; who is there and what they are called is told by `invalidate`.
        if ('power' in step.set) await inbox.push(powerEvent(step.roomId));
        if (step.invalidate) await invalidate(tables.gate, step.roomId);
        return undefined;
    }
  }

  return {
    now: clock.now,
    async play(step) {
      await clock.advance(step.dt ?? 0);
      inbox.sent.splice(0);
      const result = await act(step);
      return { ...(result !== undefined && { result }), sent: inbox.sent.map(({ kind }) => kind) };
    },
    async state(room) {
      const { pk } = keys.mark(room, '');
      const marks = await tables.gate.query({ pk, from: 'A#', to: 'A#~', limit: 100 });
      const threads = marks.flatMap(({ sk, until }) =>
        (until as number) > clock.now() ? [[named.get(`${room} ${sk}`) ?? sk, until]] : [],
      );
      const people = await roster({ table: tables.memory, tenant: 'hs' }, room);
      return {
        buffer: (await inbox.buffer(room)).map((said) => ({
          eventId: said.event,
          threadId: said.thread,
          senderDid: said.principal,
          senderMatrixUserId: said.sender,
          senderDisplayName: said.name,
          body: said.body,
          timestamp: said.at,
        })),
        threads: Object.fromEntries(threads),
        members: people.map(({ userId, name }) => ({ matrixUserId: userId, displayName: name })),
      };
    },
  };
}

/** As a worker does when it starts on an accepted message. */
async function refreshRoster({ parts }: Inbox, room: string): Promise<void> {
  const agent = { run: () => expect.fail('no turn is run here') };
  const options = { mentionAsker: false, liveEdits: false };
  await composeWork({ ...parts, agent, tools: [], options }).refreshRoster(room);
}

function rawOf(
  { roomId, eventId, threadId, sender, body, ts, mentionsBot, inReplyTo }: Message,
  bot: string,
) {
  const reply = inReplyTo === undefined ? {} : { 'm.in_reply_to': { event_id: inReplyTo } };
  const thread =
    threadId === eventId ? {} : { rel_type: 'm.thread', event_id: threadId, is_falling_back: false };
  return {
    event_id: eventId,
    room_id: roomId,
    type: 'm.room.message',
    sender,
    origin_server_ts: ts,
    unsigned: { age: 0 },
    content: {
      msgtype: 'm.text',
      body,
      'm.mentions': mentionsBot ? { user_ids: [bot] } : {},
      'm.relates_to': { ...thread, ...reply },
    },
  };
}

const powerEvent = (room: string) => ({
  event_id: '$power',
  room_id: room,
  type: 'm.room.power_levels',
  state_key: '',
  sender: '@founder:hs',
  content: {},
  origin_server_ts: 1,
});

const captured = (said: Said) => ({
  event: said.eventId,
  thread: said.threadId,
  sender: said.senderMatrixUserId,
  principal: said.senderDid,
  name: said.senderDisplayName,
  body: said.body,
  at: said.timestamp,
  order: '',
  bot: false,
});
