import { join } from 'node:path';
import { addressOf, HOSTS } from './network.ts';
import type { HostNumber } from './network.ts';
import { POSTGRES_PROGRAMS } from './needs.ts';

/** Who may log in; the network is no one else's. */
export const PASSWORDS = { postgres: 'super', copy: 'copy', writer: 'writer' } as const;

/**
 * Patroni's settings for a machine, as JSON, which is YAML. A commit is on two machines before it is acknowledged
 * (`synchronous_mode`), also when that means that nothing is written for a while (`synchronous_mode_strict`). A leader that is lost
 * is replaced after `ttl` seconds.
 */
export function patroniConfig(host: HostNumber, folder: string): string {
  const address = addressOf(host);
  const network = `${addressOf(1)}/24`;
  return JSON.stringify(
    {
      scope: 'roux',
      name: `host${host}`,
      restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
      etcd3: { hosts: HOSTS.map((each) => `${addressOf(each)}:2379`) },
      bootstrap: {
        dcs: {
          ttl: 20,
          loop_wait: 2,
          retry_timeout: 5,
          synchronous_mode: true,
          synchronous_mode_strict: true,
          // The former leader may have commits that nobody else has: they were never acknowledged.
          postgresql: {
            use_pg_rewind: true,
            parameters: { wal_log_hints: 'on', max_connections: 60, shared_buffers: '32MB', wal_keep_size: '256MB' },
          },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      },
      postgresql: {
        listen: `${address}:5432`,
        connect_address: `${address}:5432`,
        bin_dir: POSTGRES_PROGRAMS,
        data_dir: join(folder, 'data'),
        pgpass: join(folder, 'pgpass'),
        authentication: {
          superuser: { username: 'postgres', password: PASSWORDS.postgres },
          replication: { username: 'copy', password: PASSWORDS.copy },
        },
        parameters: { unix_socket_directories: folder },
        pg_hba: [
          'local all all trust',
          `host replication copy ${network} scram-sha-256`,
          `host all postgres ${network} scram-sha-256`,
          `host team writer ${network} scram-sha-256`,
        ],
      },
    },
    null,
    2,
  );
}
