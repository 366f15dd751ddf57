import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { fetchJson } from '../../../src/faces/http/oauth/fetch-json.ts';
import { isInside } from '../../../src/faces/http/oauth/inside-addresses.ts';
import { makeCertificates } from '../../support/postgres/certificates.ts';
import { ask, CALLBACK, getCode, redeem, withOauth, withOauthHere } from '../../support/program/oauth-server.ts';

const HOST = 'client.example';
const certificates = makeCertificates(HOST);

/** Runs with a server of https that has the certificate of a public host, and the number of connections that it got. */
async function withHost<T>(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  run: (parts: { readonly url: URL; readonly ca: string; readonly connections: () => number }) => Promise<T>,
): Promise<T> {
  if (certificates === null) throw new Error('no openssl');
  let connections = 0;
  const server = createServer({ cert: certificates.certificate, key: certificates.key }, handle);
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await run({ url: new URL(`https://${HOST}:${port}/client.json`), ca: certificates.authority, connections: () => connections });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A resolver for which every name means these addresses. */
const resolvesTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_, options, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };

const sendJson =
  (value: unknown, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
/** The host of the test is on this machine; everything else is as ever. */
const isRefused = (address: string): boolean => address !== '127.0.0.1' && isInside(address);

describe.skipIf(certificates === null)('O-01 fetching the description of a client', () => {
  it('O-01 takes JSON from a public address by https', () =>
    withHost(sendJson({ a: 1 }), async ({ url, ca }) => {
      expect(await fetchJson(url, { lookup: resolvesTo('127.0.0.1'), isRefused, ca })).toEqual({ a: 1 });
      // The certificate counts.
      await expect(fetchJson(url, { lookup: resolvesTo('127.0.0.1'), isRefused })).rejects.toThrow(/certificate/);
      await expect(fetchJson(new URL(url.href.replace('https', 'http')))).rejects.toThrow('only https');
    }));

  it('O-01 connects to no inside address, whatever the name says, and not to the second one of a name either', () =>
    withHost(sendJson({}), async ({ url, ca, connections }) => {
      for (const addresses of [
        ['127.0.0.1'],
        ['8.8.8.8', '127.0.0.1'],
        ['10.0.0.1'],
        ['169.254.169.254'],
        ['::1'],
        ['::ffff:127.0.0.1'],
        [],
      ])
        await expect(fetchJson(url, { lookup: resolvesTo(...addresses), ca }), addresses.join()).rejects.toThrow('inside address');
      await expect(fetchJson(new URL(`https://127.0.0.1:${url.port}/`), { ca })).rejects.toThrow('in place of a name');
      await expect(fetchJson(new URL(`https://[::1]:${url.port}/`), { ca })).rejects.toThrow('in place of a name');
      await expect(fetchJson(new URL(`https://localhost:${url.port}/`), { ca })).rejects.toThrow('inside address');
      // Written in another way, an address is still one.
      await expect(fetchJson(new URL(`https://2130706433:${url.port}/`), { ca })).rejects.toThrow('in place of a name');
      expect(connections()).toBe(0);
    }));

  it('O-01 a name that means another address a moment later leads nowhere else', () =>
    withHost(sendJson({}), async ({ url, ca, connections }) => {
      let asked = 0;
      const rebinding: LookupFunction = (host, options, callback) =>
        resolvesTo((asked += 1) === 1 ? '192.0.2.1' : '127.0.0.1')(host, options, callback);
      const isOnlySeen = (address: string): boolean => address === '127.0.0.1';
      await expect(fetchJson(url, { lookup: rebinding, isRefused: isOnlySeen, ca, maxMs: 300 })).rejects.toThrow(
        /no answer|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED/,
      );
      expect(asked).toBe(1);
      expect(connections()).toBe(0);
    }));

  it.each([
    [
      'a redirect',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(302, { location: 'https://127.0.0.1/' }).end(),
      'status 302',
    ],
    [
      'a page',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'not JSON',
    ],
    [
      'half of it',
      (_: IncomingMessage, response: ServerResponse) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
      'not valid JSON',
    ],
    ['too much', sendJson({ a: 'x'.repeat(70_000) }), 'more than'],
    ['nothing', () => undefined, 'no answer'],
  ])('O-01 refuses %s', (_, handle, told) =>
    withHost(handle, async ({ url, ca }) => {
      await expect(
        fetchJson(url, { lookup: resolvesTo('127.0.0.1'), isRefused, ca, maxMs: told === 'no answer' ? 500 : 5_000 }),
      ).rejects.toThrow(told);
    }),
  );

  it('O-01 knows the addresses that are not public', () => {
    for (const address of [
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.9.9.9',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      '198.18.0.1',
      '203.0.113.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:8.8.8.8',
      'fe80::1',
      'fc00::1',
      'fd12::1',
      'ff02::1',
      '64:ff9b::a00:1',
      '2001:db8::1',
      '2002:7f00:1::',
      '2001::1',
      'localhost',
      '',
    ])
      expect({ address, isInside: isInside(address) }).toEqual({ address, isInside: true });
    for (const address of ['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])
      expect({ address, isInside: isInside(address) }).toEqual({ address, isInside: false });
  });
});

describe('O-01 ids that are URLs', () => {
  it('O-01 nothing is fetched unless the owner has named the host', () =>
    withOauth({ 'a.md': '' }, async (server) => {
      const metadata = await (await fetch(`${server.url}/.well-known/oauth-authorization-server`)).json();
      expect(metadata).toMatchObject({ client_id_metadata_document_supported: false });
      const { html, status } = await ask(server, { client_id: 'https://client.example/mcp.json' });
      expect(status).toBe(400);
      expect(html).toContain('Nothing is fetched from client.example');
    }));

  it('O-01 with any host named, inside addresses and odd URLs are refused all the same', () =>
    withOauth(
      { 'a.md': '' },
      async (server) => {
        for (const id of [
          'https://localhost/x',
          'https://127.0.0.1/x',
          'https://[::1]/x',
          'https://0x7f.1/x',
          'https://10.0.0.1/x',
          'http://client.example/x',
          'https://client.example',
          'https://client.example/',
          'https://client.example:8443/x',
          'https://a@client.example/x',
          'https://client.example/x#y',
          'https://client.example/a/../x',
          `https://client.example/${'x'.repeat(600)}`,
        ])
          expect(await ask(server, { client_id: id }), id).toMatchObject({ status: 400, request: null, next: null });
        await expect
          .poll(() => server.told())
          .toContain('OAuth refused an authorization request: The description at https://localhost/x cannot be fetched');
      },
      { flags: ['--client-hosts', '*'] },
    ));

  it.each([
    ['of another client', { client_id: 'https://client.example/other.json' }],
    ['without addresses', { redirect_uris: [] }],
    ['with an address that none may have', { redirect_uris: ['javascript:alert(1)'] }],
    ['with a secret, which would be public', { token_endpoint_auth_method: 'client_secret_post' }],
    ['that is none', null],
  ])('O-01 a description %s is refused', (_, change) =>
    withOauthHere(
      { 'a.md': '' },
      async (url) => (change === null ? 'text' : { client_id: url.href, redirect_uris: [CALLBACK], ...change }),
      async (server) =>
        expect(await ask(server, { client_id: 'https://client.example/mcp.json' })).toMatchObject({ status: 400, request: null }),
    ),
  );

  it('O-01 a client with keys, as ChatGPT is, signs for its tokens: once, for this server, with its own key', async () => {
    const id = 'https://client.example/client.json';
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const stranger = await generateKeyPair('RS256');
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }] };
    const description = {
      client_id: id,
      client_name: 'ChatGPT',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: 'https://keys.example/jwks.json',
    };
    await withOauthHere(
      { 'a.md': '' },
      async (url) => (url.host === 'keys.example' ? jwks : description),
      async (server) => {
        const sign = (key: CryptoKey, { audience = server.url, subject = id, jti = crypto.randomUUID() } = {}) =>
          new SignJWT({})
            .setProtectedHeader({ alg: 'RS256', kid: 'one' })
            .setIssuer(subject)
            .setSubject(subject)
            .setAudience(audience)
            .setIssuedAt()
            .setExpirationTime('5m')
            .setJti(jti)
            .sign(key);
        const attempt = async (client_assertion?: string) => {
          const code = await getCode(server, { clientId: id });
          const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
          return redeem(server, code, client_assertion === undefined ? {} : { client_assertion, client_assertion_type: type });
        };
        const good = await sign(privateKey, { audience: `${server.url}/token` });
        expect(await attempt(good)).toMatchObject({ status: 200 });
        expect(await attempt(await sign(privateKey))).toMatchObject({ status: 200 });
        const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`;
        for (const [what, assertion] of [
          ['used before', good],
          ['of a stranger', await sign(stranger.privateKey)],
          ['for another server', await sign(privateKey, { audience: 'https://elsewhere.example' })],
          ['of another client', await sign(privateKey, { subject: 'https://client.example/other.json' })],
          ['without a signature', unsigned],
          ['missing', undefined],
        ] as const)
          expect({ what, status: (await attempt(assertion)).status }).toEqual({ what, status: 401 });
      },
    );
  });
});
