/**
 * The tokens of the application service, from one JSON secret: `as_token`, `hs_token`, and while one is rotated
 * `previous_hs_token` with `previous_hs_token_until` (ISO 8601). Kept for five minutes, so a rotation needs no deploy.
 */
import * as z from 'zod/mini';
import type { HsTokens } from '../../inbox/tokens.ts';
import { readSecret } from './secret.ts';

const shape = z.object({
  as_token: z.string().check(z.minLength(1)),
  hs_token: z.string().check(z.minLength(1)),
  previous_hs_token: z.optional(z.string().check(z.minLength(1))),
  previous_hs_token_until: z.optional(z.iso.datetime({ offset: true })),
});

export type Tokens = { readonly asToken: string; readonly hsTokens: HsTokens };

export async function appserviceTokens(arn: string): Promise<Tokens> {
  const {
    as_token,
    hs_token,
    previous_hs_token: token,
    previous_hs_token_until: until,
  } = await readSecret(arn, shape);
  const previous =
    token !== undefined && until !== undefined ? { token, until: Date.parse(until) } : undefined;
  return { asToken: as_token, hsTokens: { current: hs_token, ...(previous && { previous }) } };
}
