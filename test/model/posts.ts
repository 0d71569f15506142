/**
 * A homeserver as the log's model needs one: it may be away, forget transaction ids, lose answers after storing, and
 * send echoes late. Only what a turn's delivery calls is there.
 */
import { type MatrixClient, MatrixError } from '../../functions/matrix/client.ts';
import { ownKey } from '../../functions/matrix/own-key.ts';
import type { Process, World } from './world.ts';

export type Post = {
  readonly id: string;
  readonly turn: string;
  readonly part: string;
  readonly body: string;
};

export class Posts {
  readonly posts: Post[] = [];
  down = false;
  private readonly transactions = new Map<string, string>();
  private epoch = 0;
  private readonly world: World;
  /** The webhook hears of an event of ours. */
  readonly onEcho: (post: Post) => void;

  constructor(world: World, onEcho: (post: Post) => void) {
    this.world = world;
    this.onEcho = onEcho;
  }

  /** Comes and goes, and mostly forgets. */
  async wander(): Promise<void> {
    const { world } = this;
    const { below, hit } = world.chance;
    while (!world.calm) {
      await world.pause(undefined, 5_000 + below(60_000));
      if (world.calm) break;
      this.down = true;
      await world.pause(undefined, hit(0.15) ? 60_000 + below(400_000) : below(20_000));
      this.back(hit(0.6));
    }
    this.down = false;
  }

  back(forgets: boolean): void {
    this.down = false;
    this.epoch++;
    if (forgets) this.transactions.clear();
  }

  client(process: Process, options: { look?: (turn: string) => boolean } = {}): MatrixClient {
    const { world } = this;
    const away = (call: string) => new MatrixError(call, { kind: 'unreachable' });
    const call = <T>(name: string, effect: () => T) => world.call(process, effect, () => away(name));
    const there = (name: string) => {
      if (this.down) throw away(name);
    };
    const client: Partial<MatrixClient> = {
      send: (_room, _type, txnId, content) => {
        const sentIn = this.epoch;
        return call('send', () => {
          there('send');
          // What was under way when the homeserver went down never arrives.
          if (this.epoch !== sentIn) throw away('send');
          return this.store(txnId, content);
        });
      },
      messages: (_room, { limit }) =>
        call('messages', () => {
          there('messages');
          const newest = this.posts.toReversed().slice(0, limit);
          const seen = newest.filter(({ turn }) => options.look?.(turn) ?? true);
          return { events: seen.map((post) => eventOf(post)) };
        }),
      typing: async () => undefined,
      receipt: async () => undefined,
    };
    return client as MatrixClient;
  }

  private store(txnId: string, content: object): string {
    const { world } = this;
    const { hit, below } = world.chance;
    const known = this.transactions.get(txnId);
    if (known) return known;
    const own = ownKey(content)!;
    const post = { id: `$${this.posts.length}`, ...own, body: (content as { body: string }).body };
    this.posts.push(post);
    this.transactions.set(txnId, post.id);
    if (hit(0.06) && !world.calm) {
      this.down = true;
      world.schedule(undefined, 5_000 + below(150_000), () => this.back(true));
      throw new MatrixError('send', { kind: 'unreachable' });
    }
    if (hit(0.8)) world.schedule(undefined, below(hit(0.7) ? 500 : 30_000), () => this.onEcho(post));
    return post.id;
  }
}

const eventOf = ({ id, turn, part, body }: Post) => ({
  id,
  room: '!r',
  type: 'm.room.message',
  sender: '@bot:hs',
  content: { msgtype: 'm.text', body, 'io.turnpike.turn': { turn, part } },
  ts: 0,
  redactedBecause: false,
  softFailed: false,
});
