/**
 * Recorded answers of the pure functions whose behaviour we take over, asked of ours: is the bot mentioned, and may it
 * speak with its power level. The recording's options from the environment are asked of another module's test.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isMentioned } from '../../functions/matrix/content.ts';
import { maySpeak, powerLevels } from '../../functions/matrix/power.ts';

type Case =
  | { fn: 'isBotMentioned'; args: [content: unknown, bot: string]; out: boolean }
  | { fn: 'botPowerLevelOf'; args: [content: unknown, bot: string]; out: { allowed: boolean[] } }
  | { fn: 'groupChatOptionsFromEnv' };

/** The required levels for which the recording says whether the bot was allowed. */
const REQUIRED = [0, 1, 50];

const cases = JSON.parse(readFileSync(new URL('./gate-pure.json', import.meta.url), 'utf8')) as Case[];
const of = <F extends Case['fn']>(fn: F) =>
  cases.filter((one): one is Extract<Case, { fn: F }> => one.fn === fn);

describe('isBotMentioned', () => {
  it.each(of('isBotMentioned').map(({ args, out }) => ({ content: args[0], bot: args[1], out })))(
    '$content → $out',
    ({ content, bot, out }) => {
      expect(isMentioned(content, bot)).toBe(out);
    },
  );
});

describe('botPowerLevelOf', () => {
  it.each(of('botPowerLevelOf').map(({ args, out }) => ({ content: args[0], bot: args[1], ...out })))(
    '$content → $allowed',
    ({ content, bot, allowed }) => {
      const levels = powerLevels(content);
      expect(REQUIRED.map((required) => maySpeak(levels, bot, { required }))).toEqual(allowed);
    },
  );
});

it('has cases of each', () => {
  expect([of('isBotMentioned').length, of('botPowerLevelOf').length]).toEqual([10, 19]);
});
