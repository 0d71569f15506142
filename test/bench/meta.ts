/** A turn as a client starts it. */
import { KEEP_TURN_S, type Meta } from '../../functions/turns/meta.ts';

export const httpMeta = (now: number): Meta => ({
  tenant: 'example.org',
  principal: '@alice:example.org',
  conversation: 'Y29udmVyc2F0aW9uMTIzNA',
  order: `${now}000`,
  source: { kind: 'http' },
  input: 'Tell me about the turnpike.',
  created: now,
  expires: Math.floor(now / 1_000) + KEEP_TURN_S,
});
