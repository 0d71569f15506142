/** What is said in a room: sending, state, redactions, reading back, members, typing, receipts. */
import { z } from 'zod';
import type { StoredEvent } from '../world/event.ts';
import { invalid } from '../world/fault.ts';
import type { World } from '../world.ts';
import { bodyOf, jsonQuery, numberQuery, type OwnRequest, own, type Route } from './route.ts';

const content = z.record(z.string(), z.unknown());
const strings = z.array(z.string()).optional();
const filter = z.object({ senders: strings, not_senders: strings, types: strings, not_types: strings });
const membership = z.enum(['join', 'invite', 'leave', 'ban']).optional();
const members = z.object({ membership, not_membership: membership });

const room = '/_matrix/client/v3/rooms/:room';

export function eventRoutes(world: World): Route[] {
  const show = (request: OwnRequest, event: StoredEvent) =>
    world.clientEvent(event, { legacy: true, reader: request.requester });
  const transaction = ({ requester, params }: OwnRequest) => ({ owner: requester.owner, id: params.txn! });

  const setState = (request: OwnRequest) => {
    const { room, type, key = '' } = request.params;
    const { user } = request.requester;
    return { json: { event_id: world.setState(user, room!, type!, key, bodyOf(request, content)) } };
  };
  const readState = (request: OwnRequest) => {
    const { room, type, key = '' } = request.params;
    const event = world.stateEvent(request.requester.user, room!, type!, key);
    return { json: request.query.get('format') === 'event' ? show(request, event) : event.content };
  };

  return [
    own('PUT', `${room}/send/:type/:txn`, 'send', (request) => {
      const { room, type } = request.params;
      const { user } = request.requester;
      const said = bodyOf(request, content);
      return { json: { event_id: world.send(user, room!, type!, said, transaction(request)) } };
    }),
    own('PUT', `${room}/redact/:event/:txn`, 'redact', (request) => {
      const { room, event } = request.params;
      const { reason } = bodyOf(request, z.object({ reason: z.string().optional() }));
      const options = { reason, transaction: transaction(request) };
      return { json: { event_id: world.redact(request.requester.user, room!, event!, options) } };
    }),
    own('PUT', `${room}/state/:type`, 'setState', setState),
    own('PUT', `${room}/state/:type/:key`, 'setState', setState),
    own('GET', `${room}/state/:type`, 'state', readState),
    own('GET', `${room}/state/:type/:key`, 'state', readState),
    own('GET', `${room}/state`, 'state', (request) => ({
      json: world.state(request.requester.user, request.params.room!).map((event) => show(request, event)),
    })),

    own('GET', `${room}/event/:event`, 'event', (request) => {
      const { room, event } = request.params;
      return { json: show(request, world.event(request.requester.user, room!, event!)) };
    }),
    own('GET', `${room}/messages`, 'messages', (request) => {
      const { query, requester, params } = request;
      const dir = query.get('dir') ?? 'f';
      if (dir !== 'b' && dir !== 'f')
        throw invalid("Query parameter 'dir' must be one of ['b', 'f']", 'M_INVALID_PARAM');
      const page = world.messages(requester.user, params.room!, {
        dir,
        from: query.get('from') ?? undefined,
        to: query.get('to') ?? undefined,
        limit: numberQuery(request, 'limit'),
        filter: jsonQuery(request, 'filter', filter),
      });
      return { json: { ...page, chunk: page.chunk.map((event) => show(request, event)) } };
    }),
    own('GET', `${room}/members`, 'members', (request) => {
      const wanted = members.safeParse(Object.fromEntries(request.query));
      if (!wanted.success) throw invalid('membership is not one of them', 'M_INVALID_PARAM');
      const list = world.members(request.requester.user, request.params.room!, wanted.data);
      return { json: { chunk: list.map((event) => show(request, event)) } };
    }),
    own('GET', `${room}/joined_members`, 'joinedMembers', ({ requester, params }) => ({
      json: { joined: world.joinedMembers(requester.user, params.room!) },
    })),

    own('PUT', `${room}/typing/:user`, 'typing', (request) => {
      const { room, user } = request.params;
      const { typing, timeout } = bodyOf(
        request,
        z.object({ typing: z.boolean(), timeout: z.int().min(0).optional() }),
      );
      if (user !== request.requester.user)
        throw invalid("Cannot set another user's typing state", 'M_FORBIDDEN');
      world.setTyping(user!, room!, typing, timeout);
      return { json: {} };
    }),
    own('POST', `${room}/receipt/:type/:event`, 'receipt', (request) => {
      const { room, type, event } = request.params;
      const { thread_id } = bodyOf(request, z.object({ thread_id: z.string().optional() }));
      world.sendReceipt(request.requester.user, room!, type!, event!, thread_id);
      return { json: {} };
    }),
  ];
}
