import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/faces/http/app.ts';
import type { AppParts } from '../../../src/faces/http/app.ts';
import { post, withServe } from '../../support/program/http-server.ts';
import { askRaw } from '../../support/program/raw-http.ts';
import { withVault } from '../../support/vault.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'] as const;

/** What answers without a token, and to which methods. A new line here is a decision. */
const PUBLIC: readonly (readonly [methods: readonly string[], paths: readonly string[]])[] = [
  [METHODS, ['/health']],
  [
    ['GET', 'HEAD'],
    ['/api', '/api/openapi.json', '/api/proof', '/favicon.ico', '/favicon.svg', '/assets/x', '/frames/diagram', '/'],
  ],
  [['POST'], ['/api/ticket']],
  [
    ['GET', 'HEAD'],
    [
      '/search',
      '/note',
      '/note/x',
      '/file/x',
      '/tag',
      '/code',
      '/code/x',
      '/tag/x',
      '/attention',
      '/graph',
      '/tasks',
      '/tasks/x',
      '/memory',
      '/knowledge',
      '/activity',
    ],
  ],
];
const isPublic = (method: string, path: string): boolean =>
  PUBLIC.some(([methods, paths]) => methods.includes(method) && paths.includes(path));

/** Every route that the server has, as a path: parameters are filled in. */
function routes(): readonly string[] {
  const parts = { host: { config: { http: { requestsPerMinute: 1 } } }, among: null, oauth: null } as unknown as AppParts;
  const patterns = createApp(parts)
    .routes.routes.map(({ path }) => path)
    .filter((path) => path !== '/*' && path !== '*');
  const filled = patterns.map((path) => path.replaceAll(/:\w+(?:\{[^}]*\})?/g, 'x').replaceAll('*', 'x'));
  return [...new Set(filled)];
}

type Spelling = (path: string) => string;

/** Spellings that URL parsers turn into the path itself, or in which they see another path than is written. */
const CHANGED: readonly Spelling[] = [
  (path) => `/note/..${path}`,
  (path) => `/note/%2e%2e${path}`,
  (path) => `/note/.%2E${path}`,
  (path) => `/note/%2E.${path}`,
  (path) => `/assets/..${path}`,
  (path) => `/note/x/../..${path}`,
  (path) => `/health/..${path}`,
  (path) => `/..${path}`,
  (path) => `/.${path}`,
  (path) => `/%2e${path}`,
  (path) => `/note\\..${path}`,
  (path) => `/note/..\\${path.slice(1)}`,
  (path) => `${path}/.`,
  (path) => `${path}/x/..`,
  (path) => `/${path}`,
  (path) => `/\\localhost${path}`,
  (path) => `//localhost/note/..${path}`,
  (path) => `${path}#/../note`,
  (path) => `http://localhost${path}`,
  (path) => `/note/{x}/../..${path}`,
];

