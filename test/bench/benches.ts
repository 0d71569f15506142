/** All benches, in the order they run. */
import type { Bench } from './bench.ts';
import { bundles } from './bundles.ts';
import { cold } from './cold.ts';
import { decisions } from './decisions.ts';
import { memory } from './memory.ts';
import { merge } from './merge.ts';
import { pump } from './pump.ts';
import { reply } from './reply.ts';
import { replySynapse } from './reply-synapse.ts';
import { abandoned } from './streams/abandoned.ts';
import { follow } from './streams/follow.ts';
import { live } from './streams/live.ts';
import { tails } from './streams/tails.ts';
import { takeover } from './takeover.ts';
import { webhook } from './webhook.ts';
import { writes } from './writes.ts';

export const benches: Readonly<Record<string, Bench>> = {
  bundles,
  merge,
  pump,
  writes,
  decisions,
  cold,
  webhook,
  reply,
  replySynapse,
  follow,
  live,
  abandoned,
  tails,
  takeover,
  memory,
};
