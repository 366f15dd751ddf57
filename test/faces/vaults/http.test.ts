import { readFileSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServe } from '../../support/program/http-server.ts';
import type { HttpServer } from '../../support/program/http-server.ts';
import { answer, ask, freePort, register, setPassword } from '../../support/program/oauth-server.ts';
import { askRaw } from '../../support/program/raw-http.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const json = { 'content-type': 'application/json' };

interface Started {
  readonly vaults: readonly { readonly name: string; readonly url: string; readonly vault: string; readonly token_file?: string }[];
}

/** Serves these folders of a place together. */
function withVaults<T>(
  place: TestVault,
  folders: readonly string[],
  run: (server: HttpServer & { readonly started: () => Started }) => Promise<T>,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const [first = '', ...others] = folders.map((folder) => place.path(folder));
  return withServe({ ...place, root: first }, [...others, ...flags], (server) => run(server as never), env);
}

const FOLDERS = {
  'home/notes/alpha.md': '# Alpha\nonly in the first\n',
  'work/notes/beta.md': '# Beta\nonly in the second\n',
  'My Work & 100%/gamma.md': '# Gamma\n',
  'api/delta.md': '# Delta\n',
};
const ALL = ['home/notes', 'work/notes', 'My Work & 100%', 'api'];

describe('O-02 several vaults over HTTP', () => {
  it('O-02 roux token names the address of the vault at the server that runs', () =>
    withVault(FOLDERS, (place) =>
      withVaults(place, ALL, async ({ url }) => {
        const { stdout } = await cli(['token', 'add', 'max', '--vault', place.path('work/notes'), '--json']);
        expect(JSON.parse(stdout)).toMatchObject({ mcp: `${url}/notes-2/mcp` });
      }),
    ));

  it('O-02 each is below its name, which is told at the start, and answers of itself alone', () =>
    withVault(FOLDERS, (place) =>
      withVaults(place, ALL, async ({ url, port, told }) => {
        expect(told()).toContain(`notes: ${place.path('home/notes')}`);
        expect(told()).toContain(`notes-2: ${place.path('work/notes')}`);
        expect(told()).toContain(`api-2: ${place.path('api')}`);
        const title = async (name: string, id: string) => {
          const response = await fetch(`${url}/${name}/api/get_node?id=${id}`);
          return [response.status, ((await response.json()) as { result?: { title?: string } }).result?.title];
        };
        expect(await title('notes', 'alpha')).toEqual([200, 'alpha']);
        expect(await title('notes-2', 'beta')).toEqual([200, 'beta']);
        expect(await title('My%20Work%20%26%20100%25', 'gamma')).toEqual([200, 'gamma']);
        expect(await title('api-2', 'delta')).toEqual([200, 'delta']);
        expect(await (await fetch(`${url}/notes/api/search?query=second`)).text()).not.toContain('beta');
        const created = await fetch(`${url}/notes-2/api/create_node`, { method: 'POST', headers: json, body: '{"title":"New"}' });
        expect(created.status).toBe(200);
        expect(place.files().filter((file) => file.includes('new'))).toEqual(['work/notes/new.md']);
        const session = (await (await fetch(`${url}/notes-2/api/session`)).json()) as { vault: string; vaults: readonly string[] };
        expect(session).toMatchObject({ vault: 'notes-2', vaults: ['notes', 'notes-2', 'My Work & 100%', 'api-2'] });
        const openapi = (await (await fetch(`${url}/notes-2/api/openapi.json`)).json()) as { servers: readonly { url: string }[] };
        expect(openapi.servers).toEqual([{ url: `${url}/notes-2/api` }]);
        const page = await (await fetch(`${url}/My%20Work%20%26%20100%25/note/gamma.md`)).text();
        expect(page).toContain('<html data-base="/My%20Work%20%26%20100%25" lang="en">');
        // Above them all nothing is of a vault.
        const statuses = async (...targets: readonly string[]) =>
          askRaw(
            port,
            targets.map((target) => ({ method: 'GET', target })),
          );
        expect(await statuses('/', '/notes', '/health', '/mcp', '/api', '/api/session', '/metrics', '/Notes/', '/note/alpha.md')).toEqual([
          302, 302, 200, 404, 404, 404, 404, 404, 404,
        ]);
        expect(await statuses('/notes/../api-2/health', '/notes/%2e%2e/api-2/health', '//notes/health', '/notes%2fhealth')).toEqual([
          400, 400, 400, 404,
        ]);
        const root = await fetch(`${url}/`, { redirect: 'manual' });
        expect(root.headers.get('location')).toBe('/notes/');
        expect(await (await fetch(`${url}/mcp`)).text()).not.toMatch(/notes|Work/);
      }),
    ));

  it('O-02 what is told of one of them at the start names it', () =>
    withVault({ 'a/x.md': '# X\n', 'b/y.md': '# Y\n' }, (place) =>
      withVaults(place, ['b'], ({ url: other }) =>
        withVaults(
          place,
          ['a', 'b'],
          async ({ told }) => {
            expect(told()).toContain(`b is also served at ${other}.`);
            expect(told()).not.toContain('a is also served');
            expect(told()).toContain('Programs cannot sign in at https://notes.example/a/mcp yet');
            expect(told()).toContain('Programs cannot sign in at https://notes.example/b/mcp yet');
          },
          ['--public-url', 'https://notes.example'],
        ),
      ),
    ));

  it('O-02 a wrong password is logged with the name of the vault that it was for', () =>
    withVault({ 'a/x.md': '# X\n', 'b/y.md': '# Y\n' }, async (place) => {
      for (const root of [place.path('a'), place.path('b')]) await setPassword({ ...place, root });
      const port = await freePort();
      const address = `http://127.0.0.1:${port}`;
      await withVaults(
        place,
        ['a', 'b'],
        async ({ told }) => {
          const server = { url: `${address}/b` };
          const { request } = await ask(server, { client_id: (await register(server)).body.client_id });
          expect((await answer(server, { request: request ?? '', password: 'not the password' })).status).toBe(403);
          await expect.poll(told).toContain('warning: b: OAuth refused a wrong password (1 in a row)');
        },
        ['--port', String(port), '--public-url', address],
        { ROUX_HTTP_AUTH: 'token' },
      );
    }));

  it('O-02 /health tells when a folder is gone, and when it is back', () =>
    withVault(FOLDERS, (place) =>
      withVaults(place, ALL, async ({ url }) => {
        const status = async (): Promise<unknown> => ((await (await fetch(`${url}/health`)).json()) as { status?: unknown }).status;
        await expect.poll(status).toBe('ok');
        renameSync(place.path('api'), place.path('away'));
        await expect.poll(status).toBe('partly');
        renameSync(place.path('away'), place.path('api'));
        await expect.poll(status).toBe('ok');
      }),
    ));

  it('O-02 a token of one opens nothing of another, also a named one, a ticket and a session of MCP', () =>
    withVault({ 'a/x.md': '# X\n', 'b/y.md': '# Y\n' }, (place) =>
      withVaults(
        place,
        ['a', 'b'],
        async ({ url, told }) => {
          const [tokenA = '', tokenB = ''] = [...told().matchAll(/Bearer \$\(cat '(.*?)'\)/g)].map(([, file]) =>
            readFileSync(file ?? '', 'utf8').trim(),
          );
          expect(tokenA.length * tokenB.length).toBeGreaterThan(0);
          const ask = async (
            path: string,
            token: string,
            init: { method?: string; body?: string; headers?: Record<string, string> } = {},
          ) => (await fetch(url + path, { ...init, headers: { ...json, ...init.headers, authorization: `Bearer ${token}` } })).status;
          const paths = ['/api/session', '/api/get_node?id=x', '/api/events', '/api/file/x.md', '/metrics', '/mcp', '/api/connect'];
          for (const path of paths) {
            expect([path, await ask(`/b${path}`, tokenA), await ask(`/a${path}`, tokenB)]).toEqual([path, 401, 401]);
          }
          expect([await ask('/a/api/session', tokenA), await ask('/b/api/session', tokenB)]).toEqual([200, 200]);
          const init = { jsonrpc: '2.0', id: 1, method: 'initialize' };
          const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
          const accept = { accept: 'application/json, text/event-stream' };
          const begun = await fetch(`${url}/a/mcp`, {
            method: 'POST',
            headers: { ...json, ...accept, authorization: `Bearer ${tokenA}` },
            body: JSON.stringify({ ...init, params }),
          });
          const id = begun.headers.get('mcp-session-id') ?? '';
          expect(id).not.toBe('');
          const list = { method: 'POST', body: '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' };
          expect(await ask('/b/mcp', tokenA, { ...list, headers: { ...accept, 'mcp-session-id': id } })).toBe(401);
          // Not even with a token of its own does a session lead to another vault.
          expect(await ask('/b/mcp', tokenB, { ...list, headers: { ...accept, 'mcp-session-id': id } })).toBe(404);
          const [ticket = ''] = /(?<=#tickets=a:)[\w-]+/.exec(told()) ?? [];
          const redeem = async (vault: string) =>
            (await fetch(`${url}/${vault}/api/ticket`, { method: 'POST', headers: json, body: JSON.stringify({ ticket }) })).status;
          expect([await redeem('a'), await redeem('b')]).toEqual([200, 403]);
        },
        [],
        { ROUX_HTTP_AUTH: 'token' },
      ),
    ));

  it('O-02 the settings of each are its own', () =>
    withVault(
      {
        'a/x.md': '# X\n',
        'a/.rouxrc.json': '{"readOnly": true}',
        'b/y.md': '# Y\n',
        'b/.rouxrc.json': '{"toolsets": ["vault"]}',
      },
      (place) =>
        withVaults(place, ['a', 'b'], async ({ url }) => {
          const create = async (vault: string) =>
            (await fetch(`${url}/${vault}/api/create_node`, { method: 'POST', headers: json, body: '{"title":"New"}' })).status;
          expect([await create('a'), await create('b')]).toEqual([404, 200]);
          expect((await fetch(`${url}/b/api/graph_next`, { method: 'POST', headers: json, body: '{}' })).status).toBe(404);
        }),
    ));

  it('O-02 one whose settings cannot be read stops the start, and is named', () =>
    withVault({ 'a/x.md': '# X\n', 'b/.rouxrc.json': '{' }, async (place) => {
      const told = await cli(['serve', place.path('a'), place.path('b'), '--port', '0']);
      expect([told.status, told.stderr]).toEqual([2, expect.stringContaining(`${place.path('b')}: .rouxrc.json is not valid JSON`)]);
      const missing = await cli(['mcp', place.path('a'), '--vault', place.path('c')]);
      expect([missing.status, missing.stderr]).toEqual([3, expect.stringContaining('does not exist')]);
    }));
});
