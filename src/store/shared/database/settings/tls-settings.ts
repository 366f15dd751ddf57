import type { ConnectionOptions, SecureVersion } from 'node:tls';
import { clientFile, readClientFile, rejectSettings } from './client-files.ts';
import type { ClientEnvironment } from './client-files.ts';

/** A way to connect: the options of TLS, or null for none. */
export type TlsAttempt = ConnectionOptions | null;

export interface TlsSettings {
  /** Each is tried if the server does not accept the one before. */
  readonly attempts: readonly [TlsAttempt, ...TlsAttempt[]];
  /** TLS starts with the first byte, without asking the server first. */
  readonly isDirect: boolean;
}

type Options = (name: string) => string | undefined;

/**
 * Reads `sslmode` and related options, as PostgreSQL documents them. `disable`, `allow` and `prefer` (the default) accept a connection without
 * TLS, `require` demands TLS, `verify-ca` also a certificate signed by the root certificate, and `verify-full` one for this host. If the file of
 * the root certificate exists (`sslrootcert`, or `~/.postgresql/root.crt`), `require` verifies as `verify-ca` does. `sslrootcert=system` trusts
 * the authorities that Node.js trusts, with `verify-full` only. Throws `INVALID_CONFIG`.
 */
export function readTls(options: Options, client: ClientEnvironment): TlsSettings {
  const isSystem = options('sslrootcert') === 'system';
  const mode = options('sslmode') ?? (isSystem ? 'verify-full' : 'prefer');
  const isDirect = checkChoice('sslnegotiation', options('sslnegotiation') ?? 'postgres', ['postgres', 'direct']) === 'direct';
  checkChoice('sslmode', mode, ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']);
  if (mode === 'disable') return { attempts: [null], isDirect: false };
  if (isSystem && mode !== 'verify-full') rejectSettings(`sslrootcert=system needs sslmode=verify-full, and sslmode is ${mode}`);

  const ca = isSystem ? null : readNamed('sslrootcert', 'root.crt', options, client);
  if (ca === null && !isSystem && mode.startsWith('verify-')) {
    rejectSettings(
      `sslmode=${mode} needs the root certificate of the server: set sslrootcert to its file, or save it as ` +
        `${clientFile(client, 'root.crt')}; for a certificate of a public authority, sslrootcert=system&sslmode=verify-full`,
    );
  }
  const crl = ca === null ? null : readNamed('sslcrl', 'root.crl', options, client);
  const tls: ConnectionOptions = {
    ...readVersions(options),
    ...(ca === null ? {} : { ca }),
    ...(crl === null ? {} : { crl }),
    rejectUnauthorized: ca !== null || isSystem,
    // TLS has verified the chain before it calls this.
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
  addClientCertificate(tls, options, client);
  if (isDirect && !['require', 'verify-ca', 'verify-full'].includes(mode))
    rejectSettings(`sslnegotiation=direct needs sslmode=require or stricter`);
  const attempts = { allow: [null, tls] as const, prefer: [tls, null] as const }[mode] ?? ([tls] as const);
  return { attempts: [...attempts], isDirect };
}

/** Returns the value of an option; throws `INVALID_CONFIG` unless it is one of the known ones. */
export function checkChoice(name: string, value: string, known: readonly string[]): string {
  if (!known.includes(value)) rejectSettings(`${name} must be one of ${known.join(', ')}, not ${JSON.stringify(value)}`);
  return value;
}

function readNamed(option: string, usual: string, options: Options, client: ClientEnvironment, isPrivate = false): string | null {
  const named = options(option);
  return readClientFile(named ?? clientFile(client, usual), { isNamed: named !== undefined, isPrivate });
}

/** Adds the certificate of this machine, if the user has one. */
function addClientCertificate(tls: ConnectionOptions, options: Options, client: ClientEnvironment): void {
  const cert = readNamed('sslcert', 'postgresql.crt', options, client);
  if (cert === null) return;
  const key = readNamed('sslkey', 'postgresql.key', options, client, true);
  if (key === null) rejectSettings('the certificate of this machine has no key: set sslkey to its file');
  tls.cert = cert;
  // A log of the settings does not show the key.
  Object.defineProperty(tls, 'key', { value: key, enumerable: false, configurable: true, writable: true });
}

function readVersions(options: Options): ConnectionOptions {
  const version = (name: string): SecureVersion | undefined => {
    const value = options(name);
    return value === undefined ? undefined : (checkChoice(name, value, ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']) as SecureVersion);
  };
  const maxVersion = version('ssl_max_protocol_version');
  return { minVersion: version('ssl_min_protocol_version') ?? 'TLSv1.2', ...(maxVersion === undefined ? {} : { maxVersion }) };
}
