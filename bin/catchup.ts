/**
 * `npm run catchup -- ROOM`: reads back what a homeserver lost and decides it like any pushed event. What was decided
 * before is known by its id, so it is safe to run at any time, as often as one likes.
 */
import { parseArgs } from 'node:util';
import { assemble } from '../functions/adapters/lambda/assemble.ts';
import { composeInbox, taking } from '../functions/adapters/lambda/compose.ts';
import { BadEnvironment } from '../functions/adapters/lambda/env.ts';
import { isMatrixError } from '../functions/matrix/client.ts';
import { catchUp } from '../functions/work/catch-up.ts';

const USAGE = `Reads back the messages of a room that were never pushed, and decides them.

  npm run catchup -- ROOM [--hours N] [--limit N]

  ROOM        a room id, or an alias
  --hours N   how far back (24)
  --limit N   at most so many messages (1000)

It needs the environment of the worker (its tables, queues, secret and homeserver), and the rights to use them.
`;

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      hours: { type: 'string', default: '24' },
      limit: { type: 'string', default: '1000' },
      help: { type: 'boolean', default: false },
    },
  });
  const [name] = positionals;
  if (values.help || name === undefined) return say(USAGE, values.help ? 0 : 1);
  const [hours, limit] = [Number(values.hours), Number(values.limit)];
  if (!(hours > 0) || !Number.isInteger(limit) || limit <= 0)
    return say('--hours and --limit must be numbers above 0.\n', 1);
  try {
    const { config, parts } = assemble('catchup');
    const room = name.startsWith('#') ? await parts.matrix.resolveAlias(name) : name;
    if (room === undefined) return say(`There is no room ${name}.\n`, 1);
    const deps = { matrix: parts.matrix, bot: config.namespace.bot, take: taking(composeInbox(parts)) };
    const read = await catchUp(deps, room, Date.now() - hours * 3_600_000, limit);
    return say(`${read} messages were read back; those that were not known yet are decided.\n`);
  } catch (error) {
    if (error instanceof BadEnvironment) return say(`${error.faults.join('\n')}\n`, 1);
    if (isMatrixError(error)) return say(`The homeserver said no: ${error.message}\n`, 1);
    throw error;
  }
}

function say(text: string, status = 0): number {
  (status === 0 ? process.stdout : process.stderr).write(text);
  return status;
}

process.exitCode = await main(process.argv.slice(2));
