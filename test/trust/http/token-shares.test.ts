import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { post, withServe } from '../../support/program/http-server.ts';
import { withModernHttp } from '../../support/program/modern-client.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { addToken, OWNERS } from '../scope/scoped-vault.ts';

const withToken = (token: string, more: Readonly<Record<string, string>> = {}) => ({ authorization: `Bearer ${token}`, ...more });

async function openSession(port: number, token: string) {
  const { status, headers } = await post(port, { headers: withToken(token) });
  const session = withToken(token, { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-06-18' });
  const body = '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{}}';
  return { status, isOpen: async () => (await post(port, { headers: session, body })).status === 200 };
}

/** A request whose answer, or whose body, stays open until it is cut. */
function open(port: number, path: string, { token, body }: { readonly token: string; readonly body?: string }) {
  let status = 0;
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: withToken(token, body === undefined ? {} : { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }),
  });
  request.on('response', (response) => {
    status = response.statusCode ?? 0;
    response.on('error', () => undefined);
    response.resume();
  });
  request.on('error', () => undefined);
  if (body === undefined) request.end();
  else request.write(body);
  return { status: () => status, cut: () => request.destroy(), end: () => request.end() };
}

describe('H-04 what one token may take of a server', () => {
  it('H-04 sessions: the least token cannot end those of the owner, nor all of another token', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const [least, other] = [await addToken(vault, 'least', 'read'), await addToken(vault, 'other', 'read')];
      await withServe(
        vault,
        ['--token', OWNERS],
        async ({ port }) => {
          const owners = [await openSession(port, OWNERS), await openSession(port, OWNERS)];
          const others = await openSession(port, other);
          for (let count = 0; count < 40; count += 1) expect((await openSession(port, least)).status).toBe(200);
          for (const session of [...owners, others]) expect(await session.isOpen()).toBe(true);
        },
        { ROUX_HTTP_AUTH: 'token', ROUX_HTTP_MAX_SESSIONS: '4' },
      );
    }));

  it('H-04 streams: a token that has opened all it may is refused, and the owner follows all the same', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const least = await addToken(vault, 'least', 'read');
      await withServe(
        vault,
        ['--token', OWNERS],
        async ({ port }) => {
          const streams = Array.from({ length: 60 }, () => open(port, '/api/events', { token: least }));
          await waitFor(() => streams.every(({ status }) => status() !== 0), { what: 'an answer to each' });
          expect(streams.filter(({ status }) => status() === 200)).toHaveLength(32);
          expect(streams.filter(({ status }) => status() === 429)).toHaveLength(28);
          const owners = open(port, '/api/events', { token: OWNERS });
          await waitFor(() => owners.status() === 200, { what: "the owner's stream" });
          for (const { cut } of streams) cut();
          await waitFor(
            async () => {
              const again = open(port, '/api/events', { token: least });
              await waitFor(() => again.status() !== 0, { what: 'an answer' });
              again.cut();
              return again.status() === 200;
            },
            { what: 'room for another one' },
          );
          owners.cut();
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
    }));

  it('H-04 subscriptions of the later era are counted by token', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const least = await addToken(vault, 'least', 'read', []);
      await withServe(
        vault,
        ['--token', OWNERS],
        ({ url }) =>
          withModernHttp(
            url,
            async (client) => {
              await client.listen({ resourcesListChanged: true });
              await expect(client.listen({ resourcesListChanged: true })).rejects.toThrow('Too many');
              await withModernHttp(url, async (owners) => void (await owners.listen({ resourcesListChanged: true })), { token: OWNERS });
            },
            { token: least },
          ),
        { ROUX_HTTP_AUTH: 'token', ROUX_HTTP_MAX_SESSIONS: '2' },
      );
    }));

  it('H-04 bytes: bodies that a token leaves unfinished are bounded, and the owner is heard', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const least = await addToken(vault, 'least', 'read');
      await withServe(
        vault,
        ['--token', OWNERS],
        async ({ port }) => {
          const bodies = Array.from({ length: 40 }, () => open(port, '/api/search', { token: least, body: '{"query":' }));
          await waitFor(() => bodies.filter(({ status }) => status() === 429).length === 24, { what: '24 refusals' });
          const headers = withToken(OWNERS);
          expect((await post(port, { path: '/api/search', body: '{"query":"A"}', headers })).status).toBe(200);
          for (const { cut } of bodies) cut();
          await waitFor(
            async () => (await post(port, { path: '/api/search', body: '{"query":"A"}', headers: withToken(least) })).status === 200,
            { what: 'room for another one' },
          );
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
    }));
});
