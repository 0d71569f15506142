/**
 * `npm run registration`: prints the file by which a homeserver learns of Turnpike, or checks one that is there. A file
 * with faults is never printed; they are named, all of them, and the exit status is 1. Writes to no file and calls nobody.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { parseDocument, stringify } from 'yaml';
import { faultsOf, registration } from '../functions/matrix/registration.ts';

const USAGE = `Prints the registration of the application service, for the homeserver's configuration.

  npm run --silent registration -- --url URL --server NAME [options] > turnpike.yaml
  npm run registration -- --check FILE --server NAME [options]

  --url URL        where the homeserver finds the webhook, without a slash at its end
  --server NAME    the homeserver's server_name, as in @alice:NAME
  --bot NAME       the bot's localpart (turnpike)
  --prefix TEXT    what the names of our other users and our aliases begin with (the bot's localpart and "_")
  --id ID          the registration's id (turnpike)
  --generate       make new tokens; else they come from the environment: AS_TOKEN and HS_TOKEN
  --check FILE     check that file instead, and name every fault
  --help

The file holds both tokens: keep it secret.
`;

export type Streams = { out(text: string): void; err(text: string): void };

/** Runs the command; the exit status. */
export async function main(
  args: string[],
  env: Readonly<Record<string, string | undefined>>,
  { out, err }: Streams,
): Promise<number> {
  const fail = (...problems: string[]) => {
    for (const problem of problems) err(`${problem}\n`);
    return 1;
  };
  let flags: ReturnType<typeof flagsOf>;
  try {
    flags = flagsOf(args);
  } catch (error) {
    return fail((error as Error).message, 'See --help.');
  }
  if (flags.help) {
    out(USAGE);
    return 0;
  }
  const { url, server, bot, prefix = `${bot}_`, id, check, generate } = flags;
  if (server === undefined) return fail('--server is missing. See --help.');

  if (check !== undefined) {
    const read = await readYaml(check);
    if ('problem' in read) return fail(`${check}: ${read.problem}`);
    const faults = faultsOf(read.value, { prefix, server });
    if (faults.length > 0) return fail(...faults.map((fault) => `${check}: ${fault}`));
    out(`${check}: no faults\n`);
    return 0;
  }

  if (url === undefined) return fail('--url is missing. See --help.');
  const asToken = generate ? newToken() : env.AS_TOKEN;
  const hsToken = generate ? newToken() : env.HS_TOKEN;
  if (!asToken || !hsToken) return fail('AS_TOKEN or HS_TOKEN is not set: set both, or use --generate.');
  const made = registration({ id, url, server, bot, prefix, asToken, hsToken });
  const faults = faultsOf(made, { prefix, server });
  if (faults.length > 0) return fail(...faults);
  out(stringify(made));
  return 0;
}

const newToken = () => randomBytes(32).toString('base64url');

function flagsOf(args: string[]) {
  return parseArgs({
    args,
    options: {
      url: { type: 'string' },
      server: { type: 'string' },
      bot: { type: 'string', default: 'turnpike' },
      prefix: { type: 'string' },
      id: { type: 'string', default: 'turnpike' },
      generate: { type: 'boolean', default: false },
      check: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  }).values;
}

/** A parser's own message is not shown: it quotes the lines around the fault, and one may be a token. */
async function readYaml(file: string): Promise<{ value: unknown } | { problem: string }> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  const document = parseDocument(text);
  const [fault] = document.errors;
  return fault
    ? { problem: `no YAML: ${fault.code} in line ${fault.linePos?.[0].line ?? '?'}` }
    : { value: document.toJS() };
}

if (import.meta.main)
  process.exitCode = await main(process.argv.slice(2), process.env, {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
