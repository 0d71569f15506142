import { describe, expect, it } from 'vitest';
import { BEGINNING, cursorText, parseCursor } from '../../functions/turns/cursor.ts';

describe('a cursor', () => {
  it.each([
    ['0', { attempt: 1, seq: 0 }],
    ['17', { attempt: 1, seq: 17 }],
    ['1.0', { attempt: 1, seq: 0 }],
    ['3.42', { attempt: 3, seq: 42 }],
    ['0.5', { attempt: 1, seq: 5 }],
    ['999.9999999999', { attempt: 999, seq: 9_999_999_999 }],
  ])('%s', (text, cursor) => {
    expect(parseCursor(text)).toEqual(cursor);
  });

  it.each([
    '',
    '.',
    '1.',
    '.1',
    '-1',
    '1.2.3',
    '1.-2',
    '+1',
    '1e3',
    ' 1',
    '1 ',
    '1\n',
    '0x1',
    '1000.1',
    '1.12345678901',
    '12345678901',
    '١',
  ])('%j is none', (text) => {
    expect(parseCursor(text)).toBeUndefined();
  });

  it('is read back as it was written', () => {
    expect(cursorText(BEGINNING)).toBe('1.0');
    expect(parseCursor(cursorText({ attempt: 2, seq: 99 }))).toEqual({ attempt: 2, seq: 99 });
  });
});
