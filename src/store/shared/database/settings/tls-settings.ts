import type { ConnectionOptions, SecureVersion } from 'node:tls';
import { clientFile, readClientFile, refuseSettings } from './client-files.ts';
import type { ClientPlace } from './client-files.ts';

/** How a connection is tried; null: without TLS. */
export type TlsAttempt = ConnectionOptions | null;

export interface TlsSettings {
  /** In this order, the next one where the server does not take one. Never empty. */
  readonly attempts: readonly [TlsAttempt, ...TlsAttempt[]];
  /** TLS from the first byte on. */
  readonly isDirect: boolean;
}

type Options = (name: string) => string | undefined;

/**
 * What `sslmode` and its like come to, as PostgreSQL documents them: `disable`, `allow`, `prefer` (without one) take what they get,
 * `require` demands TLS, `verify-ca` and `verify-full` a certificate that the root certificate file vouches for, the latter
 * one for this host. Where that file is (`sslrootcert`, else `~/.postgresql/root.crt`), `require` checks as `verify-ca` does.
 * `sslrootcert=system` trusts the authorities that Node.js trusts, with `verify-full` only. Throws `INVALID_CONFIG`.
 */
export function readTls(options: Options, place: ClientPlace): TlsSettings {
  const isSystem = options('sslrootcert') === 'system';
  const mode = options('sslmode') ?? (isSystem ? 'verify-full' : 'prefer');
  const isDirect = oneOf('sslnegotiation', options('sslnegotiation') ?? 'postgres', ['postgres', 'direct']) === 'direct';
  oneOf('sslmode', mode, ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']);
  if (mode === 'disable') return { attempts: [null], isDirect: false };
  if (isSystem && mode !== 'verify-full') refuseSettings(`sslrootcert=system goes with sslmode=verify-full only, and sslmode is ${mode}`);

  const ca = isSystem ? null : readNamed('sslrootcert', 'root.crt', options, place);
  if (ca === null && !isSystem && mode.startsWith('verify-')) {
    refuseSettings(
      `sslmode=${mode} needs the root certificate that the server's own comes from: name its file with sslrootcert, or put it at ` +
        `${clientFile(place, 'root.crt')}; for a certificate of a public authority, sslrootcert=system&sslmode=verify-full`,
    );
  }
  const crl = ca === null ? null : readNamed('sslcrl', 'root.crl', options, place);
  const tls: ConnectionOptions = {
    ...versionsOf(options),
    ...(ca === null ? {} : { ca }),
    ...(crl === null ? {} : { crl }),
    rejectUnauthorized: ca !== null || isSystem,
    // The chain is checked before this is asked.
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
  addOwnCertificate(tls, options, place);
  if (isDirect && !['require', 'verify-ca', 'verify-full'].includes(mode))
    refuseSettings(`sslnegotiation=direct goes with sslmode=require or better`);
  const attempts = { allow: [null, tls] as const, prefer: [tls, null] as const }[mode] ?? ([tls] as const);
  return { attempts: [...attempts], isDirect };
}

/** The value of an option that has these; `INVALID_CONFIG` for another one. */
export function oneOf(name: string, value: string, known: readonly string[]): string {
  if (!known.includes(value)) refuseSettings(`${name} is ${known.join(', ')}, and not ${JSON.stringify(value)}`);
  return value;
}

function readNamed(option: string, usual: string, options: Options, place: ClientPlace, isPrivate = false): string | null {
  const named = options(option);
  return readClientFile(named ?? clientFile(place, usual), { isNamed: named !== undefined, isPrivate });
}

/** The certificate by which this machine shows who it is, where the user has one. */
function addOwnCertificate(tls: ConnectionOptions, options: Options, place: ClientPlace): void {
  const cert = readNamed('sslcert', 'postgresql.crt', options, place);
  if (cert === null) return;
  const key = readNamed('sslkey', 'postgresql.key', options, place, true);
  if (key === null) refuseSettings('there is a certificate for this machine and no key to it: name its file with sslkey');
  tls.cert = cert;
  // Whatever prints the settings does not print the key.
  Object.defineProperty(tls, 'key', { value: key, enumerable: false, configurable: true, writable: true });
}

function versionsOf(options: Options): ConnectionOptions {
  const version = (name: string): SecureVersion | undefined => {
    const value = options(name);
    return value === undefined ? undefined : (oneOf(name, value, ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3']) as SecureVersion);
  };
  const most = version('ssl_max_protocol_version');
  return { minVersion: version('ssl_min_protocol_version') ?? 'TLSv1.2', ...(most === undefined ? {} : { maxVersion: most }) };
}
