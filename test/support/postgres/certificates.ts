import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM of a test's own authority, and of a server certificate from it. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** A certificate for a host name, from an authority of its own; null where the machine has no openssl. */
export function makeCertificates(host: string): Certificates | null {
  const folder = mkdtempSync(join(tmpdir(), 'roux-tls-'));
  const openssl = (...args: readonly string[]): boolean => spawnSync('openssl', args, { cwd: folder, stdio: 'ignore' }).status === 0;
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  try {
    const isMade =
      openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=roux tests', '-days', '2') &&
      openssl(
        'req',
        ...key,
        '-keyout',
        'server.key',
        '-out',
        'server.csr',
        '-subj',
        `/CN=${host}`,
        '-addext',
        `subjectAltName=DNS:${host}`,
      ) &&
      openssl(
        'x509',
        '-req',
        '-in',
        'server.csr',
        '-CA',
        'ca.pem',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-copy_extensions',
        'copy',
        '-out',
        'server.pem',
        '-days',
        '2',
      );
    if (!isMade) return null;
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    return { authority: read('ca.pem'), certificate: read('server.pem'), key: read('server.key') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
