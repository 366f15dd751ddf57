import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { repositoryRoot } from '../../test/support/vault.ts';

/** Where Debian puts PostgreSQL's own programs. */
export const POSTGRES_PROGRAMS = ['18', '17', '16', '15', '14'].map((version) => `/usr/lib/postgresql/${version}/bin`).find(existsSync);

/** What sets another clock for one process; its folder is named after the processor. */
export const FAKETIME = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((kind) => `/usr/lib/${kind}/faketime/libfaketimeMT.so.1`)
  .find(existsSync);

/** What is missing for a run on this machine, a sentence each; none: it can begin. */
export function missing(kinds: readonly string[]): readonly string[] {
  const programs = ['ip', 'setpriv', 'etcd', 'patroni'].filter((name) => !isOnPath(name));
  return [
    ...(process.platform === 'linux' ? [] : ['Linux: the machines are network namespaces.']),
    ...(process.getuid?.() === 0 ? [] : ['root: network namespaces are made.']),
    ...(programs.length === 0
      ? []
      : [`${programs.join(', ')}: apt-get install --no-install-recommends iproute2 util-linux etcd-server patroni`]),
    ...(POSTGRES_PROGRAMS === undefined ? ['PostgreSQL: apt-get install postgresql'] : []),
    ...(kinds.includes('clock') && FAKETIME === undefined ? ['libfaketime, for "clock": apt-get install faketime'] : []),
    ...(existsSync(join(repositoryRoot, 'dist/bin.js')) ? [] : ['the built program: npm run build']),
  ];
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
