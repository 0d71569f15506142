/**
 * A crash before and after every call to a store, the queue or the homeserver, then: the same is delivered again, another
 * partition is, or only `sweep` comes. Each message is decided once, the room holds each part once, nothing is left.
 */
import { describe, expect, it } from 'vitest';
import { isTerminal } from '../../functions/turns/head.ts';
import { BOT } from '../model/flow/system.ts';
import { ALICE, BOB, type Death, play, type Stage } from './stage.ts';

const MENTION = { 'm.mentions': { user_ids: [BOT] } };

type Aftermath = 'the same again' | 'another partition' | 'only sweep';
const aftermaths: readonly Aftermath[] = ['the same again', 'another partition', 'only sweep'];

type Scenario = {
  /** What has happened before, undisturbed. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** The events that are pushed, or undefined if it is a worker that dies. */
  readonly events?: (stage: Stage) => unknown[];
  /** What must hold besides the judge. */
  readonly after: (stage: Stage, aftermath: Aftermath) => void;
};

const pushAll = (stage: Stage) => stage.said.map(({ room, event }) => stage.pushed(room, event));

const complete = (stage: Stage) =>
  stage.system.log.rows.all().filter((row) => row.sk === 'HEAD' && row.st === 'c');

const scenarios: Readonly<Record<string, Scenario>> = {
  'a transaction of five messages': {
    before: async (stage) => {
      stage.say(stage.direct, ALICE, 'one');
      stage.say(stage.group, BOB, 'two');
      stage.say(stage.group, BOB, 'three', MENTION);
      stage.say(stage.direct, ALICE, 'four');
      stage.say(stage.group, ALICE, 'five', MENTION);
    },
    events: pushAll,
    after: (stage, aftermath) => {
      // What the dead run had not decided is nobody's until the homeserver comes back.
      if (aftermath === 'only sweep') return;
      const answered = [...stage.answers(stage.direct).values(), ...stage.answers(stage.group).values()]
        .flat()
        .join(' ');
      for (const n of [0, 2, 3, 4]) expect(answered).toContain(`word${n}x`);
      expect(answered).not.toContain('word1x');
    },
  },
  'one turn, its reply in three parts': {
    before: async (stage) => {
      stage.say(stage.direct, ALICE, 'long');
      await stage.run((process) => stage.take(process, pushAll(stage)));
    },
    after: (stage) => {
      const [parts] = [...stage.answers(stage.direct).values()];
      if (complete(stage).length === 1) expect(parts).toHaveLength(3);
      else expect(stage.system.log.rows.all().some((row) => row.rs === 'dead_letter')).toBe(true);
    },
  },
  'a redaction of an answered message': {
    before: async (stage) => {
      const said = stage.say(stage.group, BOB, 'gone soon', MENTION);
      await stage.run((process) => stage.take(process, pushAll(stage)));
      await stage.settle();
      await stage.run((process) => stage.take(process, stage.echoes()));
      stage.redact(said);
    },
    events: (stage) => redactions(stage),
    after: (stage, aftermath) => {
      if (aftermath !== 'only sweep') expect(words(stage)).not.toContain('word0x');
    },
  },
  'a redaction of a queued message': {
    before: async (stage) => {
      const said = stage.say(stage.direct, ALICE, 'gone soon');
      await stage.run((process) => stage.take(process, pushAll(stage)));
      stage.redact(said);
    },
    events: (stage) => redactions(stage),
    after: (stage, aftermath) => {
      if (aftermath === 'only sweep') return;
      expect(stage.answers(stage.direct).size).toBe(0);
      expect(words(stage)).not.toContain('word0x');
    },
  },
  'a question': {
    before: async (stage) => {
      stage.say(stage.direct, ALICE, 'ask');
      await stage.run((process) => stage.take(process, pushAll(stage)));
    },
    after: (stage) => expect(questions(stage)).toBeLessThanOrEqual(1),
  },
  'the consent to a question': {
    before: asked,
    events: (stage) =>
      stage.system.rooms
        .timeline(stage.direct)
        .filter(({ type }) => type === 'm.reaction')
        .map(({ id }) => stage.pushed(stage.direct, id)),
    after: (stage, aftermath) => {
      const [answer] = [...stage.answers(stage.direct).values()];
      if (aftermath === 'only sweep') expect(answer?.join(' ')).toMatch(/done (yes|no)/);
      else expect(answer?.join(' ')).toContain('done yes');
    },
  },
  'a worker that goes on from a consent': {
    before: async (stage) => {
      await asked(stage);
      const reactions = stage.system.rooms.timeline(stage.direct).filter(({ type }) => type === 'm.reaction');
      await stage.run((process) =>
        stage.take(
          process,
          reactions.map(({ id }) => stage.pushed(stage.direct, id)),
        ),
      );
    },
    after: (stage) => {
      expect(questions(stage)).toBe(1);
      if (complete(stage).length === 1)
        expect([...stage.answers(stage.direct).values()].flat().join(' ')).toContain('done yes');
    },
  },
};

