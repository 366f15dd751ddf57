import { randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { errorMessage } from '../../../errors.ts';
import { shorten } from '../../../ops/shorten.ts';
import type { OauthClient, OauthFile } from '../../host.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import { digest, prune } from './grants.ts';
import { invalidClient, OauthError } from './oauth-error.ts';
import { isRedirectUri } from './redirects.ts';

/** A client, whichever way it is known. */
export interface Client {
  readonly id: string;
  /** As the client gave it: untrusted text. */
  readonly name: string;
  /** The host that publishes the client's description; null for one that registered itself, which anybody can do under any name. */
  readonly host: string | null;
  readonly redirectUris: readonly string[];
  readonly auth: ClientAuth;
}

/** How a client shows at the token endpoint that it is itself. `isNeeded`: whether it may also show nothing, as a public client. */
export type ClientAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'secret'; readonly sha256: string }
  | { readonly kind: 'key'; readonly jwks: unknown; readonly jwksUri: string | null; readonly isNeeded: boolean };

const MAX_NAME_CHARACTERS = 100;
const MAX_REDIRECT_URIS = 10;
const MAX_CLIENTS = 200;
const MAX_REGISTRATIONS_PER_MINUTE = 20;
const MAX_CLIENT_ID_CHARACTERS = 500;
const MAX_FETCHES_PER_MINUTE = 20;
const MAX_DOCUMENTS = 50;
const MAX_DOCUMENT_AGE_MS = 10 * 60_000;
/** Anybody can sign with an unknown key, and so ask for fresh keys. */
const MIN_FRESH_AGE_MS = 60_000;

const redirectUris = z
  .array(z.string().refine(isRedirectUri, 'must be https, http on the loopback address, or the scheme of a program; without "#"'))
  .min(1)
  .max(MAX_REDIRECT_URIS);
const clientName = z.string().max(1_000).optional();

/** What a client sends to register (RFC 7591). Members that mean nothing here are ignored. */
const registration = z.object({
  redirect_uris: redirectUris,
  client_name: clientName,
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']).default('client_secret_basic'),
});

/** What a client publishes at the URL that is its id. Secrets are impossible there. */
const document = z.object({
  client_id: z.string(),
  client_name: clientName,
  redirect_uris: redirectUris,
  token_endpoint_auth_method: z.enum(['none', 'private_key_jwt']).default('none'),
  token_endpoint_auth_methods_supported: z.array(z.string()).max(20).default([]),
  jwks: z.unknown().optional(),
  jwks_uri: z.string().max(MAX_CLIENT_ID_CHARACTERS).optional(),
});

interface ClientsOptions {
  readonly file: OauthFile;
  /** The hosts from which descriptions may be fetched; `*`: any. */
  readonly hosts: readonly string[];
  /** Fetches a JSON document from a public address. */
  readonly fetchJson: (url: URL) => Promise<unknown>;
}

