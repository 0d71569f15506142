/** What must be true in the end: of each turn, of what stands in the room, and of every client. */
import { isTerminal } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { canonical, textOf } from '../../functions/turns/log.ts';
import { startMessages } from '../../functions/turns/redact.ts';
import type { Client } from './client.ts';
import type { System, Turn } from './system.ts';
import type { World } from './world.ts';

export function judge({ world, log, posts, turns, mutant }: System, turn: Turn): void {
  const head = log.head(turn.id);
  if (!head || !isTerminal(head)) {
    world.fail(head ? `not settled: ${head.status} ${head.phase}` : 'a turn is nowhere');
    return;
  }
  const { status, attempt, reason } = head;
  const whole = log.logs.get(turn.id) ?? [];
  const events = canonical(whole);
  for (const row of log.rows.query({ pk: turn.id, from: 'S#', to: 'S#~', limit: 10_000 }))
    log.checkSegment(turn.id, row);
  if (turn.cancelled && status === 'complete') world.fail('complete after an acknowledged cancel');
  if (turn.tooLate && status === 'cancelled') world.fail('cancelled after too late');
  const final = log.rows.get(keys.final(turn.id, mutant.finalOf?.(attempt) ?? attempt));
  if (status === 'complete' && (!final || JSON.parse(final.m as string).content !== textOf(events)))
    world.fail('FINAL differs from the log');
  if (log.foreign.has(turn.id) && final) world.fail('FINAL counts after a foreign close');
  const starts = events.filter(({ event }) => event.type === 'start');
  if (status === 'complete' && starts.length !== 1) world.fail('not one start event');
  if (starts.length > 0 && events[0]!.event.type !== 'start') world.fail('start is not first');
  if (reason === 'merged') {
    const end = whole.at(-1)!.event;
    const into = end.type === 'turn_status' ? turns.find(({ id }) => id === end.into) : undefined;
    if (!into || !startMessages(canonical(log.logs.get(into.id) ?? []))?.includes(turn.id))
      world.fail('merged into a turn without it');
  }
  judgeText(world, turn, status, textOf(events));
  const own = posts.posts.filter((post) => post.turn === turn.id);
  for (const part of new Set(own.map((post) => post.part)))
    if (own.filter((post) => post.part === part).length > 1)
      world.fail(part === 'note#0' ? 'a note was posted twice' : 'a part was posted twice');
  const answer = own.filter(({ part }) => !/^(note|ask)#/.test(part));
  if (status === 'cancelled' && answer.length > 0) world.fail('posted though cancelled');
  if (status === 'complete' && turn.meta.source.kind === 'matrix' && answer.length === 0)
    world.fail('complete without a post');
}

/** Each piece names its step and who wrote it: a step is one writer's, a complete turn has all, a consent is the first. */
function judgeText(world: World, turn: Turn, status: string, text: string): void {
  const writers = new Map<string, string>();
  for (const [, step, writer] of text.matchAll(/<(\d+)\.(\d+\.\d+):/g)) {
    if ((writers.get(step!) ?? writer) !== writer) world.fail('a step of two writers');
    writers.set(step!, writer!);
  }
  if (status !== 'complete') return;
  if (writers.size !== turn.plan.steps) world.fail('a step is missing');
  if (turn.plan.ask >= 0 && !/<\d+\.\d+\.\d+:(yes|no)>/.test(text)) world.fail('complete without consent');
}

export function judgeClient({ world, log }: System, turn: Turn, client: Client, who: string): void {
  const head = log.head(turn.id);
  if (!head || !isTerminal(head)) return;
  const text = canonical(log.logs.get(turn.id) ?? [])
    .map(({ event }) => (event.type === 'text' ? event.text : ''))
    .join('');
  if (!client.done) world.fail(`${who} is stuck`);
  else if (client.status !== head.status) world.fail(`${who} has another status`);
  else if (client.gapped) world.fail(`${who} saw a gap`);
  else if (client.text !== text) world.fail(`${who} has another text`);
}
