/**
 * The session of a person, as `turnpike/client` asks for it: opened with an OpenID token of the homeserver, held in
 * memory only, and opened anew when it is refused or about to end.
 */
import { openSession, type Token } from '../../../../../functions/client/client.ts';
import { openIdToken } from './dev-host.ts';

const EARLY_MS = 30_000;

export function sessionOf(as: string): Exclude<Token, string> {
  let current: Promise<{ session: string; expires: number }> | undefined;
  const open = async () => {
    const opened = await openSession('', { openid: await openIdToken(as) });
    if ('confirm' in opened) throw new Error('This host asks for a code, which the page cannot give.');
    return opened;
  };
  return async (refused) => {
    const asked = current;
    const kept = await asked?.catch(() => undefined);
    const isGood = kept && kept.session !== refused && kept.expires - EARLY_MS > Date.now();
    // One for all who ask at once: a host opens ten a minute.
    if (!isGood && current === asked) current = open();
    return (await current!).session;
  };
}
