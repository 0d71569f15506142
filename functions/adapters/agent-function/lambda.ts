/**
 * An own agent that is a Lambda, invoked with `InvokeWithResponseStream`: once, without retries, since a second
 * invocation would do the work twice. Only `InvokeComplete` without an error is a clean end.
 * https://docs.aws.amazon.com/lambda/latest/api/API_InvokeWithResponseStream.html
 */
import { InvokeWithResponseStreamCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { AgentError } from '../../agent/agent.ts';
import { SILENCE_MS, type Transport } from './own.ts';

export const lambdaClient = (): LambdaClient =>
  new LambdaClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: SILENCE_MS, throwOnRequestTimeout: true },
  });

export const lambdaTransport = (client: LambdaClient, functionArn: string): Transport =>
  async function* (request, signal) {
    const command = new InvokeWithResponseStreamCommand({
      FunctionName: functionArn,
      Payload: Buffer.from(request),
    });
    const { EventStream: events } = await client
      .send(command, { abortSignal: signal })
      .catch((cause: unknown) => {
        throw new AgentError('agent_unavailable', { cause });
      });
    for await (const { PayloadChunk: chunk, InvokeComplete: complete } of events ?? []) {
      if (chunk?.Payload) yield chunk.Payload;
      if (complete?.ErrorCode !== undefined) throw new AgentError('agent_failed');
      if (complete) return;
    }
    throw new AgentError('agent_broke_off');
  };
