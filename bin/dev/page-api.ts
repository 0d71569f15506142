/**
 * What the page of development is shown, below `/dev/page`: the stand-in homeserver's people, the rooms of each, what was
 * said in a room and what the gate made of it, and an OpenID token, with which the page opens a session as any client
 * does. What somebody may not see is a `MatrixFault`, as for a client of theirs.
 */
import { keys } from '../../functions/gate/keys.ts';
import { recordOf } from '../../functions/inbox/record.ts';
import { ownKey } from '../../functions/matrix/own-key.ts';
import type { Table } from '../../functions/runtime/table.ts';
import { isObject, type StoredEvent } from './homeserver/world/event.ts';
import type { OpenIdToken } from './homeserver/world/openid.ts';
import type { World } from './homeserver/world.ts';
import type { Decision, Message, People, Person, Room, Rooms, Timeline } from './page/shown.ts';

export type PageSource = {
  readonly world: World;
  /** Local parts. */
  readonly people: readonly string[];
  readonly gate: Pick<Table, 'get'>;
};

export type PageAnswer = People | Rooms | Timeline | { readonly openid: OpenIdToken };

/** Answers a method and the path's parts behind `/dev/page`; undefined if there is nothing. */
export type PageApi = (method: string, path: readonly string[]) => Promise<PageAnswer | undefined>;

const NEWEST = 50;
/** An edit is a message too. */
const READ = 200;

/** Without a source, as with a real homeserver, there is nobody. */
export function pageApi(source: PageSource | undefined): PageApi {
  const people = source ? peopleOf(source) : [];
  const decisionOf = source && decisions(source.gate);
  return async (method, [list, name, what, room, ...more]) => {
    if (list !== 'people' || more.length > 0) return undefined;
    if (method === 'GET' && name === undefined) return { people };
    const user = people.find((one) => one.name === name)?.user;
    if (!source || !decisionOf || user === undefined) return undefined;
    if (method === 'POST' && what === 'openid') return { openid: source.world.requestOpenIdToken(user) };
    if (method !== 'GET' || what !== 'rooms') return undefined;
    return room === undefined
      ? { rooms: source.world.joinedRooms(user).map((id) => roomOf(source.world, user, id)) }
      : timeline(source.world, decisionOf, user, room);
  };
}

const peopleOf = ({ world, people }: PageSource): Person[] =>
  people.map((name) => ({ name, user: `@${name}:${world.serverName}` }));

function roomOf(world: World, user: string, id: string): Room {
  const members = Object.keys(world.joinedMembers(user, id));
  const named = world.state(user, id).find(({ type }) => type === 'm.room.name')?.content.name;
  const kind = members.length > 2 ? 'group' : 'direct';
  return { id, kind, members, name: typeof named === 'string' ? named : kind };
}

type DecisionOf = (event: StoredEvent) => Promise<Decision | undefined>;

async function timeline(world: World, decisionOf: DecisionOf, user: string, room: string): Promise<Timeline> {
  const { chunk } = world.messages(user, room, {
    dir: 'b',
    limit: READ,
    filter: { types: ['m.room.message'] },
  });
  const edits = new Map<string, string>();
  const said: { event: StoredEvent; text: string }[] = [];
  for (const event of chunk) {
    const { content, sender } = event;
    const relation = content['m.relates_to'];
    if (isObject(relation) && relation.rel_type === 'm.replace') {
      const fresh = content['m.new_content'];
      const of = `${sender} ${relation.event_id}`;
      // Newest first: the first edit that is met is the last one made.
      if (!edits.has(of) && isObject(fresh) && typeof fresh.body === 'string') edits.set(of, fresh.body);
    } else if (typeof content.body === 'string')
      said.push({ event, text: edits.get(`${sender} ${event.id}`) ?? content.body });
  }
  const newest = said.slice(0, NEWEST).reverse();
  return {
    messages: await Promise.all(newest.map(({ event, text }) => messageOf(world, decisionOf, event, text))),
  };
}

async function messageOf(
  world: World,
  decisionOf: DecisionOf,
  event: StoredEvent,
  text: string,
): Promise<Message> {
  const message = { event: event.id, sender: event.sender, text, at: event.ts };
  if (event.sender !== world.service?.sender) {
    const decision = await decisionOf(event);
    return { ...message, ...(decision && { decision }) };
  }
  const turn = ownKey(event.content)?.turn;
  return { ...message, ...(turn !== undefined && { turn }) };
}

/** A decision stands for ever, so it is read once. */
function decisions(gate: PageSource['gate']): DecisionOf {
  const known = new WeakMap<StoredEvent, Decision>();
  return async (event) => {
    const before = known.get(event);
    if (before) return before;
    const { decided } = recordOf(await gate.get(keys.record(event.room, event.id)));
    if (!decided) return undefined;
    const { turn, reason } = decided;
    const decision = { respond: turn !== undefined, reason, ...(turn !== undefined && { turn }) };
    known.set(event, decision);
    return decision;
  };
}
