import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Access } from '../../../ports.ts';
import type { OauthFile, OauthGrant, OauthState } from '../../host.ts';
import { invalidGrant, OauthError } from './oauth-error.ts';
import { isWithin, readScope, scopeText } from './scopes.ts';
import type { Scope } from './scopes.ts';

/** What the owner has agreed to, until the client exchanges its code. */
export interface Consent {
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  /** The SHA-256 of the client's verifier, in base64url (PKCE, S256). */
  readonly challenge: string;
  readonly scope: Scope;
  readonly folders: readonly string[] | null;
}

/** The answer of the token endpoint. */
export interface Tokens {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

const MAX_CODE_AGE_MS = 60_000;
const MAX_ACCESS_AGE_MS = 30 * 60_000;
/** A grant that has not been refreshed for so long ends. */
const MAX_UNUSED_MS = 90 * 24 * 60 * 60_000;
/** Responses that began with a token are not cut off when it ends, so that it is remembered for a while. */
const MAX_RESPONSE_MS = 60 * 60_000;
const MAX_ACCESS_TOKENS = 8;
const MAX_CODES = 100;
/** A client without a grant is forgotten after this time. */
const MAX_CLIENT_AGE_MS = 7 * 24 * 60 * 60_000;
export const MAX_GRANTS = 100;

/** Names that mean somebody else in the history and in limits. */
const RESERVED = new Set(['owner', 'nobody', 'http', 'page']);

interface GrantsOptions {
  readonly file: OauthFile;
  /** The URL of the MCP server that tokens are for. */
  readonly resource: string;
  /** The names of the tokens that the owner has added. */
  readonly takenNames: () => readonly string[];
  /** Called when a code or refresh token was used a second time, with what ended. */
  readonly onReuse: (what: string, grant: OauthGrant) => void;
}

/**
 * Authorization codes, access tokens and refresh tokens. Codes and refresh tokens are used once: a second use ends the grant, since one of
 * the two users has stolen it. Both begin with the id of their grant, so that a second use is recognized long after the first.
 */
export class Grants {
  readonly #options: GrantsOptions;
  readonly #codes = new Map<string, Consent & { readonly grantId: string; readonly until: number }>();
  #index: { readonly state: OauthState; readonly byHash: ReadonlyMap<string, Found> } | null = null;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  /** Issues the code for what the owner has agreed to. */
  issueCode(consent: Consent): string {
    const { id, text } = newToken();
    this.#codes.set(digest(text), { ...consent, grantId: id, until: Date.now() + MAX_CODE_AGE_MS });
    const [oldest = ''] = this.#codes.keys();
    if (this.#codes.size > MAX_CODES) this.#codes.delete(oldest);
    return text;
  }

  /** Exchanges a code. Whatever is wrong, the code is used up. */
  redeem(code: string, by: { readonly clientId: string; readonly redirectUri: string | undefined; readonly verifier: string }): Tokens {
    const hash = digest(code);
    const consent = this.#codes.get(hash);
    if (consent === undefined) {
      this.#endIfReused(code, 'code');
      throw invalidGrant('This code is unknown, too old, or was used before.');
    }
    this.#codes.delete(hash);
    if (consent.until < Date.now()) throw invalidGrant('This code is too old.');
    if (consent.clientId !== by.clientId) throw invalidGrant('This code was issued to another client.');
    if (by.redirectUri !== undefined && consent.redirectUri !== by.redirectUri)
      throw invalidGrant('The redirect_uri is not the one that the code was sent to.');
    if (!isVerifierOf(consent.challenge, by.verifier)) throw invalidGrant('The code_verifier does not match.');
    const refresh = newToken(consent.grantId);
    const access = newAccess(consent.scope);
    const now = new Date().toISOString();
    const { file, resource, takenNames } = this.#options;
    file.change((state) => {
      const { clients, grants } = prune(state);
      if (grants.length >= MAX_GRANTS) throw new OauthError('temporarily_unavailable', 'Too many programs have access.', 503);
      const grant: OauthGrant = {
        id: consent.grantId,
        name: chooseName(consent.clientName, new Set([...takenNames(), ...grants.map(({ name }) => name)])),
        clientId: consent.clientId,
        clientName: consent.clientName,
        scope: consent.scope,
        folders: consent.folders,
        resource,
        created: now,
        used: now,
        code: hash,
        refresh: digest(refresh.text),
        access: [access.stored],
      };
      return { state: { clients, grants: [...grants, grant] }, result: undefined };
    });
    return tokens(access.text, refresh.text, consent.scope);
  }

  /** Exchanges a refresh token for new tokens with at most the scope of the grant. */
  refresh(token: string, by: { readonly clientId: string; readonly scope: string | undefined }): Tokens {
    const refresh = newToken(idIn(token));
    return this.#options.file.change((before) => {
      const state = prune(before);
      const grant = state.grants.find(({ refresh: hash }) => hash === digest(token));
      // Anybody may send invented tokens; they write nothing.
      if (grant === undefined) return { state: before, result: () => this.#refuseRefresh(token) };
      if (grant.clientId !== by.clientId) throw invalidGrant('This refresh token was issued to another client.');
      if (grant.resource !== this.#options.resource) throw invalidGrant('This refresh token is for another server.');
      const scope = readScope(by.scope) ?? grant.scope;
      if (!isWithin(scope, grant.scope)) throw new OauthError('invalid_scope', 'The owner did not allow this scope; ask for access again.');
      const access = newAccess(scope);
      const next: OauthGrant = {
        ...grant,
        used: new Date().toISOString(),
        refresh: digest(refresh.text),
        access: [...grant.access, access.stored].slice(-MAX_ACCESS_TOKENS),
      };
      const grants = state.grants.map((other) => (other === grant ? next : other));
      return { state: { ...state, grants }, result: () => tokens(access.text, refresh.text, scope) };
    })();
  }

  /** Returns the id of the grant that a code or refresh token is of; '' for one that is invented. */
  grantOf(token: string): string {
    const id = idIn(token);
    return this.#codes.has(digest(token)) || this.#options.file.read().grants.some((grant) => grant.id === id) ? id : '';
  }

  /** Ends the grant of an access or refresh token of this client; anything else is ignored, as RFC 7009 has it. */
  revoke(token: string, clientId: string): void {
    const hash = digest(token);
    const isOf = (grant: OauthGrant): boolean =>
      grant.clientId === clientId && (grant.refresh === hash || grant.access.some(({ sha256 }) => sha256 === hash));
    this.#end(isOf);
  }

  /** Returns what the bearer of an access token may do; null if it is unknown. `isLate`: also for an hour after its end. */
  find(token: string, { isLate = false } = {}): Access | null {
    const found = this.#byHash().get(digest(token));
    if (found === undefined || found.until + (isLate ? MAX_RESPONSE_MS : 0) < Date.now()) return null;
    return found.access;
  }

  #byHash(): ReadonlyMap<string, Found> {
    const { file, resource } = this.#options;
    const state = file.read();
    if (this.#index?.state !== state) {
      const own = state.grants.filter((grant) => grant.resource === resource);
      const entries = own.flatMap(({ name, folders, access }) =>
        access.map(({ sha256, scope, until }) => [sha256, { access: { name, scope, folders }, until }] as const),
      );
      this.#index = { state, byHash: new Map(entries) };
    }
    return this.#index.byHash;
  }

