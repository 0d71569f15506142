/** Uploaded files, kept whole in memory; how large one may be is the HTTP layer's rule. */
import { notFound } from './fault.ts';
import type { Media, WorldState } from './state.ts';

/** Returns its `mxc:` address. */
export function upload(world: WorldState, media: Media): string {
  const id = world.random.id(24);
  world.media.set(id, media);
  return `mxc://${world.serverName}/${id}`;
}

export function download(world: WorldState, server: string, id: string): Media {
  const media = server === world.serverName ? world.media.get(id) : undefined;
  if (!media) throw notFound('Not found');
  return media;
}
