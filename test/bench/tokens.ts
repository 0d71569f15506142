/** What a model streams: pieces of four to five characters on average, as tokenizers cut English. */

const PIECES = [
  'The',
  ' turn',
  'pike',
  ' opens',
  ' when',
  ' the',
  ' house',
  ' keeper',
  ' hears',
  ' who',
  ' comes',
  ',',
  ' and',
  ' every',
  ' word',
  ' is',
  ' written',
  ' down',
  ' be',
  'fore',
  ' any',
  'body',
  ' else',
  ' may',
  ' read',
  ' it',
  '.',
];

/** The same pieces for the same number. */
export const tokens = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => PIECES[n % PIECES.length]!);
