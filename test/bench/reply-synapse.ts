/**
 * The same as `reply.ts`, on a real Synapse. The baseline is the slowest median of a resident bot that keeps all its state
 * in memory, and loses whatever is unanswered when it is killed.
 */
import { BOT, readTokens } from '../../bin/dev/folder.ts';
import { matrixHttpClient } from '../../functions/adapters/matrix-http/client.ts';
import { connect } from '../../functions/matrix/connect.ts';
import { freePort, startSynapse } from '../services/synapse/server.ts';
import type { Bench } from './bench.ts';
import { botOf, heard } from './reply.ts';
import { AT_ONCE, type Running, withStack } from './running.ts';

export const replySynapse: Bench = {
  figures: {
    reply_first_p50_ms: { unit: 'ms', target: '<= 150', baseline: 48 },
    reply_last_p50_ms: { unit: 'ms', target: '<= 150', baseline: 48 },
  },
  synapse: true,
  async measure() {
    const server = 'localhost';
    // The functions look for it only when they are asked something, so it may start after them, with their registration.
    const port = await freePort();
    const homeserver = { url: `http://127.0.0.1:${port}`, server };
    const { first, last } = await withStack({ env: AT_ONCE, homeserver }, async (running) => {
      const synapse = await startSynapse({ registrations: [running.stack.registrationPath], server, port });
      try {
        await connected(running);
        return await heard(running);
      } finally {
        await synapse.remove();
      }
    });
    return { reply_first_p50_ms: first, reply_last_p50_ms: last };
  },
};

async function connected(running: Running): Promise<void> {
  const { as_token: token } = await readTokens(running.folder);
  const bot = botOf(running);
  const client = matrixHttpClient({ homeserver: running.stack.homeserverUrl, token, userId: bot });
  const outcome = await connect(client, { bot, appserviceId: BOT.id, displayName: 'Agent' });
  if (!outcome.ok) throw new Error(outcome.problem);
}
