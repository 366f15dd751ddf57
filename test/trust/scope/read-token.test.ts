import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHost } from '../../../src/open-host.ts';
import { allOperations, loadPageOperations } from '../../../src/ops/all.ts';
import { OPERATIONS_BY_NAME } from '../../../src/ops/knowledge/operations.ts';
import { loadConfig } from '../../../src/system/settings-files/load-config.ts';
import type { Access } from '../../../src/ports.ts';
import { lookAt } from '../../support/outside.ts';
import { testEnvironment } from '../../support/program/cli.ts';
import { withServe } from '../../support/program/http-server.ts';
import { toSession } from '../../support/program/mcp-client.ts';
import { makeVault } from '../../support/vault.ts';
import { ask } from './ask.ts';
import { writingCalls } from './calls.ts';
import { addToken, FILES, OWNERS, prepare } from './scoped-vault.ts';
import type { Known } from './scoped-vault.ts';

const vault = makeVault(FILES);
let known: Known;
beforeAll(async () => {
  known = await prepare(vault);
});
afterAll(() => vault.dispose());

/** Everything in the folder but what is made anew when it is lost. */
const look = () => Object.fromEntries(Object.entries(lookAt(vault.root)).filter(([path]) => !/^\.roux\/(cache|run|tmp)/.test(path)));

/** What a token that may read is not to do, by operations that write and by options of others. */
const writes = (): readonly (readonly [string, Record<string, unknown>])[] => [
  ...writingCalls(known),
  ['graph_open', { project: 'boat' }],
  ['restore', { ref: 'open/gone.md' }],
  ['doctor', { fix: true }],
  ['accept_review', { up_to: 1 }],
  ['import_memory', { text: '{"type":"entity","name":"Cleo","entityType":"person","observations":[]}\n' }],
  ['ingest_all', { items: [{ source: 'text', body: 'x', reference_time: '2026-01-01T00:00:00Z' }] }],
];

describe('V-04 a token that may read', () => {
  it('writes through no tool, no operation and no page, for the whole vault as for some folders', async () => {
    const tools = new Set(allOperations.flatMap(({ name, toolset }) => (toolset === null ? [] : [name])));
    const offered = new Set([...tools, ...(await loadPageOperations()).map(({ name }) => name)]);
    const tokens = [await addToken(vault, 'reads', 'read', []), await addToken(vault, 'reads-some', 'read')];
    await withServe(vault, ['--toolsets', 'all', '--token', OWNERS], async ({ url }) => {
      const before = look();
      for (const token of tokens) {
        const client = new Client({ name: 'reader', version: '1' });
        const requestInit = { headers: { authorization: `Bearer ${token}` } };
        await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
        const { call } = toSession(client);
        for (const [operation, args] of writes()) {
          if (!offered.has(operation)) continue;
          const { status, text } = await ask(url, token, operation, args);
          expect({ operation, status, text }).toMatchObject({ status: 403, text: expect.stringContaining('FORBIDDEN') });
          const page = await fetch(`${url}/api/${operation}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-roux-page': '1' },
            body: JSON.stringify(args),
          });
          expect({ operation, status: page.status }).toEqual({ operation, status: 403 });
          if (!tools.has(operation)) continue;
          const { isError, texts } = await call(operation, args);
          expect({ operation, isError, text: texts.join('\n') }).toMatchObject({
            isError: true,
            text: expect.stringContaining('FORBIDDEN'),
          });
        }
        for (const [name, operation] of Object.entries(OPERATIONS_BY_NAME)) {
          if (operation.effect === 'read') continue;
          const [, args] = writes().find(([each]) => each === operation.name) ?? [];
          const { status, value } = await ask(url, token, `kg/${name}`, args?.['input'] ?? {});
          expect({ name, status, code: value.error?.error_code }).toEqual({ name, status: 403, code: 'FORBIDDEN' });
        }
        // What these read they are asked for all the same.
        expect((await ask(url, token, 'graph_next', { project: 'shed' })).status).toBe(200);
        expect((await ask(url, token, 'graph_open', { project: 'shed' })).status).toBe(200);
        await client.close();
      }
      expect(look()).toEqual(before);
    });
  });

  it('nor does a program that calls what no door offers', async () => {
    const config = { ...loadConfig({ vaultRoot: vault.root, env: testEnvironment() }), log: 'error' as const };
    const host = openHost({ root: vault.root, config });
    try {
      await host.ready();
      const before = look();
      const operations = [...allOperations, ...(await loadPageOperations())];
      for (const folders of [null, ['open']]) {
        const access: Access = { name: 'reads', scope: 'read', folders };
        const session = host.openSession({ id: 'test', agent: () => 'test', access });
        for (const [name, args] of writes()) {
          const operation = operations.find((each) => each.name === name)!;
          const code = await session.call({ operation, args }).then(
            () => 'done',
            (error: unknown) => (error as { code?: string }).code,
          );
          expect({ name, code }).toEqual({ name, code: 'FORBIDDEN' });
        }
      }
      expect(look()).toEqual(before);
    } finally {
      await host.close();
    }
  });

  it('a token that may write neither empties nor repairs a vault, one for admin does', async () => {
    const [writes, admin] = [await addToken(vault, 'writes', 'write', []), await addToken(vault, 'admin', 'admin', [])];
    await withServe(vault, ['--toolsets', 'all', '--token', OWNERS], async ({ url }) => {
      const refused = await ask(url, writes, 'kg_clear_all', { input: {} });
      expect({ status: refused.status, text: refused.text }).toMatchObject({
        status: 403,
        text: expect.stringContaining('needs a token that may admin'),
      });
      expect((await ask(url, writes, 'create_node', { title: 'Mine', directory: 'open' })).status).toBe(200);
      expect((await ask(url, admin, 'kg_clear_all', { input: {} })).status).toBe(200);
    });
  });
});