/** The clients: those that registered themselves, and those whose id is the URL of their description. */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #registrations = new RateLimit(MAX_REGISTRATIONS_PER_MINUTE);
  readonly #fetches = new RateLimit(MAX_FETCHES_PER_MINUTE);
  readonly #documents = new Map<string, { readonly fetched: number; readonly value: Promise<unknown> }>();

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** Whether descriptions are fetched at all. */
  get takesDocuments(): boolean {
    return this.#options.hosts.length > 0;
  }

  /** Registers a client. Throws `OauthError` for what is invalid, or if there were too many. */
  register(metadata: unknown): Readonly<Record<string, unknown>> {
    const read = registration.safeParse(metadata);
    if (!read.success) throw describeInvalid(read.error);
    if (!this.#registrations.take(''))
      throw new OauthError('temporarily_unavailable', 'Too many registrations; try again in a minute.', 429);
    const { redirect_uris: uris, client_name: name = '', token_endpoint_auth_method: method } = read.data;
    const secret = method === 'none' ? null : randomBytes(32).toString('base64url');
    const now = new Date();
    const client: OauthClient = {
      id: randomBytes(16).toString('base64url'),
      name: shorten(name, MAX_NAME_CHARACTERS),
      secret: secret === null ? null : digest(secret),
      redirectUris: uris,
      created: now.toISOString(),
    };
    this.#options.file.change((state) => {
      const { clients, grants } = prune(state);
      const needed = new Set(grants.map(({ clientId }) => clientId));
      // Strangers may register any number. Only those that the owner let in have to stay.
      const unused = clients.filter(({ id }) => !needed.has(id));
      const dropped = new Set(unused.slice(0, Math.max(0, clients.length + 1 - MAX_CLIENTS)));
      return { state: { clients: [...clients.filter((other) => !dropped.has(other)), client], grants }, result: undefined };
    });
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(now.getTime() / 1000),
      ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: method,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
  }

  /** Returns the client with this id. Throws `invalid_client` if there is none, or if its description cannot be used. */
  async find(id: string): Promise<Client> {
    if (/^https?:/i.test(id)) return this.#findPublished(id);
    const known = this.#options.file.read().clients.find((client) => client.id === id);
    if (known === undefined) throw invalidClient('This client is not registered here, or not any more; register it again.');
    const { name, redirectUris: uris, secret } = known;
    return { id, name, host: null, redirectUris: uris, auth: secret === null ? { kind: 'none' } : { kind: 'secret', sha256: secret } };
  }

  async #findPublished(id: string): Promise<Client> {
    const url = readClientUrl(id);
    if (url === null) throw invalidClient('A client_id that is a URL is https, with a path, and without a port, "#" or a user name.');
    const read = document.safeParse(await this.fetchDocument(url, id));
    if (!read.success) throw invalidClient(`The description at ${id} is not valid: ${issueIn(read.error)}.`);
    const { data } = read;
    if (data.client_id !== id) throw invalidClient(`The description at ${id} is that of another client.`);
    const name = shorten(data.client_name ?? url.host, MAX_NAME_CHARACTERS);
    return { id, name, host: url.host, redirectUris: data.redirect_uris, auth: authOf(data) };
  }

  /**
   * Fetches a document about a client from a host that the owner has named, at most once in some minutes. Throws `invalid_client` if it
   * cannot be fetched.
   */
  async fetchDocument(url: URL, clientId: string, { isFresh = false } = {}): Promise<unknown> {
    const { file, hosts, fetchJson } = this.#options;
    if (!isPlain(url)) throw invalidClient('Only https is fetched, without a port or a user name.');
    if (!hosts.includes('*') && !hosts.includes(url.host))
      throw invalidClient(`Nothing is fetched from ${shorten(url.host, 100)}; the owner can name it in http.clientHosts.`);
    const cached = this.#documents.get(url.href);
    const maxAge = isFresh ? MIN_FRESH_AGE_MS : MAX_DOCUMENT_AGE_MS;
    if (cached !== undefined && cached.fetched + maxAge > Date.now()) return cached.value;
    // Strangers, who may name any client, take nothing from those that have access.
    const hasAccess = file.read().grants.some((grant) => grant.clientId === clientId);
    if (!this.#fetches.take(hasAccess ? clientId : ''))
      throw new OauthError('temporarily_unavailable', 'Too many descriptions were asked for; try again in a minute.', 429);
    const value = fetchJson(url).catch((error: unknown) => {
      this.#documents.delete(url.href);
      throw invalidClient(`The description at ${url.href} cannot be fetched: ${shorten(errorMessage(error), 200)}.`);
    });
    this.#documents.delete(url.href);
    this.#documents.set(url.href, { fetched: Date.now(), value });
    const [oldest = ''] = this.#documents.keys();
    if (this.#documents.size > MAX_DOCUMENTS) this.#documents.delete(oldest);
    return value;
  }
}

/** Whether this is the secret of the client. */
export function isSecretOf(sha256: string, secret: string): boolean {
  return timingSafeEqual(Buffer.from(sha256, 'hex'), Buffer.from(digest(secret), 'hex'));
}

/** Returns the URL that a client has as its id; null if it is not in the one form that means what it says. */
function readClientUrl(id: string): URL | null {
  if (id.length > MAX_CLIENT_ID_CHARACTERS || !URL.canParse(id)) return null;
  const url = new URL(id);
  return url.href === id && isPlain(url) && !id.includes('#') && url.pathname !== '/' ? url : null;
}

function isPlain({ protocol, port, username, password }: URL): boolean {
  return protocol === 'https:' && port === '' && username === '' && password === '';
}

function authOf(data: z.output<typeof document>): ClientAuth {
  if (data.token_endpoint_auth_method === 'none') return { kind: 'none' };
  // ChatGPT prefers its key and says that it can do without; then PKCE alone has to do, as for any public client.
  const isNeeded = !data.token_endpoint_auth_methods_supported.includes('none');
  return { kind: 'key', jwks: data.jwks ?? null, jwksUri: data.jwks_uri ?? null, isNeeded };
}

function describeInvalid(error: z.ZodError): OauthError {
  const isRedirect = error.issues[0]?.path[0] === 'redirect_uris';
  return new OauthError(isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata', `${issueIn(error)}.`);
}

function issueIn(error: z.ZodError): string {
  const [issue] = error.issues;
  return shorten(`${(issue?.path ?? []).join('.')} ${issue?.message ?? 'is not as it should be'}`, 200);
}
