import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Why a request is turned away. */
export interface Refusal {
  readonly status: 401 | 403 | 421;
  readonly message: string;
}

export interface GuardOptions {
  /** The address that the server is bound to. */
  readonly host: string;
  /** Browser origins besides the server's own. */
  readonly origins: readonly string[];
  /** Null: no token is asked for. */
  readonly token: string | null;
}

/** Whether an address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Looks at a request before anything else does: its `Host` and `Origin` against DNS rebinding and foreign pages, then its token. */
export function createGuard(options: GuardOptions): (request: IncomingMessage) => Refusal | null {
  const isAnyAddress = options.host === '0.0.0.0' || options.host === '::';
  const names = new Set(['localhost', '127.0.0.1', '[::1]', hostName(options.host)]);
  const tokenDigest = options.token === null ? null : digest(options.token);

  return (request) => {
    const host = request.headers.host ?? '';
    // Bound to every address, any name may be the right one; the token protects then.
    if (!isAnyAddress && !names.has(hostName(host))) return { status: 421, message: 'This Host is not served here.' };
    const { origin } = request.headers;
    if (origin !== undefined && !isOwnOrigin(origin, host) && !options.origins.includes(origin)) {
      return { status: 403, message: 'This Origin may not call this server.' };
    }
    if (tokenDigest === null) return null;
    const [scheme = '', token = ''] = (request.headers.authorization ?? '').split(' ');
    const isKnown = timingSafeEqual(digest(token), tokenDigest) && scheme.toLowerCase() === 'bearer';
    return isKnown ? null : { status: 401, message: 'A bearer token is required.' };
  };
}

function isOwnOrigin(origin: string, host: string): boolean {
  return host !== '' && (origin === `http://${host}` || origin === `https://${host}`);
}

function hostName(host: string): string {
  const name = /^\[[^\]]*\]/.exec(host)?.[0] ?? (isIP(host) === 6 ? `[${host}]` : host.replace(/:\d*$/, ''));
  return name.toLowerCase();
}

/** Digests have one length whatever is compared, so the comparison tells nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
