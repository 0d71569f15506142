import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEvent } from '../../functions/matrix/event.ts';

/** As Synapse pushes it: keys of `unsigned` once more at the top level. */
const pushed = {
  age: 18,
  content: { body: 'hello', msgtype: 'm.text' },
  event_id: '$p7ez',
  origin_server_ts: 1796070081318,
  room_id: '!Ln_Gyil2qxB2-Vhl0dvl03qDnOPrXp13e0C-DufbSTM',
  sender: '@alice:localhost',
  type: 'm.room.message',
  unsigned: { age: 18 },
  user_id: '@alice:localhost',
};

const parsed = (raw: unknown, room?: string) => {
  const result = parseEvent(raw, room);
  if (!result.ok) throw new Error(result.fault);
  return result.event;
};

describe('an event', () => {
  it('is read as it was pushed', () => {
    expect(parsed(pushed)).toEqual({
      id: '$p7ez',
      room: '!Ln_Gyil2qxB2-Vhl0dvl03qDnOPrXp13e0C-DufbSTM',
      type: 'm.room.message',
      sender: '@alice:localhost',
      content: { body: 'hello', msgtype: 'm.text' },
      ts: 1796070081318,
      age: 18,
      redactedBecause: false,
      softFailed: false,
    });
  });

  it.each([
    ['event_id', undefined],
    ['event_id', 7],
    ['event_id', ''],
    ['event_id', '$'.repeat(600)],
    ['room_id', undefined],
    ['room_id', null],
    ['type', ['m.room.message']],
    ['sender', {}],
    ['content', undefined],
    ['content', null],
    ['content', []],
    ['content', 'text'],
    ['state_key', null],
    ['state_key', 0],
  ])('with an odd %s (%j) is a fault that names it, with the id if there is one', (key, value) => {
    const result = parseEvent({ ...pushed, [key]: value });
    const id = key === 'event_id' ? {} : { id: '$p7ez' };
    expect(result).toEqual({ ok: false, fault: `odd ${key}`, ...id });
  });

  it.each([null, undefined, 5, 'x', [], [pushed]])('is none: %j', (raw) => {
    expect(parseEvent(raw)).toEqual({ ok: false, fault: 'not an object' });
  });

  it('has the room it was read from where the server leaves that out, and its own where it does not', () => {
    const { room_id, ...bare } = pushed;
    expect(parsed(bare, '!here').room).toBe('!here');
    expect(parsed(pushed, '!here').room).toBe(room_id);
    expect(parseEvent({ ...pushed, room_id: 5 }, '!here')).toMatchObject({ ok: false });
  });

  it('is a state event if it has a state key, even an empty one', () => {
    expect(parsed({ ...pushed, state_key: '' }).stateKey).toBe('');
    expect(parsed(pushed)).not.toHaveProperty('stateKey');
  });

  it('has no time if the time is odd', () => {
    for (const ts of ['1796070081318', -1, 1.5, null, 1e300])
      expect(parsed({ ...pushed, origin_server_ts: ts }).ts).toBe(0);
  });

  it('has the age of `unsigned` before that of the top level, and none if it is odd', () => {
    expect(parsed({ ...pushed, age: 1, unsigned: { age: 2 } }).age).toBe(2);
    expect(parsed({ ...pushed, age: 1, unsigned: null }).age).toBe(1);
    expect(parsed({ ...pushed, age: '1', unsigned: {} })).not.toHaveProperty('age');
  });

  it('names what it redacts in either place, its content first', () => {
    const redaction = { ...pushed, type: 'm.room.redaction', content: {} };
    expect(parsed({ ...redaction, redacts: '$old' }).redacts).toBe('$old');
    expect(parsed({ ...redaction, redacts: '$old', content: { redacts: '$new' } }).redacts).toBe('$new');
    expect(parsed({ ...redaction, redacts: '$old', content: { redacts: 7 } }).redacts).toBe('$old');
    expect(parsed({ ...pushed, redacts: '$old' })).not.toHaveProperty('redacts');
  });

  it('knows that it was redacted before it came', () => {
    expect(parsed({ ...pushed, unsigned: { redacted_because: {} } }).redactedBecause).toBe(true);
    expect(parsed({ ...pushed, redacted_because: {} }).redactedBecause).toBe(true);
    expect(parsed({ ...pushed, unsigned: { redacted_because: null } }).redactedBecause).toBe(false);
  });

  it('knows that the homeserver hides it', () => {
    for (const flag of ['soft_failed', 'policy_server_spammy']) {
      const unsigned = { [`io.element.synapse.${flag}`]: true };
      expect(parsed({ ...pushed, unsigned }).softFailed).toBe(true);
    }
    expect(parsed({ ...pushed, unsigned: { 'io.element.synapse.soft_failed': false } }).softFailed).toBe(
      false,
    );
  });

  it('has what it replaced from either place', () => {
    const invited = { membership: 'invite', is_direct: true };
    expect(parsed({ ...pushed, unsigned: { prev_content: invited } }).prevContent).toEqual(invited);
    expect(parsed({ ...pushed, prev_content: invited }).prevContent).toEqual(invited);
    expect(parsed({ ...pushed, prev_content: 'x' })).not.toHaveProperty('prevContent');
  });

  it('never throws, whatever comes, and gives what its type says', () => {
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.anything({ withNullPrototype: true }));
    const name = fc.constantFrom(...Object.keys(pushed), '__proto__', 'constructor', 'toString', 'redacts');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, anything), { maxLength: 4 }), anything, (changes, alone) => {
        const raw = JSON.parse(JSON.stringify(pushed)) as Record<string, unknown>;
        for (const [key, value] of changes)
          Object.defineProperty(raw, key, { value, enumerable: true, configurable: true, writable: true });
        expect(typeof parseEvent(alone).ok).toBe('boolean');
        const result = parseEvent(raw);
        if (!result.ok) return;
        const { id, room, type, sender, ts, content } = result.event;
        for (const text of [id, room, type, sender]) expect(typeof text).toBe('string');
        expect(Number.isSafeInteger(ts)).toBe(true);
        expect(content).toBeTypeOf('object');
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });

  it('may be nested as deep and be as long as it likes', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as unknown;
    const long = 'x'.repeat(5_000_000);
    expect(parsed({ ...pushed, content: { deep, long }, unsigned: deep }).content).toEqual({ deep, long });
    expect(parseEvent({ ...pushed, sender: long })).toMatchObject({ ok: false, fault: 'odd sender' });
  });
});
