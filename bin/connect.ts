/**
 * `npm run connect`: makes the bot ready on its homeserver and says what is wrong if it cannot be. Registers, names and
 * pings; may be run again at any time, and a ping that succeeds also ends the pause that Synapse makes after failures.
 */
import { parseArgs } from 'node:util';
import { matrixHttpClient } from '../functions/adapters/matrix-http/client.ts';
import { connect } from '../functions/matrix/connect.ts';
import { isUserId } from '../functions/matrix/ids.ts';
import type { Streams } from './registration.ts';

const USAGE = `Registers the bot on its homeserver, names it, and has the homeserver reach our webhook.

  AS_TOKEN=... npm run connect -- --homeserver URL --server NAME [options]

  --homeserver URL   the homeserver's client API, such as https://matrix.example.org
  --server NAME      its server_name, as in @alice:NAME
  --bot NAME         the bot's localpart (turnpike)
  --id ID            the registration's id (turnpike)
  --name TEXT        the bot's display name (left as it is)
  --avatar URL       its picture, an mxc: URL (left as it is)
  --help

The token of the registration comes from the environment: AS_TOKEN.
`;

/** Runs the command; the exit status. */
export async function main(
  args: string[],
  env: Readonly<Record<string, string | undefined>>,
  { out, err }: Streams,
): Promise<number> {
  const fail = (problem: string) => {
    err(`${problem}\n`);
    return 1;
  };
  let flags: ReturnType<typeof flagsOf>;
  try {
    flags = flagsOf(args);
  } catch (error) {
    return fail(`${(error as Error).message}\nSee --help.`);
  }
  if (flags.help) {
    out(USAGE);
    return 0;
  }
  const { homeserver, server, name, avatar, id: appserviceId } = flags;
  if (homeserver === undefined || server === undefined)
    return fail('--homeserver or --server is missing. See --help.');
  if (!/^https?:$/.test(URL.parse(homeserver)?.protocol ?? ''))
    return fail('--homeserver must be a URL of http or https.');
  if (avatar !== undefined && !avatar.startsWith('mxc://')) return fail('--avatar must be an mxc: URL.');
  const bot = `@${flags.bot}:${server}`;
  if (!isUserId(bot)) return fail(`--bot and --server make no user id: ${bot}`);
  if (!env.AS_TOKEN) return fail('AS_TOKEN is not set.');

  const client = matrixHttpClient({ homeserver, token: env.AS_TOKEN, userId: bot });
  const connected = await connect(client, { bot, appserviceId, displayName: name, avatarUrl: avatar });
  if (!connected.ok) return fail(connected.problem);
  const { registered, pingMs } = connected;
  out(`${bot} is ${registered === 'exists' ? 'registered already' : 'registered'}.\n`);
  out(`The homeserver reaches the webhook in ${pingMs} ms.\n`);
  return 0;
}

function flagsOf(args: string[]) {
  return parseArgs({
    args,
    options: {
      homeserver: { type: 'string' },
      server: { type: 'string' },
      bot: { type: 'string', default: 'turnpike' },
      id: { type: 'string', default: 'turnpike' },
      name: { type: 'string' },
      avatar: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

if (import.meta.main)
  process.exitCode = await main(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
