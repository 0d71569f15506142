/**
 * Synapse's configuration for tests: one process, SQLite, loopback only, no federation, open registration, and every rate
 * limit out of the way.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';

export type SynapseOptions = {
  /** Everything it keeps lies here. */
  readonly folder: string;
  readonly port: number;
  /** Its server_name. */
  readonly server: string;
  /** Paths of registration files. */
  readonly registrations: readonly string[];
};

export const LOG = 'homeserver.log';

/** Writes what Synapse needs to start, and returns the path of its configuration. */
export async function writeConfiguration(options: SynapseOptions): Promise<string> {
  const { folder } = options;
  const path = join(folder, 'homeserver.yaml');
  await mkdir(join(folder, 'media'), { recursive: true });
  await writeFile(join(folder, 'signing.key'), `ed25519 a_test ${unpadded(randomBytes(32))}\n`);
  await writeFile(join(folder, 'log.yaml'), stringify(logging(folder)));
  await writeFile(path, stringify(homeserver(options)));
  return path;
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
const secret = () => randomBytes(24).toString('hex');

const logging = (folder: string) => ({
  version: 1,
  disable_existing_loggers: false,
  formatters: { line: { format: '%(asctime)s %(levelname)s %(name)s %(message)s' } },
  handlers: { file: { class: 'logging.FileHandler', formatter: 'line', filename: join(folder, LOG) } },
  // Its lines tell of failed transactions and of the pauses behind them.
  loggers: { 'synapse.appservice': { level: 'INFO' } },
  root: { level: 'WARNING', handlers: ['file'] },
});

function homeserver({ folder, port, server, registrations }: SynapseOptions) {
  const free = { per_second: 100_000, burst_count: 100_000 };
  return {
    server_name: server,
    public_baseurl: `http://127.0.0.1:${port}/`,
    report_stats: false,
    log_config: join(folder, 'log.yaml'),
    signing_key_path: join(folder, 'signing.key'),
    macaroon_secret_key: secret(),
    form_secret: secret(),
    listeners: [
      { port, bind_addresses: ['127.0.0.1'], type: 'http', tls: false, resources: [{ names: ['client'] }] },
    ],
    database: { name: 'sqlite3', args: { database: join(folder, 'homeserver.db') } },
    media_store_path: join(folder, 'media'),
    federation_domain_whitelist: [],
    trusted_key_servers: [],
    suppress_key_server_warning: true,
    enable_registration: true,
    enable_registration_without_verification: true,
    bcrypt_rounds: 4,
    presence: { enabled: false },
    app_service_config_files: registrations,
    rc_message: free,
    rc_registration: free,
    rc_login: { address: free, account: free, failed_attempts: free },
    rc_admin_redaction: free,
    rc_joins: { local: free, remote: free },
    rc_joins_per_room: free,
    rc_invites: { per_room: free, per_user: free, per_issuer: free },
    rc_media_create: free,
    rc_room_creation: free,
    rc_profile: free,
  };
}
