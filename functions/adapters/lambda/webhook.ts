/** The webhook behind a Function URL: payload format 2.0 in, a JSON answer out. Query strings go nowhere but to the proof. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { pulseNoter } from '../../gate/pulse.ts';
import { answerWebhook, type WebhookDeps } from '../../inbox/webhook.ts';
import { appserviceTokens } from '../secrets/tokens.ts';
import { assemble, once } from './assemble.ts';
import { composeInbox, taking } from './compose.ts';

const setup = once(() => {
  const { config, parts, tables, clock, telemetry } = assemble('webhook');
  const take = taking(composeInbox(parts));
  const note = pulseNoter(tables.gate);
  const deps: WebhookDeps = {
    namespace: config.namespace,
    tokens: async () => (await appserviceTokens(config.secret)).hsTokens,
    now: clock.now,
    take: async (events) => {
      await Promise.all([take(events), note(clock.now())]);
    },
    fail: telemetry.fail,
  };
  return { deps, telemetry };
});

export async function webhook(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const { deps, telemetry } = setup();
  const answer = await answerWebhook(deps, {
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: event.rawQueryString,
    authorization: event.headers.authorization,
    body: () => Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8').toString('utf8'),
  });
  if (answer.status >= 400) telemetry.count(`Webhook${answer.status}`);
  telemetry.flush();
  return {
    statusCode: answer.status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(answer.body),
  };
}
