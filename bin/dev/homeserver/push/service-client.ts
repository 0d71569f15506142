/**
 * The homeserver's calls to the application service (https://spec.matrix.org/v1.16/application-service-api/). Each
 * is one try, with the token in the header, no redirect followed. The time limit ends with the answer's headers, as
 * in Synapse; what is read of a body is limited to 1 MiB.
 */
import type { Clock } from '../../../../functions/runtime/clock.ts';
import type { Registration } from '../world/namespaces.ts';
import type { TransactionBody } from './style.ts';

export type ServiceAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly reason: string };

export type ServiceClient = {
  transaction(id: string, body: TransactionBody, signal: AbortSignal): Promise<ServiceAnswer>;
  ping(transactionId: string | null, signal: AbortSignal): Promise<ServiceAnswer>;
  /** Asked before an unknown user or alias of the service is given up. */
  query(kind: 'users' | 'rooms', id: string, signal: AbortSignal): Promise<ServiceAnswer>;
};

export type ServiceClientOptions = {
  readonly registration: Registration;
  readonly clock: Clock;
  readonly giveUpAfterMs: number;
  /** Transactions carry the token in the query too. */
  readonly legacyQueryToken: boolean;
};

const MAX_ANSWER_BYTES = 1_048_576;

export function serviceClient(options: ServiceClientOptions): ServiceClient {
  const { registration, clock, giveUpAfterMs } = options;
  const { url, hs_token } = registration;
  const token = options.legacyQueryToken ? `?access_token=${encodeURIComponent(hs_token)}` : '';

  const call = async (
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<ServiceAnswer> => {
    const limit = new AbortController();
    const answered = new AbortController();
    const expiry = clock.sleep(giveUpAfterMs, answered.signal).then(() => {
      if (!answered.signal.aborted) limit.abort();
    });
    try {
      const response = await fetch(`${url}/_matrix/app/v1/${path}`, {
        method,
        headers: { authorization: `Bearer ${hs_token}`, 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.any([signal, limit.signal]),
      });
      answered.abort();
      return { kind: 'answered', status: response.status, body: await readText(response) };
    } catch (error) {
      if (limit.signal.aborted) return { kind: 'timeout' };
      return { kind: 'failed', reason: error instanceof Error ? error.message : 'unknown' };
    } finally {
      answered.abort();
      await expiry;
    }
  };

  return {
    transaction: (id, body, signal) =>
      call('PUT', `transactions/${encodeURIComponent(id)}${token}`, body, signal),
    ping: (transactionId, signal) => call('POST', 'ping', { transaction_id: transactionId }, signal),
    query: (kind, id, signal) => call('GET', `${kind}/${encodeURIComponent(id)}`, undefined, signal),
  };
}

/** Whether an answer's text is JSON: Synapse takes no other for an answer. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
