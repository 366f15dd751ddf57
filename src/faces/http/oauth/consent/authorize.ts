import { randomBytes } from 'node:crypto';
import { errorMessage } from '../../../../errors.ts';
import { SCOPES } from '../../../../ops/call/access.ts';
import type { OauthFile } from '../../../host.ts';
import { nameFolders } from '../../../mcp/surface/instructions.ts';
import type { HttpContext } from '../../env.ts';
import type { Client, Clients } from '../clients.ts';
import { MAX_GRANTS, prune } from '../grants.ts';
import type { Grants } from '../grants.ts';
import { invalidRequest, OauthError } from '../oauth-error.ts';
import { PasswordGate } from '../password-gate.ts';
import { readForm, readParameters } from '../read-form.ts';
import { isRedirectUri, isRegistered, withAnswer } from '../redirects.ts';
import { isWithin, readScope } from '../scopes.ts';
import type { Scope } from '../scopes.ts';
import { consentPage, PAGE_HEADERS, refusalPage, returnPage } from './page.ts';
import type { Question } from './page.ts';

const MAX_QUESTIONS = 1_000;
const MAX_QUESTION_AGE_MS = 10 * 60_000;
/** Wrong passwords for one request; then the client has to ask again. */
const MAX_TRIES = 5;
const MAX_STATE_CHARACTERS = 4_000;
const MAX_PASSWORD_CHARACTERS = 1_000;

/** A valid request that waits for the owner's answer. */
interface Pending {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  readonly scopes: readonly Scope[];
  readonly scope: Scope;
  readonly until: number;
  tries: number;
}

interface AuthorizeOptions {
  readonly file: OauthFile;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly issuer: string;
  readonly resource: string;
  readonly isReadOnly: boolean;
  readonly writeFolders: readonly string[] | null;
  /** Logs what was refused. `what`: counted apart from the rest, so that other refusals do not use up its lines. */
  readonly onRefusal: (message: string, what?: 'password') => void;
}

/** The authorization endpoint: checks what a client asks, asks the owner, and sends the answer to the client. */
export class Authorize {
  readonly #options: AuthorizeOptions;
  readonly #gate: PasswordGate;
  readonly #pending = new Map<string, Pending>();

  constructor(options: AuthorizeOptions) {
    this.#options = options;
    this.#gate = new PasswordGate(options.file);
  }

