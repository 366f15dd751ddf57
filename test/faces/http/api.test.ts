import { connect } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import type { Document } from 'openapi-client-axios';
import { describe, expect, it } from 'vitest';
import { TOOLSETS } from '../../../src/ops/toolsets.ts';
import { WORK } from '../../support/program/days-work.ts';
import { post, withServe } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sample } from '../../support/effort.ts';

const TOKEN = 'a-token-of-our-own-choice';

/** Asks an operation; what came back, with its status. */
async function ask(url: string, operation: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/api/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, answer: (await response.json()) as Record<string, unknown> };
}

async function documentOf(url: string): Promise<Record<string, unknown>> {
  return (await (await fetch(`${url}/api/openapi.json`)).json()) as Record<string, unknown>;
}

describe('operations over HTTP', () => {
  it('V-05 the OpenAPI document validates, with every toolset', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(vault, ['--toolsets', 'all'], async ({ url }) => {
        const document = await documentOf(url);
        const { valid, errors } = await new Validator().validate(document);
        expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
        expect(document['openapi']).toBe('3.1.1');
        // What search adds beside its result is told too.
        expect(document).toMatchObject({
          paths: {
            '/search': {
              post: {
                responses: {
                  '200': {
                    content: {
                      'application/json': {
                        schema: { properties: { files: { type: 'array', items: { required: ['path', 'score', 'snippet', 'link'] } } } },
                      },
                    },
                  },
                },
              },
            },
          },
        });
        // It says what there is, and nothing of what is in the vault.
        expect(await (await fetch(`${url}/api`)).json()).toEqual(document);
        const page = await fetch(`${url}/api`, { headers: { accept: 'text/html' } });
        expect(page.headers.get('content-type')).toContain('text/html');
        expect(await page.text()).toContain('<code>search</code>');
      }),
    ));

  it.each(sample(TOOLSETS, 2))('V-05 a client that is generated from the document calls every operation of %s', (toolset) =>
    withVault(WORK[toolset].notes, (vault) =>
      withServe(vault, ['--toolsets', toolset, '--token', TOKEN], async ({ url }) => {
        const document = (await documentOf(url)) as unknown as Document;
        const api = new OpenAPIClientAxios({ definition: document, quick: true });
        const client = await api.init();
        client.defaults.headers.common['Authorization'] = `Bearer ${TOKEN}`;
        const called = new Set<string>();
        await WORK[toolset].calls(async (operation, args = {}) => {
          called.add(operation);
          const call = client[operation as keyof typeof client] as unknown as (
            p: null,
            body: unknown,
          ) => Promise<{ data: { result: unknown } }>;
          return (await call(null, args)).data.result;
        }, vault);
        const tools = Object.values(document.paths ?? {}).flatMap((path) =>
          path?.post?.tags?.includes('page') === true ? [] : [path?.post?.operationId],
        );
        expect([...called].toSorted()).toEqual(tools.flatMap((tool) => tool ?? []).toSorted());
      }),
    ),
  );

  it('V-05 errors have one form, and a status that fits', () =>
    withVault({ 'a.md': 'A\n', 'x/b.md': 'B\n', 'y/b.md': 'B\n' }, (vault) =>
      withServe(vault, [], async ({ url, port }) => {
        const { answer: node } = await ask(url, 'get_node', { id: 'a' });
        expect(node).toMatchObject({ result: { id: 'a.md' } });
        for (const [operation, body, status, code] of [
          ['get_node', {}, 400, 'INVALID_PARAMS'],
          ['get_node', '[]', 400, 'INVALID_PARAMS'],
          ['get_node', '{"id":', 400, 'INVALID_ARGUMENT'],
          ['delete_node', { id: 'b' }, 409, 'AMBIGUOUS'],
          ['update_node', { id: 'a', content: 'x', if_match: 'other' }, 409, 'CONFLICT'],
          ['update_node', { id: 'nobody', content: 'x' }, 404, 'NODE_NOT_FOUND'],
          ['create_node', { title: 'a', content: '' }, 409, 'NODE_EXISTS'],
          ['graph_onboard', { project: 'x' }, 404, 'project_not_found'],
          ['nothing', {}, 404, 'NOT_FOUND'],
          ['__proto__', {}, 404, 'NOT_FOUND'],
          ['constructor', {}, 404, 'NOT_FOUND'],
        ] as const) {
          const { status: got, answer } = await ask(url, operation, body);
          expect({ operation, got, answer }).toMatchObject({
            operation,
            got: status,
            answer: { error: { code, message: expect.any(String) } },
          });
          expect(Object.keys(answer)).toEqual(['error']);
        }
        // What may write is not to be had by an address, nor by what a form can send.
        const get = await fetch(`${url}/api/create_node?title=x`);
        expect(get.status).toBe(405);
        expect(get.headers.get('allow')).toBe('POST');
        expect((await fetch(`${url}/api/graph_next?claim=true`)).status).toBe(405);
        const removed = await fetch(`${url}/api/get_node`, { method: 'DELETE' });
        expect([removed.status, removed.headers.get('allow'), await removed.text()]).toEqual([
          405,
          'GET, HEAD, POST',
          expect.stringContaining('with GET or POST.'),
        ]);
        expect((await ask(url, 'get_node', null)).status).toBe(400);
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
          const answer = await post(port, { path: '/api/create_node', headers: { 'content-type': type }, body: '{"title":"x"}' });
          expect({ type, status: answer.status }).toEqual({ type, status: 400 });
        }
        expect(vault.exists('x.md')).toBe(false);
        for (const path of ['/api/', '/api/get_node/a', '/api/file/..%2f..%2fetc%2fpasswd', '/nothing', '/api/%00', '/api/%zz']) {
          const { status, body } = await post(port, { path, method: 'GET', body: '' });
          expect({ path, status, answer: JSON.parse(body) as unknown }).toMatchObject({
            path,
            status: 404,
            answer: { error: { code: expect.any(String) } },
          });
        }
      }),
    ));

  it('V-05 what only reads takes its arguments from the address too, lists as lists', () =>
    withVault({ 'a.md': '---\ntags: [x, y]\n---\nApple\n', 'b.md': '---\ntags: [x]\n---\n' }, (vault) =>
      withServe(vault, [], async ({ url }) => {
        const get = async (path: string) => (await (await fetch(`${url}/api/${path}`)).json()) as { readonly result: unknown };
        expect((await get('search?query=apple')).result).toMatchObject([{ id: 'a.md' }]);
        expect((await get('list_nodes?limit=1')).result).toMatchObject({ total: 2 });
        expect((await get('search_by_tags?tags=x&tags=y&mode=all')).result).toMatchObject([{ id: 'a.md' }]);
        expect((await get('search_by_tags?tags=y')).result).toMatchObject([{ id: 'a.md' }]);
      }),
    ));

  it('V-05 a body that is too large is refused, and the next request is answered', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ url }) => {
          const { status, answer } = await ask(url, 'create_node', { title: 'big', content: 'x'.repeat(20_000) });
          expect(status).toBe(413);
          expect(answer).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' } });
          expect(vault.exists('big.md')).toBe(false);
          expect((await ask(url, 'get_node', { id: 'a' })).status).toBe(200);
        },
        { ROUX_HTTP_MAX_REQUEST_BYTES: '10000' },
      ),
    ));

  it('V-05 a client that goes away in the middle of a body is no fault of the server, and nothing is done', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(vault, [], async ({ url, port, told }) => {
        const head = `Host: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 100`;
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(`POST /api/create_node HTTP/1.1\r\n${head}\r\n\r\n{"title":"Half"`, () => socket.destroy());
        // The answer that nobody takes is counted when it is made.
        const counted = async () => (await fetch(`${url}/metrics`)).text();
        await waitFor(async () => /http_requests_total\{route="\/api\/:operation"/.test(await counted()), { what: 'its end' });
        expect(told()).not.toMatch(/error/i);
        expect(vault.files()).toEqual(['a.md']);
      }),
    ));

  it('V-05 too many requests of one token are asked to come again', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ url }) => {
          const answers = [];
          for (let at = 0; at < 12; at += 1) answers.push(await ask(url, 'get_node', { id: 'a' }));
          expect(answers.slice(0, 9).map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 200));
          const last = answers.at(-1);
          expect(last).toMatchObject({ status: 429, answer: { error: { code: 'LIMIT_EXCEEDED', retryable: true } } });
          expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
        },
        // One of them asks how the vault stands.
        { ROUX_HTTP_REQUESTS_PER_MINUTE: '10' },
      ),
    ));

  it('V-05 attachments come with a type from a list, and with nothing that runs', () =>
    withVault(
      { 'a.md': '![[p.png]] ![[x.html]] ![[i.svg]]\n', 'p.png': 'png', 'x.html': '<script>1</script>', 'd/i.svg': '<svg/>', '.roux/x': '' },
      (vault) =>
        withServe(vault, [], async ({ url }) => {
          const get = (path: string) => fetch(`${url}/api/file/${path}`);
          for (const [path, type, disposition] of [
            ['p.png', 'image/png', 'inline'],
            ['d/i.svg', 'image/svg+xml', 'attachment'],
            ['x.html', 'application/octet-stream', 'attachment'],
          ] as const) {
            const answer = await get(path);
            expect(answer.status, path).toBe(200);
            expect(answer.headers.get('content-type')).toBe(type);
            expect(answer.headers.get('content-disposition')).toBe(disposition);
            expect(answer.headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
            expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
          }
          for (const path of ['a.md', '.roux/x', '%2e%2e/outside', 'p.png/', 'P.PNG']) expect((await get(path)).status, path).toBe(404);
        }),
    ));
});
