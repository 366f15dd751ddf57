import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Access } from '../../ports.ts';
import { RateLimit } from './limits/rate-limit.ts';

/** Why a request is turned away. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 421 | 429;
  readonly message: string;
}

export interface GuardOptions {
  /** The address that the server is bound to. */
  readonly host: string;
  /** Browser origins besides the server's own. */
  readonly origins: readonly string[];
  /** Whether who has no token is turned away. */
  readonly isTokenAsked: boolean;
  /** The token of the vault's owner; looked at when somebody brings one. */
  readonly token: () => string;
  /** What this user's own programs bring instead, for as long as the server runs. */
  readonly key: string;
  /** What the bearer of a token with a name may do; null for one that there is not. */
  readonly find: (token: string) => Access | null;
}

/** What a request may do, told before anything else looks at it. */
export interface Guard {
  /** Its `Host` and `Origin` against DNS rebinding and foreign pages; null when they may call. */
  refuseOrigin(request: IncomingMessage): Refusal | null;
  /** What its token lets it do, or why it is refused. */
  admit(request: IncomingMessage): Access | Refusal;
}

/** What whoever has the token of the vault may do, and everybody where none is asked for. */
export const OWNER: Access = { name: 'owner', scope: 'admin', folders: null };

/** Who brings no token: may call public routes, and see nothing of the vault. */
export const NOBODY: Access = { name: 'nobody', scope: 'read', folders: [] };

/** So many wrong tokens a minute from one address are answered as such: the next ones wait. */
const MAX_WRONG_TOKENS = 120;

/** The token that a request brings; empty where it brings none. */
export function bearerOf({ headers }: IncomingMessage): string {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
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
  const key = digest(options.key);
  const wrong = new RateLimit(MAX_WRONG_TOKENS);

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
    admit(request) {
      const token = bearerOf(request);
      if (token === '' && !options.isTokenAsked) return isOfAnotherSite(request, options.origins) ? OTHER_SITE : OWNER;
      // Also where none is asked for: who had a token that allowed less has none that allows more when it is taken away.
      const given = digest(token);
      const isOwner = timingSafeEqual(given, digest(options.token())) || timingSafeEqual(given, key);
      const access = isOwner ? OWNER : options.find(token);
      if (access !== null) return access;
      if (!wrong.take(request.socket.remoteAddress ?? '')) return { status: 429, message: 'Too many wrong tokens; try again in a minute.' };
      return { status: 401, message: token === '' ? 'A bearer token is required.' : 'There is no such token, or not any more.' };
    },
  };
}

const OTHER_SITE: Refusal = { status: 403, message: 'A page of another site may not call this server.' };

/**
 * Whether a browser says that a page of another site makes a request, of another port of this machine too. An image or a script that it
 * embeds carries no `Origin`, so that this alone tells.
 */
function isOfAnotherSite({ headers }: IncomingMessage, origins: readonly string[]): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return headers.origin === undefined || !origins.includes(headers.origin);
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