async function asked(stage: Stage): Promise<void> {
  stage.say(stage.direct, ALICE, 'ask');
  await stage.run((process) => stage.take(process, pushAll(stage)));
  await stage.work();
  await stage.run((process) => stage.take(process, stage.echoes()));
  const question = stage.system.rooms
    .timeline(stage.direct)
    .find(({ sender, type }) => sender === BOT && type === 'm.room.message')!;
  const relation = { rel_type: 'm.annotation', event_id: question.id, key: '👍' };
  stage.system.rooms.send(ALICE, stage.direct, 'm.reaction', { 'm.relates_to': relation });
}

const redactions = (stage: Stage) =>
  [stage.direct, stage.group].flatMap((room) =>
    stage.system.rooms
      .timeline(room)
      .filter(({ type, sender }) => type === 'm.room.redaction' && sender !== BOT)
      .map(({ id }) => stage.pushed(room, id)),
  );

const questions = (stage: Stage) =>
  stage.system.rooms
    .timeline(stage.direct)
    .filter(({ content }) =>
      /^ask#/.test((content['io.turnpike.turn'] as { part?: string } | undefined)?.part ?? ''),
    ).length;

/** Everything our tables hold, as text. */
const words = ({ system }: Stage) =>
  JSON.stringify([system.gate.all(), system.memory.all(), system.log.rows.all()]);

async function crashAndRecover(
  scenario: Scenario,
  death: Death | undefined,
  aftermath: Aftermath,
  forgets: boolean,
): Promise<{ stage: Stage; calls: number }> {
  let calls = 0;
  const stage = await play(async (stage) => {
    await scenario.before?.(stage);
    const events = scenario.events?.(stage);
    if (events) await stage.run((process) => stage.take(process, events), death);
    else await stage.work(death);
    calls = stage.calls;
    if (forgets) stage.system.rooms.forgetTransactions();
    await stage.world.pause(undefined, 46_000);
    if (events && aftermath === 'the same again')
      await stage.run((process) => stage.take(process, scenario.events!(stage)));
    if (events && aftermath === 'another partition')
      for (const event of scenario.events!(stage).toReversed())
        await stage.run((process) => stage.take(process, [event]));
    await stage.settle({ buried: !events && aftermath === 'only sweep' });
    await stage.run((process) => stage.take(process, stage.echoes()));
    await stage.settle();
  });
  return { stage, calls };
}

describe.each(Object.entries(scenarios))('%s', (_, scenario) => {
  it.each(aftermaths)('survives a crash at every call; then %s', { timeout: 120_000 }, async (aftermath) => {
    const whole = await crashAndRecover(scenario, undefined, aftermath, false);
    const unheard = scenario.events !== undefined && aftermath === 'only sweep';
    expect(whole.stage.judge({ unheard })).toEqual([]);
    scenario.after(whole.stage, aftermath);
    expect(whole.calls).toBeGreaterThan(5);
    for (let call = 1; call <= whole.calls; call++)
      for (const when of ['before', 'after'] as const) {
        const { stage } = await crashAndRecover(scenario, { call, when }, aftermath, call % 2 === 0);
        const where = `crash ${when} call ${call} of ${whole.calls}`;
        expect(stage.judge({ unheard }), where).toEqual([]);
        for (const row of stage.system.log.rows.all())
          if (row.sk === 'HEAD') expect(isTerminal(stage.system.log.head(row.pk)!), where).toBe(true);
        scenario.after(stage, aftermath);
      }
  });
});