  /** `GET`: shows the consent page. Nobody is redirected before the owner has answered, so that a link to here leads nowhere else. */
  async ask(context: HttpContext): Promise<Response> {
    let trusted: { readonly client: Client; readonly redirectUri: string; readonly state: string | undefined } | null = null;
    try {
      const asked = readParameters(new URL(context.req.url).search);
      const client = await this.#options.clients.find(asked.get('client_id') ?? '');
      const redirectUri = chooseRedirect(client, asked.get('redirect_uri'));
      const state = asked.get('state');
      if ((state?.length ?? 0) > MAX_STATE_CHARACTERS) throw invalidRequest('The state is too long.');
      trusted = { client, redirectUri, state };
      const pending: Pending = { ...trusted, ...this.#readRequest(asked), until: Date.now() + MAX_QUESTION_AGE_MS, tries: 0 };
      return await this.#show(context, this.#remember(pending), pending);
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      const { message, code, status } = error;
      this.#options.onRefusal(`an authorization request: ${message}`);
      const back =
        trusted === null
          ? null
          : { redirectUri: trusted.redirectUri, address: this.#answer(trusted, { error: code, error_description: message }) };
      return send(context, refusalPage(message, back), status === 401 ? 400 : status);
    }
  }

  /** `POST`: takes the owner's answer. */
  async answer(context: HttpContext): Promise<Response> {
    try {
      if (!this.#isOwnForm(context)) throw invalidRequest('The form came from another page.');
      const form = await readForm(context);
      const id = form.get('request') ?? '';
      const pending = this.#pending.get(id);
      if (pending === undefined || pending.until < Date.now()) throw invalidRequest('This form is too old, or was sent before.');
      if (form.get('answer') === 'deny') {
        this.#pending.delete(id);
        return await send(context, returnPage(this.#answer(pending, { error: 'access_denied' }), pending.client), 200);
      }
      if (form.get('answer') !== 'allow') throw invalidRequest('The form has no answer.');
      return await this.#allow(context, { id, pending, form });
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      this.#options.onRefusal(`a consent form: ${error.message}`);
      return send(context, refusalPage(error.message, null), error.status);
    }
  }

  async #allow(
    context: HttpContext,
    { id, pending, form }: { readonly id: string; readonly pending: Pending; readonly form: ReadonlyMap<string, string> },
  ): Promise<Response> {
    const { file, grants } = this.#options;
    const scope = readScope(form.get('scope')) ?? 'read';
    if (!pending.scopes.includes(scope)) throw invalidRequest('The form allows more than was asked for.');
    const typed = form.get('folders') ?? '';
    const again = (field: 'password' | 'folders', text: string, status: 400 | 403 | 429) =>
      this.#show(context, id, pending, { scope, folders: typed, problem: { field, text } }, status);
    let folders: readonly string[] | null;
    try {
      folders = typed.trim() === '' ? null : file.parseFolders(typed.split(',').flatMap((folder) => folder.trim() || []));
    } catch (error) {
      return again('folders', errorMessage(error), 400);
    }
    if (folders?.length === 0) return again('folders', 'Name a folder, or leave this empty for the whole vault.', 400);
    const checked = await this.#gate.check((form.get('password') ?? '').slice(0, MAX_PASSWORD_CHARACTERS));
    if (checked === 'busy') {
      this.#options.onRefusal('a password: there were too many attempts');
      return again('password', 'There were too many attempts. Wait a minute and try again.', 429);
    }
    if (checked === 'wrong') {
      this.#options.onRefusal(`a wrong password (${this.#gate.wrongInARow} in a row)`, 'password');
      pending.tries += 1;
      if (pending.tries < MAX_TRIES) return again('password', 'This is not your password.', 403);
      this.#pending.delete(id);
      throw invalidRequest('There were too many wrong passwords.');
    }
    // The password took a while, in which the same form may have been sent again.
    if (!this.#pending.delete(id)) throw invalidRequest('This form was sent before.');
    if (prune(file.read()).grants.length >= MAX_GRANTS)
      throw invalidRequest(`${MAX_GRANTS} programs have access already. End one with "roux token remove".`);
    const { client, redirectUri, challenge } = pending;
    const code = grants.issueCode({ clientId: client.id, clientName: client.name, redirectUri, challenge, scope, folders });
    return send(context, returnPage(this.#answer(pending, { code }), client), 200);
  }

  /** Checks what is asked beside client and redirect. Throws `OauthError`. */
  #readRequest(asked: ReadonlyMap<string, string>): Pick<Pending, 'challenge' | 'scopes' | 'scope'> {
    if (asked.has('request') || asked.has('request_uri'))
      throw new OauthError('request_not_supported', 'Request objects are not supported.');
    if (asked.get('response_type') !== 'code') throw new OauthError('unsupported_response_type', 'The response_type has to be code.');
    if (asked.get('response_mode') !== undefined && asked.get('response_mode') !== 'query')
      throw invalidRequest('The response_mode has to be query.');
    const challenge = asked.get('code_challenge') ?? '';
    if (asked.get('code_challenge_method') !== 'S256' || !/^[\w-]{43}$/.test(challenge))
      throw invalidRequest('A code_challenge with the method S256 is needed (PKCE).');
    requireResource(asked.get('resource'), this.#options.resource);
    const most = readScope(asked.get('scope'));
    if (this.#options.isReadOnly) return { challenge, scopes: ['read'], scope: 'read' };
    // A client that names no scope may be allowed to read or to write. `admin` is never preselected.
    const scopes = SCOPES.filter((scope) => isWithin(scope, most ?? 'write'));
    return { challenge, scopes, scope: most === null ? 'read' : most === 'admin' ? 'write' : most };
  }

  #remember(pending: Pending): string {
    const id = randomBytes(32).toString('base64url');
    this.#pending.set(id, pending);
    if (this.#pending.size > MAX_QUESTIONS) this.#pending.delete(this.#oldestOfMost());
    return id;
  }

  /** Returns the oldest request of the client that has the most, so that none pushes out those of another. */
  #oldestOfMost(): string {
    const counts = new Map<string, number>();
    for (const { client } of this.#pending.values()) counts.set(client.id, (counts.get(client.id) ?? 0) + 1);
    const [most] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
    const [oldest = ''] = [...this.#pending].find(([, { client }]) => client.id === most) ?? [];
    return oldest;
  }

  #show(
    context: HttpContext,
    id: string,
    pending: Pending,
    typed: Partial<Pick<Question, 'scope' | 'folders' | 'problem'>> = {},
    status: 200 | 400 | 403 | 429 = 200,
  ): Promise<Response> {
    const { client, redirectUri, scopes, scope } = pending;
    const server = this.#options.issuer.replace(/^https?:\/\//, '');
    const action = `${new URL(this.#options.issuer).pathname.replace(/\/$/, '')}/authorize`;
    return send(
      context,
      consentPage({
        id,
        action,
        server,
        client,
        redirectUri,
        scopes,
        scope,
        limit: this.#limitOf(scopes),
        folders: '',
        problem: null,
        ...typed,
      }),
      status,
    );
  }

  /** Says what programs can do less here than elsewhere; null: nothing. */
  #limitOf(scopes: readonly Scope[]): string | null {
    const { isReadOnly, writeFolders } = this.#options;
    if (isReadOnly) return 'Your server is read-only.';
    return writeFolders === null || !scopes.includes('write') ? null : `Your server writes only in ${nameFolders(writeFolders)}.`;
  }

  /** Returns the client's address with an answer, and who gives it (RFC 9207). */
  #answer(to: Pick<Pending, 'redirectUri' | 'state'>, answer: Readonly<Record<string, string>>): string {
    return withAnswer(to.redirectUri, { ...answer, state: to.state, iss: this.#options.issuer });
  }

  /** Whether a form was sent by the page itself, as browsers tell by two headers; other programs send neither. */
  #isOwnForm({ req }: HttpContext): boolean {
    const site = req.header('sec-fetch-site');
    const origin = req.header('origin');
    return (site === undefined || site === 'same-origin') && (origin === undefined || origin === new URL(this.#options.issuer).origin);
  }
}

/** Throws `invalid_target` for a resource that is not this server's (RFC 8707). Without one, this server is meant: it has only one. */
export function requireResource(asked: string | undefined, resource: string): void {
  if (asked !== undefined && asked.replace(/\/$/, '') !== resource)
    throw new OauthError('invalid_target', `The resource has to be ${resource}.`);
}

/** Returns where the answer goes. Throws `invalid_request` for an address that the client did not register. */
function chooseRedirect({ redirectUris }: Client, asked: string | undefined): string {
  const [only] = redirectUris;
  if (asked === undefined && only !== undefined && redirectUris.length === 1) return only;
  if (asked === undefined || !isRedirectUri(asked) || !isRegistered(asked, redirectUris))
    throw invalidRequest('The redirect_uri is not one that the client registered.');
  return asked;
}

async function send(context: HttpContext, page: ReturnType<typeof consentPage>, status: number): Promise<Response> {
  return context.body(String(await page), status as 200, PAGE_HEADERS);
}
