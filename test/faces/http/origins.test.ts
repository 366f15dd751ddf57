import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { post, withServe } from '../../support/program/http-server.ts';
import type { HttpServer } from '../../support/program/http-server.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';

const TOKEN = 'a-token-of-our-own-choice';
const APP = 'https://app.example';

/** One request as it is written, with whatever lines, and the first line of its answer. */
function ask(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(`${lines.join('\r\n')}\r\n\r\n`));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
    socket.on('error', reject);
  });
}

const statusOf = async (port: number, lines: readonly string[]): Promise<number> => Number((await ask(port, lines)).split(' ')[1]);

const preflight = (origin: string, extra: Record<string, string> = {}) => ({
  method: 'OPTIONS',
  body: '',
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization, content-type, x-anything',
    ...extra,
  },
});

/** A server that all tests here ask with the same flags and settings. */
const useServer = (flags: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  useOnce<HttpServer>((use) => withVault({ 'a.md': 'A\n' }, (vault) => withServe(vault, flags, use, env)));

describe('who may call over HTTP', () => {
  const open = useServer([]);
  const closed = useServer(['--token', TOKEN], { ROUX_HTTP_ORIGINS: APP });

  it('V-03, F42 a Host is compared whole, with any port: nothing before, behind or beside the name', async () => {
    const { port } = await open();
    for (const host of ['localhost', 'LOCALHOST', `localhost:${port}`, '127.0.0.1', '127.0.0.1:80', '[::1]', `[::1]:${port}`]) {
      expect((await post(port, { headers: { host } })).status, host).toBe(200);
    }
    for (const host of [
      'evil-localhost',
      'evil.localhost',
      'evillocalhost',
      'x127.0.0.1',
      'evil.127.0.0.1',
      'evil[::1]',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '127.0.0.1:80.evil.example',
      '[::1].evil.example',
      '[::1]evil',
      '[::1]:7411.evil.example',
      'localhost:7411@evil.example',
      'evil.example@localhost',
      'evil.example#localhost',
      'evil.example/localhost',
      'evil.example:localhost',
      'evil.example, localhost',
      'evil.example localhost',
      'localhost localhost',
      'localhost.',
      'localhost:',
      'localhost:x',
      'localhost:123456',
      'localhost:80:80',
      '0.0.0.0',
      '127.0.0.2',
      '127.1',
      '::1',
      '[::]',
      '[::1',
      ' ',
    ]) {
      for (const path of ['/health', '/mcp']) {
        const { status } = await post(port, { headers: { host }, path });
        expect({ host, path, status }).toEqual({ host, path, status: 421 });
      }
    }
  });

  it('V-03, F42 no Host, an empty one and two of them are refused', async () => {
    const { port } = await open();
    expect(await statusOf(port, ['GET /health HTTP/1.1', 'Host: localhost', 'Connection: close'])).toBe(200);
    for (const lines of [
      ['GET /health HTTP/1.1', 'Connection: close'],
      ['GET /health HTTP/1.0'],
      ['GET /health HTTP/1.1', 'Host:', 'Connection: close'],
      ['GET /health HTTP/1.1', 'Host: localhost', 'Host: evil.example', 'Connection: close'],
      ['GET /health HTTP/1.1', 'Host: evil.example', 'Host: localhost', 'Connection: close'],
      ['GET /health HTTP/1.1', 'Host: localhost', 'host: localhost', 'Connection: close'],
      ['GET http://evil.example/health HTTP/1.1', 'Host: evil.example', 'Connection: close'],
    ]) {
      expect(await statusOf(port, lines), lines.join(' ')).toBeGreaterThanOrEqual(400);
    }
  });

  it("V-03, F42 an Origin is compared whole: the server's own and those that the user named", () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ port }) => {
          for (const origin of [`http://localhost:${port}`, APP, 'app://obsidian.md']) {
            const headers = { host: `localhost:${port}`, origin };
            expect((await post(port, { headers })).status, origin).toBe(200);
          }
          for (const origin of [
            'null',
            '',
            'http://localhost',
            'http://localhost:1',
            `http://evil-localhost:${port}`,
            `http://localhost:${port}.evil.example`,
            `http://localhost:${port}@evil.example`,
            `http://evil.example/http://localhost:${port}`,
            `http://localhost:${port}/`,
            `http://LOCALHOST:${port}`,
            `ftp://localhost:${port}`,
            `http://127.0.0.1:${port}`,
            `${APP}.evil.example`,
            `${APP}:444`,
            'http://app.example',
            'https://evil-app.example',
            `${APP}, https://evil.example`,
            'file://',
          ]) {
            const headers = { host: `localhost:${port}`, origin };
            const { status, headers: answered } = await post(port, { headers });
            expect({ origin, status }).toEqual({ origin, status: 403 });
            expect(answered['access-control-allow-origin']).toBeUndefined();
          }
        },
        { ROUX_HTTP_ORIGINS: `${APP},app://obsidian.md` },
      ),
    ));

  it('V-03 a browser that asks beforehand is answered for origins that may call, without a token, and granted what the protocol needs', async () => {
    const { port } = await closed();
    for (const origin of [APP, `http://127.0.0.1:${port}`]) {
      const { status, headers, body } = await post(port, preflight(origin));
      expect({ status, body }).toEqual({ status: 204, body: '' });
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers':
          'authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
        vary: 'Origin',
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    for (const origin of ['https://evil.example', 'null', `${APP}.evil.example`]) {
      const { status, headers } = await post(port, preflight(origin));
      expect({ origin, status }).toEqual({ origin, status: 403 });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    expect((await post(port, preflight(APP, { host: 'evil.example' }))).status).toBe(421);
    const alone = { method: 'OPTIONS', body: '', headers: { origin: APP } };
    expect((await post(port, alone)).status).toBe(401);
    const { status } = await post(port, { method: 'OPTIONS', body: '', headers: { 'access-control-request-method': 'POST' } });
    expect(status).toBe(401);
    expect((await post(port, { ...preflight(APP), path: '/nothing' })).status).toBe(401);
  });

  it('V-03 a page of an origin that may call reads the answer and its session; what depends on the origin says so', async () => {
    const { port } = await closed();
    const authorization = `Bearer ${TOKEN}`;
    const { status, headers } = await post(port, { headers: { origin: APP, authorization } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-expose-headers': 'mcp-session-id, retry-after',
      'mcp-session-id': expect.any(String),
      vary: expect.stringMatching(/\bOrigin\b/),
    });
    const unknown = await post(port, { headers: { origin: APP } });
    expect(unknown).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': APP, vary: 'Origin' } });
    const noPage = await post(port, { headers: { authorization } });
    expect(noPage).toMatchObject({ status: 200, headers: { vary: expect.stringMatching(/\bOrigin\b/) } });
    expect(noPage.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('V-02 a token counts as the whole header, once, and nowhere else', async () => {
    const { port } = await closed();
    for (const authorization of [`bearer ${TOKEN}`, `Bearer  ${TOKEN}`]) {
      expect((await post(port, { headers: { authorization } })).status, authorization).toBe(200);
    }
    for (const authorization of [
      `Bearer ${TOKEN} ${TOKEN}`,
      `Bearer ${TOKEN},`,
      `Bearer x Bearer ${TOKEN}`,
      `xBearer ${TOKEN}`,
      'Bearer ',
    ]) {
      expect((await post(port, { headers: { authorization } })).status, authorization).toBe(401);
    }
    for (const path of [`/mcp?token=${TOKEN}`, `/mcp?access_token=${TOKEN}`, `/mcp/${TOKEN}`, '/health/..%2fmcp']) {
      expect((await post(port, { path })).status, path).toBe(401);
    }
    // Not in its normal form: refused before anybody asks for a token.
    expect((await post(port, { path: '/health/../mcp' })).status).toBe(400);
    for (const headers of [{ cookie: `token=${TOKEN}` }, { 'x-api-key': TOKEN }, { 'proxy-authorization': `Bearer ${TOKEN}` }]) {
      expect((await post(port, { headers })).status).toBe(401);
    }
  });
});
