import { MatrixFault } from '../../bin/dev/homeserver/world/fault.ts';
import { matrixHttpClient } from '../../functions/adapters/matrix-http/client.ts';
import { MatrixError } from '../../functions/matrix/client.ts';
import { start } from '../dev/homeserver/running.ts';
import { bot, registration, smallWorld } from '../dev/homeserver/small-world.ts';
import { matrixOver } from '../fakes/matrix.ts';
import { type MakeMatrix, matrixContract } from './matrix.ts';
import { matrixSendContract } from './matrix-send.ts';

const fake: MakeMatrix = async () => {
  const { world } = smallWorld();
  let away = false;
  let lose = false;
  const client = matrixOver(
    world,
    async (name, effect) => {
      const answer = effect();
      if (!lose) return answer;
      lose = false;
      throw new MatrixError(name, { kind: 'unreachable' });
    },
    () => away,
  );
  const send = world.send;
  return {
    client,
    world,
    refuseSend(status, retryAfterMs) {
      world.send = () => {
        world.send = send;
        throw new MatrixFault(status, 'M_LIMIT_EXCEEDED', 'no', retryAfterMs);
      };
    },
    loseSend: () => {
      lose = true;
    },
    goAway: () => {
      away = true;
    },
    stop: async () => undefined,
  };
};

const http: MakeMatrix = async () => {
  const running = await start();
  const { homeserver } = running;
  return {
    client: matrixHttpClient({ homeserver: homeserver.url, token: registration.as_token, userId: bot }),
    world: homeserver.world,
    refuseSend: (status, retryAfterMs) =>
      homeserver.faults.set({
        fault: 'refuse',
        call: 'send',
        status,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      }),
    loseSend: () => homeserver.faults.set({ fault: 'lose-answers' }),
    goAway: () => homeserver.faults.set({ fault: 'down', down: true }),
    stop: () => running.stop(),
  };
};

for (const [name, make] of [
  ['the fake', fake],
  ['over HTTP', http],
] as const) {
  matrixContract(name, make);
  matrixSendContract(name, make);
}
