/** What must be true when a schedule of the flow's model has settled: of each message, of the room, of what was redacted. */
import { keys } from '../../../functions/gate/keys.ts';
import { WINDOW_MS, windowOf } from '../../../functions/gate/limits.ts';
import { type Decided, recordOf } from '../../../functions/inbox/record.ts';
import { ownKey } from '../../../functions/matrix/own-key.ts';
import { keys as memoryKeys } from '../../../functions/memory/keys.ts';
import type { Row } from '../../../functions/runtime/table.ts';
import { isTerminal } from '../../../functions/turns/head.ts';
import { canonical } from '../../../functions/turns/log.ts';
import { startMessages } from '../../../functions/turns/redact.ts';
import type { Said, Script } from './script.ts';
import { BOT, type FlowSystem, SERVER } from './system.ts';

export function judgeFlow(system: FlowSystem, script: Script): void {
  const { world, gate, log } = system;
  const decided = new Map<string, Decided>();
  for (const one of script.said) {
    const record = recordOf(gate.get(keys.record(one.room, one.event)));
    if (!record.decided && !record.redacted) world.fail('a message was never decided');
    if (record.decided && !record.finished) world.fail('a record is not finished', record.decided.kind);
    if (record.decided) decided.set(one.event, record.decided);
  }
  for (const row of gate.all())
    if (row.sk === 'E' && row.dec !== undefined && row.fin !== true)
      world.fail('a record is left open', String(row.kind));
  for (const head of log.rows.all().filter((row) => row.sk === 'HEAD')) {
    if (!isTerminal(log.head(head.pk)!)) world.fail(`a turn is left: ${head.st} ${head.ph}`);
    if (![...decided.values()].some(({ turn }) => turn === head.pk)) world.fail('a turn without a decision');
  }
  for (const one of script.said) judgeMessage(system, one, decided);
  for (const one of decided.values()) if (one.reason === 'rate-limited') judgeLimit(system, one);
  judgeRoom(system, script);
  judgeMemory(system, script, decided);
}

/** The turns that answered a message, by their start events. */
function answeredBy({ log }: FlowSystem, turn: string): string[] {
  return [...log.logs.keys()].filter((id) => {
    const list = startMessages(canonical(log.logs.get(id) ?? []));
    return list ? list.includes(turn) : id === turn;
  });
}

function judgeMessage(system: FlowSystem, one: Said, decided: ReadonlyMap<string, Decided>): void {
  const { world, log } = system;
  const turn = decided.get(one.event)?.turn;
  if (turn === undefined) return;
  const head = log.head(turn);
  if (!head) {
    if (!one.redacted) world.fail('an accepted message has no turn');
    return;
  }
  const complete = answeredBy(system, turn).filter((id) => log.head(id)?.status === 'complete');
  if (complete.length > 1) world.fail('a message was answered twice');
  if (head.reason !== 'merged') return;
  const into = log.logs.get(turn)?.at(-1)?.event;
  const target = into?.type === 'turn_status' ? into.into : undefined;
  if (!target || !startMessages(canonical(log.logs.get(target) ?? []))?.includes(turn))
    world.fail('merged into a turn without it');
  const end = target === undefined ? undefined : log.head(target);
  if (!one.redacted && end?.status === 'cancelled' && end.reason === 'redacted')
    world.fail('lost with a redacted message');
}

/** Who is refused for a limit has had as many turns in the window. */
function judgeLimit({ world, gate, limits }: FlowSystem, { sender, received }: Decided): void {
  const row = gate.get(keys.limit(`sender\0${sender}`, windowOf(received, WINDOW_MS)));
  const turns = [...((row?.ids as ReadonlySet<string> | undefined) ?? [])].filter((id) => id.length === 22);
  if (turns.length < limits.senderTurns) world.fail('refused below the limit');
}

function judgeRoom({ world, rooms }: FlowSystem, script: Script): void {
  for (const room of [script.rooms.direct, script.rooms.group]) {
    const parts = rooms.timeline(room).flatMap(({ sender, content }) => {
      const own = sender === BOT ? ownKey(content) : undefined;
      return own ? [`${own.turn} ${own.part}`] : [];
    });
    if (new Set(parts).size !== parts.length) world.fail('a part was posted twice');
  }
}

const says = (row: Row, word: string) =>
  Object.values(row).some((value) => typeof value === 'string' && value.includes(word));

function judgeMemory(system: FlowSystem, script: Script, decided: ReadonlyMap<string, Decided>): void {
  const { world, gate, memory, log } = system;
  for (const one of script.said) {
    const record = decided.get(one.event);
    const row = memory.get(memoryKeys.message({ tenant: SERVER, room: one.room }, one.event));
    if (one.redacted) {
      const turn = record?.turn;
      const answers = turn === undefined ? [] : answeredBy(system, turn);
      const others = answers.flatMap((id) => startMessages(canonical(log.logs.get(id) ?? [])) ?? [id]);
      const alone = others.every((id) =>
        script.said.some((said) => said.redacted && decided.get(said.event)?.turn === id),
      );
      const own = (found: Row) => found.pk === turn || !alone;
      for (const found of [...gate.all(), ...memory.all(), ...log.rows.all()])
        if (says(found, one.word) && !(own(found) && !alone))
          world.fail('redacted words are left', `${found.pk} ${found.sk}`);
      continue;
    }
    if (!record?.captured) continue;
    if (!row) world.fail('a captured message is not in memory');
    else if (row.body !== undefined && !String(row.body).startsWith(one.edited ?? one.word))
      world.fail('memory has other words', String(row.body));
    const pointers = memory.query({
      ...memoryKeys.pointers({ tenant: SERVER, room: one.room }),
      limit: 1_000,
    });
    if (pointers.filter(({ ev }) => ev === one.event).length !== 1)
      world.fail('not one pointer to a captured message');
  }
}
