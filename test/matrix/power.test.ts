import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maySpeak, powerLevels } from '../../functions/matrix/power.ts';

const bot = '@bot:hs';
const create = (room_version: unknown, more: object = {}) => ({
  sender: '@founder:hs',
  content: { room_version, ...more },
});

describe('levels', () => {
  it('are read wherever they stand, with the defaults of the specification', () => {
    const levels = powerLevels({
      users: { [bot]: 30 },
      users_default: 5,
      events: { 'm.room.message': 10 },
      events_default: 20,
    });
    expect([levels.of(bot), levels.of('@a:hs')]).toEqual([30, 5]);
    expect([levels.toSend('m.room.message'), levels.toSend('m.reaction')]).toEqual([10, 20]);
    expect(levels.toRedact()).toBe(50);
    expect(powerLevels({ redact: 0 }).toRedact()).toBe(0);
    expect(powerLevels({}).of(bot)).toBe(0);
  });

  it('of a state are its own, else the default of states', () => {
    const levels = powerLevels({ events: { 'm.room.topic': 10 }, events_default: 20 });
    expect([levels.toSet('m.room.topic'), levels.toSet('m.room.tombstone')]).toEqual([10, 50]);
    expect(powerLevels({ state_default: 70 }).toSet('m.room.tombstone')).toBe(70);
    expect(powerLevels(undefined).toSet('m.room.tombstone')).toBe(0);
  });

  it.each([
    ['100', 100],
    [' +100 ', 100],
    ['000100', 100],
    ['-5', -5],
    [50.57, 50],
    [-0.5, -0],
    ['1e2', 100],
    [[60], 60],
  ])('of old rooms are parsed: %j', (written, level) => {
    expect(powerLevels({ users: { [bot]: written } }).of(bot)).toBe(level);
  });

  it('are compared as numbers', () => {
    expect(maySpeak(powerLevels({ users: { [bot]: '9' }, events_default: '10' }), bot)).toBe(false);
    expect(maySpeak(powerLevels({ users: { [bot]: '100' }, events_default: '50' }), bot)).toBe(true);
  });

  it.each(['admin', {}, [], [1, 2], [[1]], 'NaN'])('that are garbage refuse: %j', (garbage) => {
    expect(maySpeak(powerLevels({ users: { [bot]: garbage } }), bot)).toBe(false);
    expect(maySpeak(powerLevels({ users: { [bot]: 100 }, events_default: garbage }), bot)).toBe(false);
  });

  it('are not found where JavaScript has names of its own', () => {
    expect(maySpeak(powerLevels({}), 'constructor')).toBe(true);
    expect(powerLevels({ events: {} }).toSend('toString')).toBe(0);
    expect(powerLevels(JSON.parse('{"users":{"__proto__":7}}')).of('__proto__')).toBe(7);
  });

  it('are found in a whole event', () => {
    const event = { type: 'm.room.power_levels', content: { events_default: 10 } };
    expect(maySpeak(powerLevels(event), bot)).toBe(false);
  });
});

describe('to speak', () => {
  it('takes the level of messages, or of encrypted ones', () => {
    const levels = powerLevels({
      users: { [bot]: 20 },
      events: { 'm.room.encrypted': 30 },
      events_default: 10,
    });
    expect(maySpeak(levels, bot)).toBe(true);
    expect(maySpeak(levels, bot, { encrypted: true })).toBe(false);
  });

  it('takes also what is required of us', () => {
    const levels = powerLevels({ users: { [bot]: 20 } });
    expect(maySpeak(levels, bot, { required: 20 })).toBe(true);
    expect(maySpeak(levels, bot, { required: 21 })).toBe(false);
  });

  it('is refused after an upgrade, and to whom the room silenced', () => {
    expect(maySpeak(powerLevels({ events_default: 50 }), bot)).toBe(false);
    expect(maySpeak(powerLevels({ users: { [bot]: -1 } }), bot)).toBe(false);
  });
});

describe('creators', () => {
  const highest = { users_default: -1, events_default: Number.MAX_SAFE_INTEGER };

  it.each(['12', '13', '100'])('are above all in version %s, in whatever the levels say', (version) => {
    const levels = powerLevels(highest, create(version, { additional_creators: [bot, 5] }));
    expect(levels.of('@founder:hs')).toBe(Number.POSITIVE_INFINITY);
    expect(maySpeak(levels, bot, { required: 1e9 })).toBe(true);
    expect(levels.of('@a:hs')).toBe(-1);
  });

  it.each(['1', '11', undefined, 12, '12.5', 'org.matrix.hydra.11', '99999', ''])(
    'are not in version %j',
    (version) => {
      const levels = powerLevels(highest, create(version, { additional_creators: [bot] }));
      expect([levels.of('@founder:hs'), levels.of(bot)]).toEqual([-1, -1]);
    },
  );

  it('have level 100 in an old room without power levels', () => {
    const levels = powerLevels(undefined, create('11', { additional_creators: [bot] }));
    expect([levels.of('@founder:hs'), levels.of(bot)]).toEqual([100, 0]);
  });

  it('are known without power levels as well', () => {
    expect(powerLevels(undefined, create('12')).of('@founder:hs')).toBe(Number.POSITIVE_INFINITY);
  });
});

it('levels are numbers, whatever comes', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const content = fc.dictionary(
    fc.constantFrom('users', 'users_default', 'events', 'events_default', 'redact', 'content', '__proto__'),
    fc.oneof(json, fc.dictionary(fc.constantFrom(bot, 'm.room.message'), json)),
  );
  fc.assert(
    fc.property(fc.oneof(content, json), json, json, (levels, version, creators) => {
      const power = powerLevels(levels, create(version, { additional_creators: creators }));
      expect(
        [power.of(bot), power.toSend('m.room.message'), power.toRedact()].map((level) => typeof level),
      ).toEqual(['number', 'number', 'number']);
    }),
    { numRuns: 1_000, seed: 3 },
  );
  const deep = JSON.parse(`${'['.repeat(20_000)}1${']'.repeat(20_000)}`) as unknown;
  expect(maySpeak(powerLevels({ users: { [bot]: deep } }), bot)).toBe(false);
});