  #refuseRefresh(token: string): never {
    this.#endIfReused(token, 'refresh token');
    throw invalidGrant('This refresh token is unknown, too old, or was used before.');
  }

  /** Ends the grant of a token that is no longer valid, if there is one. */
  #endIfReused(token: string, what: 'code' | 'refresh token'): void {
    const ended = this.#end(
      what === 'code' ? ({ code }) => code === digest(token) : ({ id, refresh }) => id === idIn(token) && refresh !== digest(token),
    );
    if (ended !== null) this.#options.onReuse(what, ended);
  }

  #end(isIt: (grant: OauthGrant) => boolean): OauthGrant | null {
    return this.#options.file.change((state) => {
      const ended = state.grants.find(isIt) ?? null;
      return { state: ended === null ? state : without(state, ended), result: ended };
    });
  }
}

interface Found {
  readonly access: Access;
  readonly until: number;
}

/** Ends a grant by its name. Returns false if there is none. */
export function endGrant(file: OauthFile, wanted: string): boolean {
  return file.change((state) => {
    const ended = state.grants.find(({ name }) => name === wanted);
    return { state: ended === undefined ? state : without(state, ended), result: ended !== undefined };
  });
}

/** Returns the state without a grant. Its client is kept as long as one that has just registered, so that it may ask again. */
function without({ clients, grants }: OauthState, ended: OauthGrant): OauthState {
  const created = new Date().toISOString();
  return {
    clients: clients.map((client) => (client.id === ended.clientId ? { ...client, created } : client)),
    grants: grants.filter((grant) => grant !== ended),
  };
}

/** Returns the state without what has ended: grants and clients that nobody used for long. */
export function prune(state: OauthState): OauthState {
  const now = Date.now();
  const grants = state.grants
    .filter(({ used }) => Date.parse(used) + MAX_UNUSED_MS > now)
    .map((grant) => ({ ...grant, access: grant.access.filter(({ until }) => until + MAX_RESPONSE_MS > now) }));
  const needed = new Set(grants.map(({ clientId }) => clientId));
  const clients = state.clients.filter(({ id, created }) => needed.has(id) || Date.parse(created) + MAX_CLIENT_AGE_MS > now);
  return { clients, grants };
}

/** Hashes a secret with 256 random bits, for which one round is enough. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function newToken(id: string = randomBytes(16).toString('base64url')): { readonly id: string; readonly text: string } {
  return { id, text: `${id}.${randomBytes(32).toString('base64url')}` };
}

function newAccess(scope: Scope) {
  const text = randomBytes(32).toString('base64url');
  return { text, stored: { sha256: digest(text), scope, until: Date.now() + MAX_ACCESS_AGE_MS } };
}

function idIn(token: string): string {
  return token.split('.', 1)[0] ?? '';
}

function tokens(access: string, refresh: string, scope: Scope): Tokens {
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: MAX_ACCESS_AGE_MS / 1000,
    refresh_token: refresh,
    scope: scopeText(scope),
  };
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const [wanted, given] = [Buffer.from(challenge), createHash('sha256').update(verifier).digest('base64url')];
  return wanted.length === given.length && timingSafeEqual(wanted, Buffer.from(given));
}

/** Returns a name for a grant, by which `roux token` and the history call it. */
function chooseName(clientName: string, taken: ReadonlySet<string>): string {
  const slug = clientName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);
  const base = slug === '' ? 'program' : RESERVED.has(slug) ? `oauth-${slug}` : slug;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(name)) return name;
  }
}
