import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Why a request is turned away. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 421;
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

/** What a request may do, told before anything else looks at it. */
export interface Guard {
  /** Its `Host` and `Origin` against DNS rebinding and foreign pages; null when they may call. */
  refuseOrigin(request: IncomingMessage): Refusal | null;
  /** Its token; null when it is the right one, or none is asked for. */
  refuseCaller(request: IncomingMessage): Refusal | null;
}

/** Whether an address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The guard of a server at this address. */
export function createGuard(options: GuardOptions): Guard {
  const isAnyAddress = options.host === '0.0.0.0' || options.host === '::';
  const bound = isIP(options.host) === 6 ? `[${options.host}]` : options.host;
  const names = new Set(['localhost', '127.0.0.1', '[::1]', bound.toLowerCase()]);
  const tokenDigest = options.token === null ? null : digest(options.token);

  return {
    refuseOrigin(request) {
      if (request.headersDistinct['host']?.length !== 1) return { status: 400, message: 'One Host header is needed.' };
      const host = request.headers.host ?? '';
      const name = hostName(host);
      // Bound to every address, any name may be the right one; the token protects then.
      if (name === null || !(isAnyAddress || names.has(name))) return { status: 421, message: 'This Host is not served here.' };
      const { origin } = request.headers;
      if (origin !== undefined && !isOwnOrigin(origin, host) && !options.origins.includes(origin)) {
        return { status: 403, message: 'This Origin may not call this server.' };
      }
      return null;
    },
    refuseCaller(request) {
      if (tokenDigest === null) return null;
      const [, token = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
      return timingSafeEqual(digest(token), tokenDigest) ? null : { status: 401, message: 'A bearer token is required.' };
    },
  };
}

function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** The whole name in a `Host` header, without the port; null for what is no host. */
function hostName(host: string): string | null {
  return /^(\[[\d:a-f.]+\]|[^\s:/@[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase() ?? null;
}

/** Digests have one length whatever is compared, so the comparison tells nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
