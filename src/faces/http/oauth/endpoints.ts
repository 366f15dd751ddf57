import type { Log } from '../../../ports.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { answerJson } from '../api/answer.ts';
import type { HttpContext } from '../env.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import type { Authenticator } from './authenticate.ts';
import type { Clients } from './clients.ts';
import { requireResource } from './consent/authorize.ts';
import type { Grants } from './grants.ts';
import { invalidRequest, OauthError } from './oauth-error.ts';
import { readForm, readParameters, readSmallBody } from './read-form.ts';

const MAX_REQUESTS_PER_MINUTE = 600;

interface EndpointsOptions {
  readonly authenticator: Authenticator;
  readonly clients: Clients;
  readonly grants: Grants;
  readonly resource: string;
  readonly log: Log;
  readonly onRefusal: (message: string) => void;
}

/** The endpoints that clients call without a browser. Errors have the form of RFC 6749. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #requests = new RateLimit(MAX_REQUESTS_PER_MINUTE);

  constructor(options: EndpointsOptions) {
    this.#options = options;
  }

  /** Exchanges a code or a refresh token. */
  token(context: HttpContext): Promise<Response> {
    return this.#answering('a token request', context, async () => {
      const { authenticator, grants, resource, log } = this.#options;
      const form = await readForm(context);
      this.#count(grants.grantOf(form.get('refresh_token') ?? form.get('code') ?? ''));
      const client = await authenticator.authenticate(form, context.req.header('authorization'));
      requireResource(form.get('resource'), resource);
      const type = form.get('grant_type');
      if (type === 'refresh_token')
        return answerJson(context, grants.refresh(form.get('refresh_token') ?? '', { clientId: client.id, scope: form.get('scope') }));
      if (type !== 'authorization_code')
        throw new OauthError('unsupported_grant_type', 'The grant_type has to be authorization_code or refresh_token.');
      const by = { clientId: client.id, redirectUri: form.get('redirect_uri'), verifier: form.get('code_verifier') ?? '' };
      const tokens = grants.redeem(form.get('code') ?? '', by);
      log.info(`OAuth: ${visibleLine(client.name)} has access (${tokens.scope})`);
      return answerJson(context, tokens);
    });
  }

  /** Ends access (RFC 7009). Says nothing about tokens that are unknown or of others. */
  revoke(context: HttpContext): Promise<Response> {
    return this.#answering('a revocation', context, async () => {
      this.#count('');
      const { authenticator, grants } = this.#options;
      const form = await readForm(context);
      const client = await authenticator.authenticate(form, context.req.header('authorization'));
      const token = form.get('token');
      if (token === undefined) throw invalidRequest('The token is missing.');
      grants.revoke(token, client.id);
      return answerJson(context, {});
    });
  }

  /** Registers a client (RFC 7591). */
  register(context: HttpContext): Promise<Response> {
    return this.#answering('a registration', context, async () => {
      this.#count('');
      const text = await readSmallBody(context);
      let metadata: unknown;
      try {
        metadata = JSON.parse(text);
      } catch {
        throw new OauthError('invalid_client_metadata', 'Send a JSON object.');
      }
      return answerJson(context, this.#options.clients.register(metadata), 201);
    });
  }

  /** Counts a request. `grant`: '' for those of strangers, who take nothing from programs that have access. */
  #count(grant: string): void {
    if (!this.#requests.take(grant)) throw new OauthError('temporarily_unavailable', 'Too many requests; try again in a minute.', 429);
  }

  async #answering(what: string, context: HttpContext, answer: () => Promise<Response>): Promise<Response> {
    try {
      // Secrets in an address end up in logs of proxies.
      if (readParameters(new URL(context.req.url).search).size > 0) throw invalidRequest('Parameters belong in the body.');
      return await answer();
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      this.#options.onRefusal(`${what}: ${error.message}`);
      if (error.status === 401) context.header('WWW-Authenticate', 'Basic realm="roux"');
      return answerJson(context, { error: error.code, error_description: error.message }, error.status);
    }
  }
}
