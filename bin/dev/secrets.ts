/**
 * Secrets Manager for the dev host: answers `GetSecretValue` for one secret, on a loopback port. The functions then get
 * their tokens the way they do on AWS.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LocalSecrets = { readonly endpoint: string; readonly arn: string; stop(): Promise<void> };

const ARN = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:appservice';

export async function startSecrets(secret: Readonly<Record<string, string>>): Promise<LocalSecrets> {
  const server = createServer((request, response) => {
    request.resume();
    const known = request.headers['x-amz-target'] === 'secretsmanager.GetSecretValue';
    const answer = known
      ? { ARN, Name: 'appservice', VersionId: 'local', SecretString: JSON.stringify(secret) }
      : { __type: 'UnknownOperationException' };
    response
      .writeHead(known ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' })
      .end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arn: ARN,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
