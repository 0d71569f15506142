/**
 * Resident memory after 1,000 turns of 100 people, ten at a time, in MB: of each function's process, and of the host with
 * its stand-ins, which here also speaks for the people.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';
import { type People, peopleOf } from './people.ts';
import { AT_ONCE, withStack } from './running.ts';

const PEOPLE = 100;
const TURNS_EACH = 10;
const AT_A_TIME = 10;
const FUNCTIONS = ['webhook', 'worker', 'sweep'] as const;

export const memory: Bench = {
  figures: Object.fromEntries(['host', ...FUNCTIONS].map((name) => [`rss_mb_${name}`, { unit: 'MB' }])),
  measure: () =>
    withStack({ env: AT_ONCE }, async ({ stack, folder }) => {
      const people = peopleOf(stack);
      const waiting = people.register(PEOPLE).map((person) => ({ person, room: people.direct(person) }));
      await people.quiet();
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift())
          for (let n = 0; n < TURNS_EACH; n++) await talk(people, next.person, next.room);
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, work));
      const processes = await listed();
      const bytesOf = (name: string) =>
        processes.find(
          ({ parent, command }) => parent === process.pid && command.includes(`${folder}/${name}/`),
        )!.kb;
      return {
        rss_mb_host: process.memoryUsage.rss() / 1_000_000,
        ...Object.fromEntries(
          FUNCTIONS.map((name) => [`rss_mb_${name}`, (bytesOf(name) * 1_024) / 1_000_000]),
        ),
      };
    }),
};

function talk(people: People, person: string, room: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = people.onReply((where) => {
      if (where !== room) return;
      stop();
      resolve();
    });
    people.say(person, room, 'hello');
  });
}

async function listed() {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'ppid=,rss=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, parent, kb, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ parent: Number(parent), kb: Number(kb), command }];
  });
}
