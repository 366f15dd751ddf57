import { basename } from 'node:path';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import {
  answer,
  ask,
  callTool,
  freePort,
  PASSWORD,
  postForm,
  refresh,
  setPassword,
  withOauth,
  withOauthHere,
} from '../../../support/program/oauth-server.ts';
import type { OauthServer } from '../../../support/program/oauth-server.ts';
import { withServe } from '../../../support/program/http-server.ts';
import { withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

const NOTES = { 'a.md': 'About apples\n', 'open/b.md': 'About pears\n', 'closed/c.md': 'About plums\n' };
const DOCUMENT = 'https://client.example/mcp.json';
const LOOPBACK = 'http://127.0.0.1:33418/callback';

/** A program with the SDK's client, whose person is sent to an address. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = LOOPBACK;
  readonly clientMetadata = { client_name: 'Claude', redirect_uris: [LOOPBACK], token_endpoint_auth_method: 'none' };
  readonly clientMetadataUrl?: string;
  sentTo: URL | null = null;
  known: OAuthClientInformationMixed | undefined;
  held: OAuthTokens | undefined;
  #verifier = '';

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state = () => 'of the program';
  clientInformation = () => this.known;
  saveClientInformation = (known: OAuthClientInformationMixed) => void (this.known = known);
  tokens = () => this.held;
  saveTokens = (tokens: OAuthTokens) => void (this.held = tokens);
  redirectToAuthorization = (url: URL) => void (this.sentTo = url);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
}

/** Connects until the program has a code, with the person's answer to the consent form; gives the client of the tools. */
async function signIn({ url }: Pick<OauthServer, 'url'>, program: Program, fields: Readonly<Record<string, string>> = {}): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: program });
  await expect(new Client({ name: 'program', version: '1' }).connect(transport)).rejects.toThrow('Unauthorized');
  const asked = Object.fromEntries(program.sentTo?.searchParams ?? []);
  expect(asked).toMatchObject({ scope: 'read write', code_challenge_method: 'S256', resource: `${url}/mcp` });
  const { request, html } = await ask({ url }, asked);
  expect(html).toContain('Let Claude work with your notes?');
  expect(html).not.toMatch(/apples|closed/);
  const { next } = await answer({ url }, { request: request ?? '', password: PASSWORD, ...fields });
  expect(next?.href.startsWith(`${LOOPBACK}?`)).toBe(true);
  expect(Object.fromEntries(next?.searchParams ?? [])).toEqual({ code: expect.any(String), state: 'of the program', iss: url });
  await transport.finishAuth(next?.searchParams.get('code') ?? '');
  const client = new Client({ name: 'program', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: program }));
  return client;
}

const textOf = (result: unknown): string => JSON.stringify(result);

