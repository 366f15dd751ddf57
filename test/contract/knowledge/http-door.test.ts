import { describe, expect, it } from 'vitest';
import { post, withHttp, withServe } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';
import type { Envelope } from './kg.ts';

const KNOWLEDGE = ['--toolsets', 'knowledge'];

/** One request to an operation, whatever it holds. */
async function ask(
  url: string,
  name: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; answer: Envelope }> {
  const response = await fetch(`${url}/api/kg/${name}`, { method: 'POST', body, headers });
  return { status: response.status, headers: response.headers, answer: (await response.json()) as Envelope };
}

describe('the knowledge graph over HTTP', () => {
  it('S3-01 S3-03 what is no request at all is answered in the envelope, with its status', () =>
    withVault({}, (vault) =>
      withHttp(vault, KNOWLEDGE, async ({ url, port }) => {
        for (const body of ['', '{', 'garbage', '{"input": {', new Uint8Array([0x7b, 0xff, 0x7d])]) {
          const { status, answer } = await ask(url, 'SearchFacts', body);
          expect({ status, answer }).toMatchObject({
            status: 400,
            answer: { request_id: expect.any(String), status: 'ERROR', error: { error_code: 'INVALID_ARGUMENT' } },
          });
        }
        for (const body of ['null', '[]', '"text"', '7', '{}', '{"input": []}', `${'['.repeat(5000)}${']'.repeat(5000)}`])
          expect(await ask(url, 'SearchFacts', body), body.slice(0, 20)).toMatchObject({
            status: 400,
            answer: { status: 'ERROR', error: { error_code: 'INVALID_ARGUMENT' } },
          });
        for (const name of ['', 'searchfacts', 'kg_search_facts', 'constructor', '__proto__', 'SearchFacts/', 'x/SearchFacts'])
          expect(await ask(url, name, '{"input": {}}'), name).toMatchObject({
            status: 404,
            answer: { status: 'ERROR', error: { error_code: 'NOT_FOUND' } },
          });
        const got = await post(port, { path: '/api/kg/Healthcheck', method: 'GET', body: '' });
        expect(got).toMatchObject({ status: 405, headers: { allow: 'POST' } });
        expect(JSON.parse(got.body)).toMatchObject({ status: 'ERROR', error: { error_code: 'INVALID_ARGUMENT' } });
        expect(await ask(url, 'Healthcheck', '{"request_id": "r-1", "input": {}}')).toMatchObject({
          status: 200,
          answer: { request_id: 'r-1', status: 'OK', output: { status: 'healthy' } },
        });
      }),
    ));

  it('S3-49 a body larger than http.maxRequestBytes is LIMIT_EXCEEDED, and nothing of it is kept', () =>
    withVault({}, (vault) =>
      withHttp(
        vault,
        KNOWLEDGE,
        async ({ url }) => {
          const items = [{ source: 'text', body: 'x'.repeat(70_000), reference_time: '2026-01-01T00:00:00Z' }];
          const { status, answer } = await ask(url, 'AddEpisodes', JSON.stringify({ input: { group_id: 'g', items } }));
          expect({ status, code: answer.error?.error_code }).toEqual({ status: 413, code: 'LIMIT_EXCEEDED' });
          expect(vault.files()).toEqual([]);
          expect((await ask(url, 'Healthcheck', '{"input": {}}')).status).toBe(200);
        },
        { ROUX_HTTP_MAX_REQUEST_BYTES: '65536' },
      ),
    ));

  it('S3-33 a full queue is told at once, with when to come again, and takes nothing of the call', () =>
    withVault({ '.rouxrc.json': '{"knowledge": {"queue": 1}}' }, (vault) =>
      withHttp(vault, KNOWLEDGE, async ({ url }) => {
        const items = ['a', 'b'].map((body) => ({ source: 'text', body, reference_time: '2026-01-01T00:00:00Z' }));
        const { status, headers, answer } = await ask(url, 'AddEpisodes', JSON.stringify({ input: { group_id: 'g', items } }));
        expect({ status, answer }).toMatchObject({
          status: 429,
          answer: { error: { error_code: 'LIMIT_EXCEEDED', details: { retryable: true } } },
        });
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(vault.files()).toEqual(['.rouxrc.json']);
      }),
    ));

  it('S3-19 only what is switched on is there: not without the toolset, ClearAll not without admin, no write read-only', () =>
    withVault({}, async (vault) => {
      await withHttp(vault, [], async ({ url }) => {
        expect((await ask(url, 'Healthcheck', '{"input": {}}')).status).toBe(404);
      });
      await withHttp(vault, KNOWLEDGE, async ({ url }) => {
        expect((await ask(url, 'Healthcheck', '{"input": {}}')).status).toBe(200);
        expect((await ask(url, 'ClearAll', '{"input": {}}')).answer.error).toMatchObject({ error_code: 'NOT_FOUND', message: /admin/ });
      });
      await withHttp(vault, ['--toolsets', 'all', '--read-only'], async ({ url }) => {
        expect((await ask(url, 'GetEpisodes', '{"input": {"group_id": "g", "last_n": 1}}')).status).toBe(200);
        for (const name of ['AddEpisodes', 'DeleteGroup', 'ClearAll', 'RetryParked'])
          expect(await ask(url, name, '{"input": {}}')).toMatchObject({ status: 403, answer: { error: { error_code: 'READ_ONLY' } } });
      });
      expect(vault.files()).toEqual([]);
    }));

  it('F42 asks for the token and looks at Host and Origin as /mcp does', () =>
    withVault({}, (vault) =>
      withServe(
        vault,
        KNOWLEDGE,
        async ({ port }) => {
          for (const path of ['/api/kg/Healthcheck', '/metrics']) {
            const [method, body] = path === '/metrics' ? ['GET', ''] : ['POST', '{"input": {}}'];
            const authorization = 'Bearer a-token-of-this-test';
            const status = async (headers: Record<string, string>): Promise<number> =>
              (await post(port, { path, method, body, headers })).status;
            expect(await status({})).toBe(401);
            expect(await status({ authorization: 'Bearer another' })).toBe(401);
            expect(await status({ authorization })).toBe(200);
            expect(await status({ authorization, origin: 'http://evil.example' })).toBe(403);
            expect(await status({ authorization, host: 'evil.example' })).toBe(421);
          }
        },
        { ROUX_HTTP_AUTH: 'token', ROUX_HTTP_TOKEN: 'a-token-of-this-test' },
      ),
    ));

  it('S3-51 /metrics has the counters of the document in the format of Prometheus', () =>
    withVault({}, (vault) =>
      withHttp(vault, KNOWLEDGE, async ({ url, port }) => {
        const edge = { name: 'R', fact: 'A is near B.', source_ref: 'a', target_ref: 'b' };
        const nodes = [
          { tmp_ref: 'a', name: 'A' },
          { tmp_ref: 'b', name: 'B' },
        ];
        const item = { source: 'text', body: 'A is near B.', reference_time: '2026-01-01T00:00:00Z', extraction: { nodes, edges: [edge] } };
        const bad = { ...item, body: `A -[R]-> C: ${'x'.repeat(2001)}`, extraction: undefined };
        const add = (items: readonly unknown[]) => ask(url, 'AddEpisodes', JSON.stringify({ input: { group_id: 'g', items } }));
        expect((await add([item])).status).toBe(202);
        expect((await add([bad])).status).toBe(202);
        for (let times = 0; times < 3; times += 1)
          expect((await ask(url, 'SearchFacts', '{"input": {"group_ids": ["g"], "query": "near"}}')).answer.output.facts).toHaveLength(1);
        const response = await fetch(`${url}/metrics`);
        expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
        const text = await response.text();
        const values = new Map(
          text.split('\n').flatMap((line) => (/^[a-z]/.test(line) ? [[line.split(' ')[0], Number(line.split(' ')[1])]] : [])) as [
            string,
            number,
          ][],
        );
        expect(Object.fromEntries(values)).toMatchObject({
          ingestion_accepted_total: 2,
          ingestion_processed_total: 1,
          ingestion_failed_total: 1,
          parked_items_total: 1,
          extraction_failures_total: expect.any(Number),
          embedding_failures_total: 0,
          upsert_conflicts_total: 0,
          'search_latency_ms{quantile="0.5"}': expect.any(Number),
          'search_latency_ms{quantile="0.9"}': expect.any(Number),
          'search_latency_ms{quantile="0.99"}': expect.any(Number),
          search_latency_ms_sum: expect.any(Number),
          search_latency_ms_count: 3,
        });
        expect(values.get('search_latency_ms_sum')).toBeGreaterThan(0);
        // Each line as the format has it: a comment, or a name with labels and a number.
        for (const line of text.trimEnd().split('\n'))
          expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]+"(,[a-z]+="[^"]+")*\})? \d+(\.\d+)?(e-?\d+)?)$/);
        expect((await post(port, { path: '/metrics', method: 'POST' })).status).toBe(405);
      }),
    ));
});
