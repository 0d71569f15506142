import { expect, it } from 'vitest';
import { testSystem } from './system.ts';
import { until } from './until.ts';

const system = testSystem({ LOCAL_MODEL_WORD_MS: '150' });
/** Long enough that its words are still being said when it is redacted: 12 s. */
const speech = (word: string) => `${word} ${'and so on '.repeat(26)}`;

it('a redaction stops the turn, and its words are nowhere', async () => {
  const { inside, person, stack } = system();
  const [alice, bob] = [await person('alice'), await person('bob')];
  const room = await alice.groupRoom([bob]);
  const asked = await alice.mention(room, `agent: ${speech('xylophone')}`);
  const inLog = async () =>
    (await inside.rowsWith('xylophone')).some((row) => /^turns \S+ (HEAD|S#)/.test(row));
  await until('the answer to be in the log', inLog);
  const redaction = await alice.redact(room, asked);
  expect(await inside.ended(room, asked, 8_000)).toMatchObject({ status: 'cancelled', reason: 'redacted' });
  // The log of a turn that was running is forgotten by the sweep that comes back to the redaction.
  const left = await inside.rowsWith('xylophone');
  expect(left.filter((row) => !/^turns \S+ (HEAD|S#|FINAL#)/.test(row))).toEqual([]);
  await inside.makeDue(room, redaction);
  await stack.sweep();
  expect(await inside.rowsWith('xylophone')).toEqual([]);
  await inside.idle();
  expect(await alice.heard(room)).toEqual([]);
});

it('a redaction takes the words of a turn that is over', async () => {
  const { inside, person } = system();
  const [alice, bob] = [await person('alice'), await person('bob')];
  const room = await alice.groupRoom([bob]);
  const asked = await alice.mention(room, 'agent: marimba');
  await alice.hears(room, 'marimba');
  await inside.ended(room, asked);
  await inside.idle();
  const kinds = (await inside.rowsWith('marimba')).map((row) =>
    row.replace(/^(\w+) \S+ ([A-Z]+).*/, '$1 $2'),
  );
  expect(kinds).toEqual(
    expect.arrayContaining(['turns META', 'turns FINAL', 'turns PART', 'turns Y', 'memory M']),
  );
  await alice.redact(room, asked);
  await until('the words to be gone', async () => (await inside.rowsWith('marimba')).length === 0);
});