/** Spellings that are normal: the guard has to see what the router sees. */
const NORMAL: readonly Spelling[] = [
  (path) => path,
  (path) => (path === '/' ? path : `${path}/`),
  (path) => `${path}?x=/../note/`,
  (path) => `${path}?`,
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.replaceAll(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.toUpperCase(),
  (path) => `${path}%00`,
  (path) => `${path};/note`,
  (path) => `/${path.slice(1).replaceAll('/', '%2f')}`,
];

/** Spellings of a note's address that only look like another one. */
const NOTES: readonly Spelling[] = [
  (path) => `/note/..%2f${path.slice(1)}`,
  (path) => `/note/%252e%252e${path}`,
  (path) => `/note/..;${path}`,
  (path) => `/note/...${path}`,
  (path) => `/note/.%00.${path}`,
];

/** The path that a normal spelling asks for. */
const pathOf = (target: string): string => decodeURI(target.split('?')[0] ?? '');

describe('H-03 without a token', () => {
  it(
    'H-03 exactly the listed public routes answer: every route, operation, spelling and method',
    () =>
      withVault({ 'a.md': 'A\n' }, (vault) =>
        withServe(
          vault,
          ['--toolsets', 'all', '--token', 'a-token-of-our-own-choice'],
          async ({ port, url }) => {
            const api = (await (await fetch(`${url}/api/openapi.json`)).json()) as { paths: Record<string, unknown> };
            const operations = Object.keys(api.paths).map((path) => `/api${path}`);
            expect(operations.length).toBeGreaterThan(50);
            const paths = [...routes(), ...operations, '/api/kg/Search', '/api/session/x', '/no/such/route'];
            const reached: string[] = [];
            for (const path of paths) {
              const requests = METHODS.flatMap((method) => [
                ...CHANGED.map((spell) => ({ method, target: spell(path), isPublic: false, isChanged: true })),
                ...NORMAL.map((spell) => ({
                  method,
                  target: spell(path),
                  isPublic: isPublic(method, pathOf(spell(path))),
                  isChanged: false,
                })),
              ]).filter((request) => !request.isPublic);
              const statuses = await askRaw(port, requests);
              requests.forEach(({ method, target, isChanged }, index) => {
                const isRefused = isChanged ? statuses[index] === 400 : statuses[index] === 401 || statuses[index] === 429;
                // A view of the page has whatever lies below it.
                const isView =
                  !isChanged && ['GET', 'HEAD'].includes(method) && /^\/(?:note|file|tag|code|tasks|assets)\//.test(pathOf(target));
                if (!isRefused && !isView) reached.push(`${statuses[index]} ${method} ${target}`);
              });
            }
            expect(reached).toEqual([]);
          },
          { ROUX_HTTP_AUTH: 'token', ROUX_HTTP_REQUESTS_PER_MINUTE: '1000000' },
        ),
      ),
    540_000,
  );

  it('H-03 the public routes answer, also with escapes that mean the same; an address of a note is the page, whatever it looks like', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        ['--token', 'a-token-of-our-own-choice'],
        async ({ port }) => {
          for (const [methods, paths] of PUBLIC)
            for (const path of paths) {
              const requests = methods.flatMap((method) =>
                [NORMAL[0], NORMAL[3]].map((spell) => ({ method, target: spell?.(path) ?? '' })),
              );
              for (const status of await askRaw(port, requests)) expect([200, 400, 404], `${path} ${status}`).toContain(status);
            }
          expect(await askRaw(port, [{ method: 'GET', target: '/%68ealth' }])).toEqual([200]);
          const shell = await post(port, { method: 'GET', path: '/note', body: '' });
          for (const spell of NOTES) {
            const { status, body } = await post(port, { method: 'GET', path: spell('/api/session'), body: '' });
            expect({ status, isShell: body === shell.body }, spell('/api/session')).toEqual({ status: 200, isShell: true });
          }
        },
        { ROUX_HTTP_AUTH: 'token' },
      ),
    ));

  it('H-03 a path that is not in its normal form counts as no failed login', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        ['--token', 'a-token-of-our-own-choice'],
        async ({ port }) => {
          const badPath = { method: 'GET', target: '/note/../api/session' };
          const login = { method: 'GET', target: '/api/session', headers: ['Authorization: Bearer wrong'] };
          const statuses = await askRaw(port, [...Array.from({ length: 400 }, () => badPath), login]);
          expect(statuses.slice(0, -1).every((status) => status === 400)).toBe(true);
          expect(statuses.at(-1)).toBe(401);
        },
        { ROUX_HTTP_AUTH: 'token' },
      ),
    ));

  it('H-03 with a token the same path is asked for as before', () =>
    withVault({ 'a b.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        ['--token', 'a-token-of-our-own-choice'],
        async ({ port }) => {
          const headers = ['Authorization: Bearer a-token-of-our-own-choice'];
          const ask = (target: string) => askRaw(port, [{ method: 'GET', target, headers }]);
          expect(await ask('/api/session')).toEqual([200]);
          expect(await ask('/%61pi/session')).toEqual([200]);
          expect(await ask('/api/get_node?id=a%20b')).toEqual([200]);
          expect(await ask('/note/../api/session')).toEqual([400]);
          expect(await ask('/api/session/')).toEqual([404]);
        },
        { ROUX_HTTP_AUTH: 'token' },
      ),
    ));
});
