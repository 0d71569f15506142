/**
 * `npm run bench`: measures what the product promises, each bench in a process of its own, and prints a table. A target
 * that is missed is shown, and is no failure; the exit status is 1 only if something could not be measured.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bench, Measured, Values } from './bench.ts';
import { benches } from './benches.ts';
import { head, json, row } from './report.ts';

const USAGE = `Measures what is promised.

  npm run bench -- [options]

  --only NAME        only the figures of that name, or whose names begin so
  --json             one JSON object a line: name, value, unit, target, baseline
  --without-synapse  not what needs a real homeserver, which is installed at the first time
  --help
`;

const runner = fileURLToPath(new URL('run.ts', import.meta.url));
/** A bench that takes longer is stuck. */
const LIMIT_MS = 5 * 60_000;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
      'without-synapse': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(USAGE);
  const asked = (name: string) => values.only === undefined || name.startsWith(values.only);
  const selected = Object.entries(benches).filter(
    ([, bench]) => Object.keys(bench.figures).some(asked) && !(bench.synapse && values['without-synapse']),
  );
  if (selected.length === 0) return say(`no figure is called ${values.only}\n`, 1);
  if (!values.json) say(`${head}\n`);
  let status = 0;
  for (const [name, bench] of selected) {
    const measured = await measure(name);
    if (!measured) status = say(`${name}: could not be measured\n`, 1);
    else
      for (const one of figuresOf(bench, measured).filter((one) => asked(one.name)))
        say(`${values.json ? json(one) : row(one)}\n`);
  }
  return status;
}

const figuresOf = (bench: Bench, measured: Values): Measured[] =>
  Object.entries(bench.figures).map(([name, figure]) => {
    const value = measured[name]!;
    return { name, ...figure, ...(typeof value === 'number' ? { value } : value) };
  });

/** Undefined if the bench's process ends without an answer; it has said why. */
async function measure(name: string): Promise<Values | undefined> {
  const child = fork(runner, [name], { timeout: LIMIT_MS, killSignal: 'SIGKILL' });
  let answer: Values | undefined;
  child.once('message', (values) => {
    answer = values as Values;
  });
  await once(child, 'exit');
  return answer;
}

function say(text: string, status = 0): number {
  (status === 0 ? process.stdout : process.stderr).write(text);
  return status;
}

process.exitCode = await main(process.argv.slice(2));
