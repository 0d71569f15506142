/** An own agent at a URL, for development: the request is POSTed, and the answer's body is its stream. */
import { AgentError } from '../../agent/agent.ts';
import type { Transport } from './own.ts';

export const httpTransport = (url: string): Transport =>
  async function* (request, signal) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: request,
      redirect: 'error',
      signal,
    }).catch((cause: unknown) => {
      throw new AgentError('agent_unavailable', { cause });
    });
    if (response.status !== 200 || !response.body) throw new AgentError('agent_unavailable');
    yield* response.body;
  };
