import { describe, expect, it } from 'vitest';
import { post, withServe } from '../../support/program/http-server.ts';
import type { HttpServer } from '../../support/program/http-server.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';

const APP = 'https://app.example';
const initialized = { method: 'GET', path: '/api/session', body: '' };

describe('H-24 a server that asks for no token', () => {
  const server = useOnce<HttpServer>((use) => withVault({ 'a.md': 'A\n', 'b.png': 'PNG' }, (vault) => withServe(vault, [], use)));

  it('H-24 requests that a browser says come from another site are refused, embedded ones too; the page and programs are not', () =>
    withVault({ 'a.md': 'A\n', 'b.png': 'PNG' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ port }) => {
          for (const site of ['cross-site', 'same-site', 'cross-site, same-origin', 'anything', '']) {
            for (const path of ['/api/session', '/api/file/b.png', '/api/search?query=A', '/metrics', '/api/events', '/mcp']) {
              const { status } = await post(port, { ...initialized, path, headers: { 'sec-fetch-site': site } });
              expect({ site, path, status }).toEqual({ site, path, status: 403 });
            }
            expect((await post(port, { headers: { 'sec-fetch-site': site } })).status).toBe(403);
            // A link of another site leads to the page, in which nothing of the vault is.
            expect((await post(port, { ...initialized, path: '/note/a', headers: { 'sec-fetch-site': site } })).status).toBe(200);
          }
          for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])
            expect((await post(port, { ...initialized, headers })).status).toBe(200);
          const allowed = { 'sec-fetch-site': 'cross-site', origin: APP };
          expect((await post(port, { ...initialized, headers: allowed })).status).toBe(200);
        },
        { ROUX_HTTP_ORIGINS: APP },
      ),
    ));

  it('H-24 no answer may be embedded by another site, refusals neither', async () => {
    const { port } = await server();
    for (const path of ['/', '/note/a', '/api', '/api/session', '/api/file/b.png', '/api/none', '/note/../x', '/metrics', '/health']) {
      const { headers } = await post(port, { ...initialized, path });
      expect({ path, policy: headers['cross-origin-resource-policy'] }).toEqual({ path, policy: 'same-origin' });
    }
  });

  it('H-24 malformed headers are no fault of the server', async () => {
    const { port } = await server();
    const values = ['%', '%ff', '\u00e9', '{}', '"', '-1', 'NaN', '__proto__', 'a, b', 'x'.repeat(8000)];
    const names = ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'last-event-id', 'accept', 'content-type', 'origin', 'range'];
    for (const name of [...names, 'x-roux-page', 'authorization', 'if-none-match', 'cookie', 'sec-fetch-site'])
      for (const value of values)
        for (const path of ['/mcp', '/api/get_node', '/health'])
          for (const method of ['GET', 'POST']) {
            const { status } = await post(port, {
              path,
              method,
              body: method === 'POST' ? '{}' : '',
              headers: { [name]: value, connection: 'close' },
            });
            expect({ name, value: value.slice(0, 20), path, method, isFault: status >= 500 }).toMatchObject({ isFault: false });
          }
  });

  it('H-24 a missing ontology is 404, and no operation without arguments is a fault of the server', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(vault, ['--toolsets', 'all'], async ({ port, url }) => {
        expect((await post(port, { path: '/api/get_ontology', body: '{}' })).status).toBe(404);
        const api = (await (await fetch(`${url}/api/openapi.json`)).json()) as { paths: Record<string, unknown> };
        for (const path of Object.keys(api.paths)) {
          const { status } = await post(port, { path: `/api${path}`, body: '{}' });
          expect({ path, isFault: status >= 500 }).toEqual({ path, isFault: false });
        }
      }),
    ));
});
