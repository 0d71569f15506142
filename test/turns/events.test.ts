/** An event as a reader gets it: what JSON makes of it, at most 300 KB. */
import { describe, expect, it } from 'vitest';
import { MAX_EVENT_BYTES, storable, type TurnEvent } from '../../functions/turns/events.ts';

const of = (fields: object) => storable({ type: 'data', ...fields } as TurnEvent);
const bytesOf = (event: unknown) => Buffer.byteLength(JSON.stringify(event));

describe('an event', () => {
  it('is what JSON.parse(JSON.stringify()) gives', () => {
    const given = {
      lone: '\ud800',
      nothing: null,
      list: [1, [2, undefined], { a: [] }],
      missing: undefined,
      infinite: Number.POSITIVE_INFINITY,
      date: new Date(0),
      nested: { toJSON: () => 'said' },
    };
    expect(of(given).event).toEqual({
      type: 'data',
      lone: '\ud800',
      nothing: null,
      list: [1, [2, null], { a: [] }],
      infinite: null,
      date: '1970-01-01T00:00:00.000Z',
      nested: 'said',
    });
    expect(Object.hasOwn(of(given).event, 'missing')).toBe(false);
  });

  it('is told with its size in UTF-8 bytes', () => {
    expect(of({ text: '☃' }).bytes).toBe(bytesOf({ type: 'data', text: '☃' }));
  });

  it('has its type and part first, as from the rows', () => {
    expect(JSON.stringify(storable({ text: 'a', part: 1, type: 'text' }).event)).toBe(
      '{"type":"text","part":1,"text":"a"}',
    );
  });

  it('is apart from what it was made of', () => {
    const inner = { a: 1 };
    const { event } = of({ inner });
    inner.a = 2;
    expect(event).toEqual({ type: 'data', inner: { a: 1 } });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  it.each([
    ['a BigInt', { n: 1n }],
    ['a cycle', cycle],
    [
      'one that throws',
      {
        get odd(): never {
          throw new Error('no');
        },
      },
    ],
  ])('that JSON cannot hold is one error event: %s', (_, fields) => {
    const { event } = storable(Object.assign(Object.create(fields as object), { type: 'data', fields }));
    expect(event).toEqual({ type: 'error', code: 'not_json' });
  });
});

describe('what is no event', () => {
  it.each([null, 'text', 7, [], {}, { type: 7 }, { type: 'x'.repeat(400_000) }])(
    'is one error event: %j',
    (odd) => {
      expect(storable(odd as unknown as TurnEvent).event).toEqual({ type: 'error', code: 'not_json' });
    },
  );
});

describe('a large event', () => {
  it('of exactly 300 KB stays whole', () => {
    const room = MAX_EVENT_BYTES - bytesOf({ type: 'data', text: '' });
    const { event, bytes } = of({ text: 'x'.repeat(room) });
    expect(bytes).toBe(MAX_EVENT_BYTES);
    expect(event).not.toHaveProperty('cut');
    expect(of({ text: 'x'.repeat(room + 1) }).event).toHaveProperty('cut', true);
  });

  it.each([
    ['ASCII', 'x'],
    ['three bytes a character', '☃'],
    ['four bytes and two units', '😀'],
    ['escapes', '"'],
    ['escapes of six', '\0'],
  ])('is cut to about that: %s', (_, letter) => {
    const { event, bytes } = of({ text: letter.repeat(400_000), other: 'kept' });
    expect(bytes).toBe(bytesOf(event));
    expect(bytes).toBeLessThanOrEqual(MAX_EVENT_BYTES);
    expect(bytes).toBeGreaterThan(MAX_EVENT_BYTES * 0.95);
    expect(event).toMatchObject({ cut: true, other: 'kept' });
  });

  it('is cut by its bytes, wherever in the text they are', () => {
    for (const text of [
      '☃'.repeat(100_000) + 'x'.repeat(300_000),
      'x'.repeat(300_000) + '☃'.repeat(100_000),
    ]) {
      const { event, bytes } = of({ text });
      expect(bytes).toBeLessThanOrEqual(MAX_EVENT_BYTES);
      expect(bytes).toBeGreaterThan(MAX_EVENT_BYTES * 0.5);
      expect(text.startsWith((event as unknown as { text: string }).text)).toBe(true);
    }
  });

  it('whose largest field is no text keeps the beginning of its JSON', () => {
    const { event, bytes } = of({ rows: Array.from({ length: 100_000 }, (_, n) => ({ n, t: '"' })) });
    expect(bytes).toBeLessThanOrEqual(MAX_EVENT_BYTES);
    expect(event).toMatchObject({ rows: expect.stringMatching(/^\[\{"n":0,"t":"\\""\},/), cut: true });
  });

  it('is cut deep inside, so that it keeps its form', () => {
    const message = { id: 'm', role: 'assistant', content: 'x'.repeat(400_000), createdAt: 'now' };
    const { event, bytes } = storable({ type: 'done', message } as TurnEvent);
    expect(bytes).toBeGreaterThan(MAX_EVENT_BYTES * 0.95);
    expect(event).toMatchObject({ message: { id: 'm', content: expect.stringMatching(/^x+$/) }, cut: true });
    const listed = of({ list: [1, { text: 'y'.repeat(400_000) }, 3] }).event;
    expect(listed).toMatchObject({ list: [1, { text: expect.stringMatching(/^y+$/) }, 3], cut: true });
  });

  it('of several large fields loses from each what it must', () => {
    const { event, bytes } = of({ a: 'a'.repeat(400_000), b: 'b'.repeat(399_000) });
    expect(bytes).toBeLessThanOrEqual(MAX_EVENT_BYTES);
    expect(event).toHaveProperty('cut', true);
  });

  it('of very many small fields is no endless work', () => {
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`field${n}`, n]));
    const { event, bytes } = of(fields);
    expect(bytes).toBeLessThanOrEqual(MAX_EVENT_BYTES);
    expect(event).toMatchObject({ type: 'data', cut: true });
  }, 5_000);
});
