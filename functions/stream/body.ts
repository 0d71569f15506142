/** Reads what a client sends: a JSON object of bounded size, whose fields are taken one by one and only as what they must be. */
import { badRequest, HttpError } from './http-error.ts';
import type { StreamRequest } from './ports.ts';

export type Fields = Readonly<Record<string, unknown>>;

const MAX_BYTES = 64 * 1024;
/** Characters of what clients name: conversations, messages, idempotency keys. */
export const MAX_NAME = 200;

/** 413 beyond `maxBytes`, 415 unless it says that it is JSON, 400 unless it is an object. */
export function readJson(request: StreamRequest, maxBytes = MAX_BYTES): Fields {
  const text = request.body();
  if (Buffer.byteLength(text) > maxBytes)
    throw new HttpError('too_large', `a body has at most ${maxBytes} bytes`);
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new HttpError('not_json', 'the body must be application/json');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest('the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('the body is not a JSON object');
  return value as Fields;
}

/** A field that is text of 1 to `max` characters. */
export function textField(fields: Fields, name: string, max: number): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (typeof value !== 'string' || value.trim() === '' || value.length > max)
    throw badRequest(`${name} must be text of 1 to ${max} characters`);
  return value;
}

/** The same, where it may be absent. */
export const optionalText = (fields: Fields, name: string, max: number): string | undefined =>
  Object.hasOwn(fields, name) && fields[name] !== undefined ? textField(fields, name, max) : undefined;

/** A field that is one of a few words. */
export function wordField<const Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
  otherwise?: Word,
): Word {
  const value = Object.hasOwn(fields, name) ? fields[name] : otherwise;
  const word = words.find((one) => one === value);
  if (word === undefined) throw badRequest(`${name} must be one of ${words.join(', ')}`);
  return word;
}
