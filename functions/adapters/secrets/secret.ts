/** One JSON secret, read as what it must be and kept for five minutes, so a rotation needs no deploy. */
import { getSecret } from '@aws-lambda-powertools/parameters/secrets';
import type * as z from 'zod/mini';

const MAX_AGE_S = 300;

/** The secret is not what it must be. Says which fields, never their values. */
export class BadSecret extends Error {
  override readonly name = 'BadSecret';
}

export async function readSecret<T>(arn: string, shape: z.ZodMiniType<T>): Promise<T> {
  const secret: unknown = await getSecret(arn, { maxAge: MAX_AGE_S, transform: 'json' });
  const read = shape.safeParse(secret);
  if (read.success) return read.data;
  const odd = read.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new BadSecret(`odd fields in the secret: ${odd}`);
}
