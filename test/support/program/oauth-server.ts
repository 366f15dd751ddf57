import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serveHttp } from '../../../src/faces/http/serve-http.ts';
import type { ServeOptions } from '../../../src/faces/http/vaults/door.ts';
import { folderKey } from '../../../src/system/folder-key.ts';
import { replacePrivateFile } from '../../../src/system/private-file.ts';
import type { TestVault, VaultSource } from '../vault.ts';
import { withVault } from '../vault.ts';
import { cli } from './cli.ts';
import { withServe } from './http-server.ts';
import type { HttpServer } from './http-server.ts';
import { openTestHost } from './mcp-server.ts';

export const PASSWORD = 'correct horse battery';
/** Where answers go that no test receives. */
export const CALLBACK = 'https://client.example/callback';

/** A vault that is served with OAuth. */
export interface OauthServer extends Pick<HttpServer, 'url' | 'port'> {
  readonly vault: TestVault;
  /** What the server has logged. */
  readonly told: () => string;
}

/** Runs with the built `roux serve` at a public URL of this machine, and with the owner's password set. */
export function withOauth<T>(
  source: VaultSource,
  run: (server: OauthServer & HttpServer) => Promise<T>,
  { flags = [], env = {} }: { readonly flags?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<T> {
  return withVault(source, async (vault) => {
    writePassword(vault);
    const port = await freePort();
    const given = ['--port', String(port), '--public-url', `http://127.0.0.1:${port}`, ...flags];
    return withServe(vault, given, (server) => run({ ...server, vault }), { ROUX_HTTP_AUTH: 'token', ROUX_LOG: 'info', ...env });
  });
}

/** The same in this process, with another way to the descriptions of clients: there are no public addresses here. */
export function withOauthHere<T>(
  source: VaultSource,
  fetchJson: NonNullable<ServeOptions['fetchJson']>,
  run: (server: OauthServer) => Promise<T>,
): Promise<T> {
  return withVault(source, async (vault) => {
    writePassword(vault);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = { ROUX_HTTP_PORT: String(port), ROUX_HTTP_PUBLIC_URL: url, ROUX_HTTP_CLIENT_HOSTS: 'client.example,keys.example' };
    const host = openTestHost(vault, { env });
    const face = await serveHttp(host, { token: randomBytes(16).toString('hex'), fetchJson });
    try {
      await host.ready();
      return await run({ url: face.url, port, vault, told: () => '' });
    } finally {
      host.stopWriting();
      await face.close();
      await host.close();
    }
  });
}

/** Sets it as the program does, with a hash that takes a hundredth of the time: guesses are what few of these tests are about. */
function writePassword(vault: TestVault): void {
  const [cost, salt] = [{ N: 2 ** 10, r: 8, p: 1 }, randomBytes(16)];
  const hash = scryptSync(PASSWORD, salt, 32, cost).toString('base64url');
  const password = ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash].join('$');
  const folder = join(process.env['XDG_STATE_HOME'] ?? '', 'roux/servers');
  replacePrivateFile(folder, `${folderKey(vault.root)}.oauth`, JSON.stringify({ password, clients: [], grants: [] }));
}

export async function setPassword(vault: TestVault, password: string = PASSWORD): Promise<void> {
  const { status, stderr } = await cli(['token', 'owner', '--vault', vault.root], { stdin: `${password}\n` });
  if (status !== 0) throw new Error(stderr);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** An answer of an endpoint that takes forms and gives JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A page, and what it leads to. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The id of the request in the form; null if there is no form. */
  readonly request: string | null;
  /** Where the browser goes next by itself; null if it stays. */
  readonly next: URL | null;
}

/** Sends a form to the token or revocation endpoint. */
export async function postForm(url: string, fields: Fields, headers: Record<string, string> = {}): Promise<JsonAnswer> {
  const response = await fetch(url, { method: 'POST', body: formOf(fields), headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export async function register(server: Pick<OauthServer, 'url'>, metadata: unknown = {}): Promise<JsonAnswer> {
  const body = typeof metadata === 'string' ? metadata : JSON.stringify({ redirect_uris: [CALLBACK], ...PUBLIC, ...(metadata as object) });
  const response = await fetch(`${server.url}/register`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const PUBLIC = { token_endpoint_auth_method: 'none', client_name: 'Test program' };

export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Opens the authorization endpoint as a browser does. `undefined` leaves a parameter out. */
export function ask(server: Pick<OauthServer, 'url'>, fields: Fields, headers: Record<string, string> = {}): Promise<PageAnswer> {
  const { url } = server;
  const all = {
    response_type: 'code',
    redirect_uri: CALLBACK,
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    resource: `${url}/mcp`,
    ...fields,
  };
  return page(fetch(`${url}/authorize?${formOf(all).toString()}`, { redirect: 'manual', headers }));
}

/** Sends the consent form as the page does. */
export function answer(
  server: Pick<OauthServer, 'url'>,
  fields: Fields,
  headers: Record<string, string> = { origin: new URL(server.url).origin, 'sec-fetch-site': 'same-origin' },
): Promise<PageAnswer> {
  const all = { answer: 'allow', scope: 'write', folders: '', password: PASSWORD, ...fields };
  return page(fetch(`${server.url}/authorize`, { method: 'POST', body: formOf(all), redirect: 'manual', headers }));
}

async function page(asked: Promise<Response>): Promise<PageAnswer> {
  const response = await asked;
  const html = await response.text();
  const next = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  return {
    status: response.status,
    headers: response.headers,
    html,
    request: /name="request" value="([^"]*)"/.exec(html)?.[1] ?? null,
    next: next === undefined ? null : new URL(next),
  };
}

/** A code with what is needed to exchange it. */
export interface Code {
  readonly code: string;
  readonly clientId: string;
  readonly verifier: string;
}

/** Registers a client and has the owner let it in. */
export async function getCode(
  server: Pick<OauthServer, 'url'>,
  { clientId, asked = {}, answered = {} }: { readonly clientId?: string; readonly asked?: Fields; readonly answered?: Fields } = {},
): Promise<Code> {
  const id = clientId ?? ((await register(server)).body.client_id as string);
  const { verifier, challenge } = pkce();
  const { request, html } = await ask(server, { client_id: id, code_challenge: challenge, scope: 'read write', ...asked });
  if (request === null) throw new Error(html);
  const { next, html: refused } = await answer(server, { request, ...answered });
  const code = next?.searchParams.get('code');
  if (typeof code !== 'string') throw new Error(refused);
  return { code, clientId: id, verifier };
}

/** Exchanges a code. */
export function redeem(server: Pick<OauthServer, 'url'>, { code, clientId, verifier }: Code, fields: Fields = {}): Promise<JsonAnswer> {
  const all = {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    code_verifier: verifier,
    redirect_uri: CALLBACK,
    resource: `${server.url}/mcp`,
    ...fields,
  };
  return postForm(`${server.url}/token`, all);
}

export function refresh(server: Pick<OauthServer, 'url'>, clientId: string, token: string, fields: Fields = {}): Promise<JsonAnswer> {
  return postForm(`${server.url}/token`, { grant_type: 'refresh_token', refresh_token: token, client_id: clientId, ...fields });
}

/** Returns the status of a call of a tool with an access token, and what it answers. */
export async function callTool(
  { url }: Pick<OauthServer, 'url'>,
  token: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return { status: response.status, text: await response.text() };
}

function formOf(fields: Fields): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
