import type { JSONWebKeySet } from 'jose';
import { errorMessage } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import { isSecretOf } from './clients.ts';
import type { Client, Clients } from './clients.ts';
import { invalidClient, invalidRequest } from './oauth-error.ts';

type Form = ReadonlyMap<string, string>;

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** Only signatures with a key pair: a client publishes its key, so that "none" and HMAC would let anybody sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const MAX_ASSERTION_AGE = '10m';
const CLOCK_TOLERANCE_S = 60;
/** Ids of assertions that are remembered, so that none is used twice. */
const MAX_ASSERTIONS = 10_000;

interface AuthenticatorOptions {
  readonly clients: Clients;
  /** What an assertion may name as its audience: the issuer, or the endpoint. */
  readonly audience: readonly string[];
}

/** Finds out which client makes a request, by its secret, its key, or only its name where it has neither. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #seen = new Map<string, number>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** Returns the client of a request to the token endpoint. Throws `OauthError` if it cannot be authenticated. */
  async authenticate(form: Form, authorization: string | undefined): Promise<Client> {
    const basic = readBasic(authorization);
    const assertion = form.get('client_assertion');
    const id = basic?.id ?? form.get('client_id') ?? subjectOf(assertion);
    if (id === undefined) throw invalidRequest('client_id is missing.');
    if (basic !== null && (form.get('client_id') ?? basic.id) !== basic.id) throw invalidRequest('Two clients are named.');
    const secret = basic?.secret ?? form.get('client_secret');
    if (secret !== undefined && secret !== '' && assertion !== undefined) throw invalidRequest('Use one way to authenticate.');
    const client = await this.#options.clients.find(id);
    const { auth } = client;
    if (auth.kind === 'secret' && !isSecretOf(auth.sha256, secret ?? ''))
      throw invalidClient('The secret of the client is missing or wrong.');
    if (auth.kind === 'key' && (auth.isNeeded || assertion !== undefined)) await this.#verify(client, form);
    return client;
  }

  async #verify(client: Client, form: Form): Promise<void> {
    const { auth, id } = client;
    const assertion = form.get('client_assertion');
    if (auth.kind !== 'key' || assertion === undefined || form.get('client_assertion_type') !== JWT_BEARER)
      throw invalidClient('This client has to authenticate with its key (private_key_jwt).');
    const { createLocalJWKSet, jwtVerify } = await import('jose');
    const verify = async (isFresh: boolean) =>
      jwtVerify(assertion, createLocalJWKSet(await this.#keysOf(client, isFresh)), {
        issuer: id,
        subject: id,
        audience: [...this.#options.audience],
        algorithms: ALGORITHMS,
        maxTokenAge: MAX_ASSERTION_AGE,
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['exp', 'jti'],
      });
    try {
      const { payload } = await verify(false).catch((error: unknown) => {
        // A client has changed its keys.
        if (isRecord(error) && error['code'] === 'ERR_JWKS_NO_MATCHING_KEY') return verify(true);
        throw error;
      });
      this.#useOnce(`${id} ${payload.jti}`);
    } catch (error) {
      throw invalidClient(`The assertion of the client is not valid: ${errorMessage(error)}.`);
    }
  }

  async #keysOf({ auth, id }: Client, isFresh: boolean): Promise<JSONWebKeySet> {
    const jwks = auth.kind !== 'key' ? null : auth.jwksUri === null ? auth.jwks : await this.#fetchKeys(auth.jwksUri, id, isFresh);
    if (!isRecord(jwks) || !Array.isArray(jwks['keys'])) throw new Error('the client publishes no keys');
    return { keys: jwks['keys'].slice(0, 20) as JSONWebKeySet['keys'] };
  }

  async #fetchKeys(address: string, clientId: string, isFresh: boolean): Promise<unknown> {
    if (!URL.canParse(address)) throw new Error('jwks_uri is no URL');
    return this.#options.clients.fetchDocument(new URL(address), clientId, { isFresh });
  }

  #useOnce(assertion: string): void {
    const now = Date.now();
    if ((this.#seen.get(assertion) ?? 0) > now) throw new Error('it was used before');
    this.#seen.set(assertion, now + 12 * 60_000);
    const [oldest = ''] = this.#seen.keys();
    if (this.#seen.size > MAX_ASSERTIONS) this.#seen.delete(oldest);
  }
}

function readBasic(authorization: string | undefined): { readonly id: string; readonly secret: string } | null {
  const encoded = /^basic +([\w+/=-]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  try {
    return { id: decodeURIComponent(text.slice(0, Math.max(colon, 0))), secret: decodeURIComponent(text.slice(colon + 1)) };
  } catch {
    throw invalidClient('The Authorization header cannot be read.');
  }
}

/** Returns who an assertion claims to be from, which is verified later. */
function subjectOf(assertion: string | undefined): string | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(assertion?.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isRecord(payload) && typeof payload['sub'] === 'string' ? payload['sub'] : undefined;
  } catch {
    return undefined;
  }
}
