/**
 * What signs sessions and tickets, from the JSON secret that holds the tokens too: `session_key` (at least 32 characters),
 * and while it is rotated `previous_session_key` with `previous_session_key_until` (ISO 8601). Kept for five minutes.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { SigningKey, SigningKeys } from '../../access/ports.ts';
import { readSecret } from './secret.ts';

const MIN_CHARACTERS = 32;

const key = z.string().check(z.minLength(MIN_CHARACTERS));
const shape = z.object({
  session_key: key,
  previous_session_key: z.optional(key),
  previous_session_key_until: z.optional(z.iso.datetime({ offset: true })),
});

export async function sessionKeys(arn: string): Promise<SigningKeys> {
  const secret = await readSecret(arn, shape);
  const { session_key, previous_session_key: before, previous_session_key_until: until } = secret;
  const previous =
    before !== undefined && until !== undefined ? { ...keyOf(before), until: Date.parse(until) } : undefined;
  return { current: keyOf(session_key), ...(previous && { previous }) };
}

/** A key's id says nothing of the key. */
const keyOf = (text: string): SigningKey => ({
  id: createHash('sha256').update(`id of ${text}`).digest('base64url').slice(0, 8),
  secret: new TextEncoder().encode(text),
});
