/**
 * The tokens of the application service, from one JSON secret: `as_token`, `hs_token`, and while one is rotated
 * `previous_hs_token` with `previous_hs_token_until` (ISO 8601). Kept for five minutes, so a rotation needs no deploy.
 */
import { getSecret } from '@aws-lambda-powertools/parameters/secrets';
import * as z from 'zod/mini';
import type { HsTokens } from '../../inbox/tokens.ts';

const MAX_AGE_S = 300;

const shape = z.object({
  as_token: z.string().check(z.minLength(1)),
  hs_token: z.string().check(z.minLength(1)),
  previous_hs_token: z.optional(z.string().check(z.minLength(1))),
  previous_hs_token_until: z.optional(z.iso.datetime({ offset: true })),
});

export type Tokens = { readonly asToken: string; readonly hsTokens: HsTokens };

/** The secret is not what it must be. Says which fields, never their values. */
export class BadSecret extends Error {
  override readonly name = 'BadSecret';
}

export async function appserviceTokens(arn: string): Promise<Tokens> {
  const secret: unknown = await getSecret(arn, { maxAge: MAX_AGE_S, transform: 'json' });
  const read = shape.safeParse(secret);
  if (!read.success)
    throw new BadSecret(
      `odd fields in the secret: ${read.error.issues.map(({ path }) => path.join('.')).join(', ')}`,
    );
  const { as_token, hs_token, previous_hs_token: token, previous_hs_token_until: until } = read.data;
  const previous =
    token !== undefined && until !== undefined ? { token, until: Date.parse(until) } : undefined;
  return { asToken: as_token, hsTokens: { current: hs_token, ...(previous && { previous }) } };
}
