/**
 * The directory of aliases. An alias of an exclusive namespace is the service's alone; one that exists is not
 * overwritten (https://spec.matrix.org/v1.16/client-server-api/#room-aliases).
 */
import { forbidden, invalid, MatrixFault, notFound } from './fault.ts';
import { powerOf, powerToSend } from './power.ts';
import { joinedRoom, type WorldState } from './state.ts';

/** Whether the user may make it; one that exists is refused with `taken`. */
export function checkAlias(world: WorldState, user: string, alias: string, taken: MatrixFault): void {
  if (!/^#[^:]+:./.test(alias) || !alias.endsWith(`:${world.serverName}`))
    throw invalid('Room alias must be local', 'M_INVALID_PARAM');
  const { service } = world;
  if (service?.reservesAlias(alias) && !service.isOurs(user))
    throw invalid('This alias is reserved by an application service.', 'M_EXCLUSIVE');
  if (world.aliases.has(alias)) throw taken;
}

export function setAlias(world: WorldState, user: string, alias: string, roomId: string): void {
  checkAlias(world, user, alias, new MatrixFault(409, 'M_UNKNOWN', `Room alias ${alias} already exists`));
  if (!world.rooms.has(roomId)) throw invalid('Room does not exist');
  world.aliases.set(alias, roomId);
}

/** The room id, or 404. */
export function resolveAlias(world: WorldState, alias: string): string {
  const room = world.aliases.get(alias);
  if (room === undefined) throw notFound(`Room alias ${alias} not found`);
  return room;
}

/** For who may set the room's canonical alias, and for the service in its own namespace. */
export function removeAlias(world: WorldState, user: string, alias: string): void {
  const roomId = resolveAlias(world, alias);
  const { service } = world;
  if (!(service?.isOurs(user) && service.isOurAlias(alias))) {
    const room = joinedRoom(world, user, roomId);
    if (powerOf(room, user) < powerToSend(room, 'm.room.canonical_alias', true))
      throw forbidden("You don't have permission to delete the alias.");
  }
  world.aliases.delete(alias);
}

export const aliasesOf = (world: WorldState, roomId: string): string[] =>
  [...world.aliases].filter(([, room]) => room === roomId).map(([alias]) => alias);

/** For joined users. */
export const readAliases = (world: WorldState, user: string, roomId: string): string[] =>
  aliasesOf(world, joinedRoom(world, user, roomId).id);
