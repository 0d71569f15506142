/** A session of one of the stand-in homeserver's people, got as any client gets one. */
import type { Stack } from '../../bin/dev/stack.ts';
import { openSession } from '../../functions/client/client.ts';

export async function sessionOf(stack: Stack, name: string): Promise<{ openid: string; session: string }> {
  const openid = stack.standIn!.homeserver.world.requestOpenIdToken(`@${name}:${stack.server}`);
  const opened = await openSession(stack.url, { openid });
  if (!('session' in opened)) throw new Error('a code is asked for');
  return { openid: openid.access_token, session: opened.session };
}