describe('O-01 OAuth, the whole way', () => {
  it('O-01 the client of the SDK finds the server, registers, is let in, calls tools, refreshes and is revoked', () =>
    withOauth(NOTES, async (server) => {
      const program = new Program();
      const client = await signIn(server, program, { scope: 'write', folders: 'open/' });
      expect(textOf(await client.callTool({ name: 'search', arguments: { query: 'about' } }))).toMatch(/open\/b\.md/);
      expect(textOf(await client.callTool({ name: 'get_node', arguments: { id: 'a.md' } }))).not.toContain('apples');
      expect(textOf(await client.callTool({ name: 'create_node', arguments: { title: 'New', folder: 'open' } }))).toContain('open/');
      await client.close();

      const before = program.held;
      expect(await auth(program, { serverUrl: `${server.url}/mcp` })).toBe('AUTHORIZED');
      expect(program.held?.refresh_token).not.toBe(before?.refresh_token);
      const token = program.held?.access_token ?? '';
      expect((await callTool(server, token, 'get_node', { id: 'open/b.md' })).text).toContain('pears');

      const listed = await cli(['token', '--vault', server.vault.root]);
      expect(listed.stdout).toMatch(/^claude {2}write {2}open {3}for Claude by OAuth, allowed 20/m);
      expect(listed.stdout).not.toContain(program.held?.refresh_token ?? 'none');

      const metadata = (await (await fetch(`${server.url}/.well-known/oauth-authorization-server`)).json()) as {
        revocation_endpoint: string;
      };
      const clientId = program.known?.client_id ?? '';
      const revoked = await postForm(metadata.revocation_endpoint, { token: program.held?.refresh_token, client_id: clientId });
      expect(revoked.status).toBe(200);
      expect((await callTool(server, token, 'get_node', { id: 'open/b.md' })).status).toBe(401);
      expect((await refresh(server, clientId, program.held?.refresh_token ?? '')).body).toMatchObject({ error: 'invalid_grant' });
      expect((await cli(['token', '--vault', server.vault.root])).stdout).not.toContain('claude');
    }));

  it('O-01 a client whose id is the URL of its description is let in without registering, and its host is named', () =>
    withOauthHere(
      NOTES,
      async (url) => {
        expect(url.href).toBe(DOCUMENT);
        return { client_id: DOCUMENT, client_name: 'Claude', redirect_uris: ['http://127.0.0.1/callback'] };
      },
      async (server) => {
        const program = new Program(DOCUMENT);
        const client = await signIn(server, program);
        expect(program.known?.client_id).toBe(DOCUMENT);
        expect(textOf(await client.callTool({ name: 'get_node', arguments: { id: 'a.md' } }))).toContain('apples');
        await client.close();
        const { html } = await ask(server, { client_id: DOCUMENT, redirect_uri: 'http://127.0.0.1:5/callback' });
        expect(html).toContain('Described by client.example.');
        expect(html).toContain('A program on the computer that shows this page.');
      },
    ));

  it('O-01 grants and registrations outlive a restart, and "roux token remove" ends a grant and what it has open', () =>
    withOauth(NOTES, async (server) => {
      const program = new Program();
      await (await signIn(server, program)).close();
      const token = program.held?.access_token ?? '';
      expect(await server.stop()).toBe(0);
      const flags = ['--port', String(server.port), '--public-url', server.url];
      await withServe(
        server.vault,
        flags,
        async ({ url }) => {
          expect((await callTool({ url }, token, 'get_node', { id: 'a.md' })).text).toContain('apples');
          const renewed = await refresh({ url }, program.known?.client_id ?? '', program.held?.refresh_token ?? '');
          expect(renewed).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 1800, scope: 'read write' } });
          const headers = {
            authorization: `Bearer ${renewed.body.access_token}`,
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            'mcp-protocol-version': '2025-06-18',
          };
          const clientInfo = { name: 'program', version: '1' };
          const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
          const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
          const begun = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
          await begun.text();
          const session = { ...headers, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
          const events = await fetch(`${url}/mcp`, { headers: session });
          expect(events.status).toBe(200);
          let isOpen = true;
          const ended = events.text().catch(() => '');
          void ended.then(() => (isOpen = false));
          expect(isOpen).toBe(true);
          expect((await cli(['token', 'remove', 'claude', '--vault', server.vault.root])).stdout).toBe('claude is let in no more.\n');
          expect((await callTool({ url }, renewed.body.access_token, 'get_node', { id: 'a.md' })).status).toBe(401);
          await ended;
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
    }));

  it('O-01 what is refused without a token names the metadata at /mcp, and is as ever elsewhere', () =>
    withOauth(NOTES, async ({ url }) => {
      const challenge = async (path: string, token?: string) =>
        (
          await fetch(`${url}${path}`, {
            method: 'POST',
            ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
          })
        ).headers.get('www-authenticate');
      const metadata = `${url}/.well-known/oauth-protected-resource/mcp`;
      expect(await challenge('/mcp')).toBe(`Bearer resource_metadata="${metadata}", scope="read write"`);
      expect(await challenge('/mcp', 'wrong')).toBe(`Bearer resource_metadata="${metadata}", scope="read write", error="invalid_token"`);
      expect(await challenge('/api/search')).toBe('Bearer');
      expect(await (await fetch(metadata)).json()).toMatchObject({ resource: `${url}/mcp`, authorization_servers: [url] });
    }));

  it('O-01 without a public URL or without the password nothing of it is there', () =>
    withOauth(NOTES, async (server) => {
      await server.stop();
      const look = async (url: string) => {
        const paths = ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp', '/authorize'];
        const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`)).status));
        return [...statuses, (await fetch(`${url}/mcp`, { method: 'POST' })).headers.get('www-authenticate')];
      };
      await withServe(server.vault, [], async ({ url }) => expect(await look(url)).toEqual([401, 401, 401, 'Bearer']), {
        ROUX_HTTP_AUTH: 'token',
      });
      await withVault(NOTES, (other) =>
        withServe(
          other,
          ['--public-url', 'https://notes.example.com'],
          async ({ url, told }) => {
            expect(await look(url)).toEqual([401, 401, 401, 'Bearer']);
            await waitFor(() => told().includes('roux token owner'), { what: 'the hint' });
          },
          // Who can be reached from elsewhere asks for a token in any case.
          { ROUX_HTTP_AUTH: 'none' },
        ),
      );
    }));

  it('O-01 of several vaults each has its own password, metadata and access', () =>
    withVault(NOTES, (one) =>
      withVault({ 'a.md': 'About quinces\n' }, async (two) => {
        await setPassword(two);
        const port = await freePort();
        const url = `http://127.0.0.1:${port}`;
        await withServe(
          one,
          [two.root, '--port', String(port), '--public-url', url],
          async () => {
            const [first, second] = [one, two].map(({ root }) => ({ url: `${url}/${basename(root)}` }));
            if (first === undefined || second === undefined) throw new Error('no vaults');
            const program = new Program();
            const client = await signIn(second, program);
            expect(program.sentTo?.href.startsWith(`${second.url}/authorize?`)).toBe(true);
            expect(textOf(await client.callTool({ name: 'get_node', arguments: { id: 'a.md' } }))).toContain('quinces');
            await client.close();
            expect((await callTool(first, program.held?.access_token ?? '', 'get_node', { id: 'a.md' })).status).toBe(401);
            // The first has no password.
            expect((await fetch(`${url}/.well-known/oauth-protected-resource/${basename(one.root)}/mcp`)).status).toBe(401);
          },
          { ROUX_HTTP_AUTH: 'token' },
        );
      }),
    ));
});
