/** What the embedded AWS stand-ins take for credentials: anything, so nothing real is ever sent to them. */
export const localCredentials = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const;
