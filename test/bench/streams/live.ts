/**
 * A client's own turn: from a word's production in the function to its arrival over HTTP, at a hundred words a second.
 * The line says when it was produced, the turn's row when it began; both clocks are this machine's.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localCredentials } from '../../../bin/dev/credentials.ts';
import { dynamoTable } from '../../../functions/adapters/dynamodb/table.ts';
import { createClient } from '../../../functions/client/client.ts';
import { getMeta } from '../../../functions/turns/meta.ts';
import { sessionOf } from '../../services/session.ts';
import type { Bench } from '../bench.ts';
import { withStack } from '../running.ts';
import { percentile } from '../statistics.ts';

const WORDS = 1_000;

export const live: Bench = {
  figures: { live_p50_ms: { unit: 'ms', target: '<= 5' } },
  measure: () =>
    withStack({ env: { LOCAL_MODEL_WORD_MS: '10' } }, async ({ stack }) => {
      const { session } = await sessionOf(stack, 'alice');
      const turn = createClient({ url: stack.url, token: session }).start({
        conversation: 'bench',
        text: `write ${WORDS} words`,
      });
      const arrived: { readonly at: number; readonly since: number }[] = [];
      turn.onEvent((line) => {
        if (line.type === 'text' && '_t' in line) arrived.push({ at: Date.now(), since: line._t as number });
      });
      const id = await turn.id;
      await turn.done;
      const dynamo = new DynamoDBClient({
        endpoint: stack.env.AWS_ENDPOINT_URL_DYNAMODB!,
        ...localCredentials,
      });
      const meta = await getMeta(dynamoTable(dynamo, 'turns'), id);
      dynamo.destroy();
      return {
        live_p50_ms: percentile(
          arrived.map(({ at, since }) => at - since - meta!.created),
          50,
        ),
      };
    }),
};
