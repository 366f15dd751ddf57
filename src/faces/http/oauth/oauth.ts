import { Hono } from 'hono';
import { shorten } from '../../../ops/shorten.ts';
import type { Access, Log } from '../../../ports.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { OauthFile } from '../../host.ts';
import { answerJson } from '../api/answer.ts';
import type { HttpContext, HttpEnv } from '../env.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import { Authenticator } from './authenticate.ts';
import { Clients } from './clients.ts';
import { Authorize } from './consent/authorize.ts';
import { Endpoints } from './endpoints.ts';
import { fetchJson } from './fetch-json.ts';
import { Grants } from './grants.ts';
import { COMMON_SCOPES, describeResource, describeServer, MCP_PATH, RESOURCE_METADATA, SERVER_METADATA } from './metadata.ts';

/** OAuth 2.1 for one vault: who may ask the owner for access, and what they got. */
export interface Oauth {
  /** Routes that answer without a token, and pass requests on while OAuth is off. */
  readonly routes: Hono<HttpEnv>;
  /** Whether the owner has set a password; without one, nothing of OAuth is there. */
  isOn(): boolean;
  /** Returns what the bearer of an access token may do. `isLate`: also for an hour after its end. */
  find(token: string, how?: { readonly isLate: boolean }): Access | null;
  /** Whether pages of any origin may call a path: those at which only what a request brings counts, and no cookie or address. */
  isForAnyOrigin(path: string): boolean;
  /** Returns the value of `WWW-Authenticate` for a request that is refused with 401. */
  challenge(path: string, target: string, hasToken: boolean): string;
}

export interface OauthOptions {
  readonly file: OauthFile;
  /** The public URL of the server, without a path. */
  readonly origin: string;
  /** The path below which the vault is, among several; empty for the only one. */
  readonly base: string;
  /** The hosts from which descriptions of clients may be fetched. */
  readonly clientHosts: readonly string[];
  readonly takenNames: () => readonly string[];
  /** Whether the server may only read, and the only folders in which it writes; null: in all. */
  readonly isReadOnly: boolean;
  readonly writeFolders: readonly string[] | null;
  readonly log: Log;
  /** Replaces the way to public addresses, for tests. */
  readonly fetchJson?: (url: URL) => Promise<unknown>;
}

/** Strangers may be refused any number of times. It is above the limit of wrong passwords (`password-gate.ts`), so that each of these is logged. */
const MAX_LINES_PER_MINUTE = 60;

/** Opens OAuth for a vault at a public URL. */
export function createOauth(options: OauthOptions): Oauth {
  const { file, origin, base, clientHosts, takenNames, isReadOnly, writeFolders, log, fetchJson: fetcher = fetchJson } = options;
  const issuer = `${origin}${base}`;
  const resource = `${issuer}${MCP_PATH}`;
  const lines = new RateLimit(MAX_LINES_PER_MINUTE);
  const onRefusal = (message: string, what = ''): void => {
    if (lines.take(what)) log.warn(`OAuth refused ${shorten(visibleLine(message), 400)}`);
  };
  const grants = new Grants({
    file,
    resource,
    takenNames,
    onReuse: (what, { name }) => log.warn(`OAuth: a ${what} of "${name}" was used a second time, so that its access has ended`),
  });
  const clients = new Clients({ file, hosts: clientHosts, fetchJson: fetcher });
  const authenticator = new Authenticator({ clients, audience: [issuer, `${issuer}/token`] });
  const authorize = new Authorize({ file, clients, grants, issuer, resource, isReadOnly, writeFolders, onRefusal });
  const endpoints = new Endpoints({ authenticator, clients, grants, resource, log, onRefusal });
  const isOn = (): boolean => file.hasPassword();

  const routes = new Hono<HttpEnv>();
  const add = (method: 'get' | 'post', path: string, answer: (context: HttpContext) => Response | Promise<Response>): void =>
    void routes[method](path, (context, next) => (isOn() ? answer(context) : next()));
  for (const path of [RESOURCE_METADATA, `${RESOURCE_METADATA}${MCP_PATH}`])
    add('get', path, (context) => answerJson(context, describeResource(issuer, resource)));
  add('get', SERVER_METADATA, (context) => answerJson(context, describeServer(issuer, clients.takesDocuments)));
  // Where clients of revision 2025-03-26 look without metadata, and claude.ai where it cannot read them.
  add('get', '/authorize', (context) => authorize.ask(context));
  add('post', '/authorize', (context) => authorize.answer(context));
  add('post', '/token', (context) => endpoints.token(context));
  add('post', '/revoke', (context) => endpoints.revoke(context));
  add('post', '/register', (context) => endpoints.register(context));

  return {
    routes,
    isOn,
    find: (token, how) => (isOn() ? grants.find(token, how) : null),
    isForAnyOrigin: (path) =>
      (path === MCP_PATH || path.startsWith('/.well-known/oauth-') || /^\/(?:token|revoke|register)$/.test(path)) && isOn(),
    challenge(path, target, hasToken) {
      if (!isOn() || path !== MCP_PATH) return 'Bearer';
      if (/[?&](?:access_token|token)=/.test(target)) onRefusal('a token in an address: it belongs in the Authorization header');
      const error = hasToken ? ', error="invalid_token"' : '';
      return `Bearer resource_metadata="${origin}${RESOURCE_METADATA}${base}${MCP_PATH}", scope="${COMMON_SCOPES}"${error}`;
    },
  };
}
