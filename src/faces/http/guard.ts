import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Access } from '../../ports.ts';
import { RateLimit } from './limits/rate-limit.ts';

/** Why a request is refused. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 421 | 429;
  readonly message: string;
}

export interface GuardOptions {
  /** The address that the server is bound to. */
  readonly host: string;
  /** Allowed browser origins besides the server's own. */
  readonly origins: readonly string[];
  /** The host name of the public URL; null if there is none. */
  readonly publicHost: string | null;
  /** Whether pages of any origin may call a path under the public name: one at which only the token counts. */
  readonly isForAnyOrigin: (path: string) => boolean;
  /** Whether requests without a token are refused. */
  readonly isTokenRequired: boolean;
  /** Returns the owner's token. Called only for a request that brings a token. */
  readonly token: () => string;
  /** Returns what the bearer of a named token may do at a path; null for an unknown token. */
  readonly find: (token: string, path: string) => Access | null;
}

/** Decides what a request may do before anything else looks at it. */
export interface Guard {
  /** Checks `Host` and `Origin` against DNS rebinding and foreign pages. Returns null if the request may proceed. */
  refuseOrigin(request: IncomingMessage, path: string): Refusal | null;
  /** Checks the token. Returns what its bearer may do, or why the request is refused. */
  admit(request: IncomingMessage, path: string): Access | Refusal;
}

/** The rights of the owner's token, and of everybody if no token is required. */
export const OWNER: Access = { name: 'owner', scope: 'admin', folders: null };

/** The rights of a request without a token, which can only call public routes and sees nothing of the vault. */
export const ANONYMOUS: Access = { name: 'nobody', scope: 'read', folders: [] };

/** After this many wrong tokens per minute from one address, further ones are told to come later. */
const MAX_WRONG_TOKENS = 120;

const OTHER_SITE: Refusal = { status: 403, message: 'A page of another site may not call this server.' };

/** Returns the bearer token of a request; empty if there is none. */
export function bearerOf({ headers }: IncomingMessage): string {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** Whether an address can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Creates the guard of a server. */
export function createGuard(options: GuardOptions): Guard {
  const isAnyAddress = options.host === '0.0.0.0' || options.host === '::';
  const bound = isIP(options.host) === 6 ? `[${options.host}]` : options.host;
  const names = new Set([
    'localhost',
    '127.0.0.1',
    '[::1]',
    bound.toLowerCase(),
    ...(options.publicHost === null ? [] : [options.publicHost]),
  ]);
  const wrong = new RateLimit(MAX_WRONG_TOKENS);

  return {
    refuseOrigin(request, path) {
      if (request.headersDistinct['host']?.length !== 1) return { status: 400, message: 'One Host header is needed.' };
      const host = request.headers.host ?? '';
      const name = hostName(host);
      // When bound to all addresses, any host name may be correct; then the token protects.
      if (name === null || !(isAnyAddress || names.has(name))) return { status: 421, message: 'This Host is not served here.' };
      const { origin } = request.headers;
      if (origin === undefined || isOwnOrigin(origin, host) || options.origins.includes(origin)) return null;
      if (name === options.publicHost && options.isForAnyOrigin(path)) return null;
      return { status: 403, message: 'This Origin may not call this server.' };
    },
    admit(request, path) {
      const token = bearerOf(request);
      if (token === '' && !options.isTokenRequired) return isFromOtherSite(request, options.origins) ? OTHER_SITE : OWNER;
      // Also checked if no token is required: a client whose restricted token was revoked must not get full rights.
      const given = digest(token);
      const isOwner = timingSafeEqual(given, digest(options.token()));
      const access = isOwner ? OWNER : options.find(token, path);
      if (access !== null) return access;
      // Behind a tunnel all requests have one address. The wrong tokens of some must not keep others from hearing that they need one.
      const isAsking = token === '' || options.isForAnyOrigin(path);
      if (!isAsking && !wrong.take(request.socket.remoteAddress ?? ''))
        return { status: 429, message: 'Too many wrong tokens; try again in a minute.' };
      return { status: 401, message: token === '' ? 'A bearer token is required.' : 'There is no such token, or not any more.' };
    },
  };
}

/**
 * Whether a browser says that a page of another site, including another port of this machine, makes this request. Images and scripts
 * embedded there are requested without `Origin`, so that only this header tells.
 */
function isFromOtherSite({ headers }: IncomingMessage, origins: readonly string[]): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return headers.origin === undefined || !origins.includes(headers.origin);
}

function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Returns the name in a `Host` header without its port; null if the header is invalid. */
function hostName(host: string): string | null {
  return /^(\[[\d:a-f.]+\]|[^\s:/@[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase() ?? null;
}

/** Hashes a token, since `timingSafeEqual` needs inputs of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
