/**
 * Reading JSON that somebody else wrote: whatever comes, a reader answers and never throws. Names that come from
 * outside are looked up as own properties only, so that `constructor` is a name like any other.
 */

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The own property `name` of `value`; undefined if `value` is no record or has no such property. */
export const at = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The same if it is a string that is not empty. */
export function textAt(value: unknown, name: string): string | undefined {
  const found = at(value, name);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The same if it is a record. */
export function recordAt(value: unknown, name: string): Json | undefined {
  const found = at(value, name);
  return isRecord(found) ? found : undefined;
}

/** The strings of `value`, if it is an array; anything else in it is left out. */
export const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
