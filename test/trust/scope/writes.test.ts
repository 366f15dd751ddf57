import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allOperations } from '../../../src/ops/all.ts';
import { toSession } from '../../support/program/mcp-client.ts';
import { withServe } from '../../support/program/http-server.ts';
import { makeVault } from '../../support/vault.ts';
import { ask, unpacked } from './ask.ts';
import { readingCalls, writingCalls } from './calls.ts';
import { addToken, FILES, isInside, MARK, OWNERS, prepare } from './scoped-vault.ts';

let vault: ReturnType<typeof makeVault>;
beforeEach(() => {
  vault = makeVault(FILES);
});
afterEach(() => vault.dispose());

/** Every file outside of the folders, byte for byte. */
function outside(): Readonly<Record<string, string>> {
  return Object.fromEntries(vault.files().flatMap((path) => (isInside(path) ? [] : [[path, vault.readBytes(path).toString('latin1')]])));
}

const serveAll = <T>(run: (url: string) => Promise<T>): Promise<T> =>
  withServe(vault, ['--toolsets', 'all', '--token', OWNERS], ({ url }) => run(url));

describe('V-04 with a token for some folders', () => {
  it('every operation that writes does so inside, and nothing outside is another one afterwards', async () => {
    const known = await prepare(vault);
    const token = await addToken(vault, 'some', 'admin');
    const before = outside();
    const files = vault.files();
    const answers = await serveAll(async (url) => {
      const told: string[] = [];
      for (const [operation, args] of writingCalls(known)) {
        const { status, text, value } = await ask(url, token, operation, args);
        expect(unpacked(text).includes(MARK) ? text : null, operation).toBe(null);
        if (status >= 300) told.push(`${operation} ${value.error?.code ?? value.result?.error?.error_code}`);
      }
      return told;
    });
    expect(outside()).toEqual(before);
    expect(vault.files()).not.toEqual(files);
    expect(answers).toEqual([
      'save_edit CONFLICT',
      'link_mention CONFLICT',
      'tick_checkbox CONFLICT',
      'create_ontology ONTOLOGY_ALREADY_EXISTS',
      'rename_type FORBIDDEN',
      'remove_type FORBIDDEN',
      'restore_version CONFLICT',
      'kg_clear_all FORBIDDEN',
    ]);
  });

  it('the tools do the same over MCP', async () => {
    const known = await prepare(vault);
    const token = await addToken(vault, 'some', 'admin');
    const before = outside();
    await serveAll(async (url) => {
      const client = new Client({ name: 'scoped', version: '1' });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
      const { call } = toSession(client);
      const tools = new Set(allOperations.flatMap(({ name, toolset }) => (toolset === null ? [] : [name])));
      const calls = [
        ...Object.entries(readingCalls(known)).flatMap(([name, all]) => all.map((args) => [name, args] as const)),
        ...writingCalls(known),
      ].filter(([name]) => tools.has(name));
      for (const [name, args] of calls) {
        const { texts, structured } = await call(name, args);
        const text = unpacked(JSON.stringify([texts, structured]));
        expect(text.includes(MARK) ? text : null, name).toBe(null);
      }
      await client.close();
    });
    expect(outside()).toEqual(before);
  });

  it('what would be written outside is refused, wherever it is said, and nothing is written', async () => {
    const token = await addToken(vault, 'some', 'write');
    await serveAll(async (url) => {
      const [before, all] = [outside(), vault.files()];
      for (const [operation, args] of [
        ['create_node', { title: 'Out', directory: 'private' }],
        ['create_node', { title: 'plain', directory: 'private' }],
        ['create_node', { title: 'Out', directory: 'projects' }],
        ['create_node', { title: 'Out', directory: 'open/../private' }],
        ['create_node', { title: 'Out', directory: 'Open' }],
        ['update_node', { id: '@today', create: true, append: 'x' }],
        ['update_node', { id: 'tea', directory: 'private' }],
        ['update_nodes', { ids: ['tea'], directory: 'private' }],
        ['rename', { changes: [{ from: 'open/alone.md', to: 'private/' }] }],
        ['rename', { changes: [{ from: 'open/', to: 'private/' }] }],
        ['rename', { changes: [{ from: 'open/dot.png', to: 'private/dot.png' }] }],
        ['graph_open', { project: 'boat' }],
        ['create_entities', { entities: [{ name: 'Tea', entityType: 'drink', observations: [] }] }],
        [
          'kg_add_episodes',
          { input: { group_id: 'other', items: [{ source: 'text', body: 'x', reference_time: '2026-01-01T00:00:00Z' }] } },
        ],
      ] as const) {
        const { text, value } = await ask(url, token, operation, args);
        const code: string = value.error?.code ?? value.result?.error?.error_code ?? 'OK';
        expect({ operation, code }).toEqual({ operation, code: expect.stringMatching(/FORBIDDEN|INVALID_PARAMS/) });
        expect({ operation, text }).toEqual({ operation, text: expect.not.stringContaining(MARK) });
      }
      expect([outside(), vault.files()]).toEqual([before, all]);
    });
  });

  it('nor does a write break or take links of notes outside, which it cannot see', async () => {
    const token = await addToken(vault, 'some', 'write');
    vault.write('private/zqullinks.md', '[[alone]] [[came#Back]] [[going]] [[zqulwanted]]\n');
    vault.write('zqulnear.md', '[[zqulfar]]\n');
    vault.write('private/far/zqulfar.md', 'zqultext\n');
    vault.write('open/Came.md', '## Back\n\nIt is.\n');
    await serveAll(async (url) => {
      const [before, all] = [outside(), vault.files()];
      const refused = async (operation: string, args: unknown): Promise<void> => {
        const { status, value, text } = await ask(url, token, operation, args);
        expect({ operation, args, status, code: value.error?.code }).toEqual({ operation, args, status: 403, code: 'FORBIDDEN' });
        expect(text).toMatch(/notes that this token may not write/);
        expect(text.replaceAll(/"zqulfar"|zqulfar\.md/g, '')).not.toContain(MARK);
      };
      await refused('rename', { changes: [{ from: 'open/alone.md', to: 'Lonely' }] });
      await refused('update_node', { id: 'open/alone.md', title: 'Lonely' });
      await refused('delete_node', { id: 'open/going.md' });
      // A note of this name would be meant by who means the other one.
      await refused('create_node', { title: 'zqulfar', directory: 'open' });
      await refused('rename', { changes: [{ from: 'open/page.md', to: 'zqulfar' }] });
      await refused('rename', { changes: [{ from: 'open/Came.md#Back', to: 'Forth' }] });
      await refused('update_node', { id: 'open/Came.md', content: 'Without it.\n' });
      expect([outside(), vault.files()]).toEqual([before, all]);
      // What leaves their links as they are is done.
      expect((await ask(url, token, 'rename', { changes: [{ from: 'open/alone.md', to: 'open/sub/' }] })).status).toBe(200);
      expect((await ask(url, token, 'create_node', { title: 'zqulwanted', directory: 'open' })).status).toBe(200);
      expect((await ask(url, token, 'update_node', { id: 'open/Came.md', append: 'More.' })).status).toBe(200);
      expect(outside()).toEqual(before);
    });
  });

  it('nor does a note take the id of one outside, or its path for an id: who asks for that one gets it', async () => {
    const token = await addToken(vault, 'some', 'write');
    const id = '01hzzzzzzzzzzzzzzzzzzzzzzz';
    vault.write('private/zqulkept.md', `---\nid: ${id}\n---\nzqulkept\n`);
    await serveAll(async (url) => {
      const all = vault.files();
      for (const taken of [id, id.toUpperCase(), 'private/zqulpath.md', 'zqulpath']) {
        const { status, value } = await ask(url, token, 'create_node', { title: 'Taken', content: `---\nid: ${taken}\n---\nMine.\n` });
        expect({ taken, status, code: value.error?.code }).toEqual({ taken, status: 403, code: 'FORBIDDEN' });
      }
      expect(vault.files()).toEqual(all);
      expect((await ask(url, OWNERS, 'get_node', { id })).value.result.path).toBe('private/zqulkept.md');
      const free = await ask(url, token, 'create_node', { title: 'Free', content: '---\nid: my-own-id\n---\nMine.\n' });
      expect({ status: free.status, id: free.value.result?.id }).toEqual({ status: 200, id: 'my-own-id' });
    });
  });

  it('a link that leads out stays as it is when a note inside of its name is renamed, and is written anew where its note moves', async () => {
    const token = await addToken(vault, 'some', 'write');
    vault.write('other.md', 'At the root.\n');
    vault.write('open/deep/other.md', 'Inside.\n');
    vault.write(
      'open/from.md',
      '[[other]] [[deep/other]] [there](../private/plain.md) [near](./tea.md) [nothing](../private/nothing.md)\n',
    );
    await serveAll(async (url) => {
      expect((await ask(url, token, 'rename', { changes: [{ from: 'open/deep/other.md', to: 'Another' }] })).status).toBe(200);
      expect(vault.read('open/from.md')).toBe(
        '[[other]] [[Another]] [there](../private/plain.md) [near](./tea.md) [nothing](../private/nothing.md)\n',
      );
      expect((await ask(url, token, 'rename', { changes: [{ from: 'open/from.md', to: 'open/deep/' }] })).status).toBe(200);
      expect(vault.read('open/deep/from.md')).toContain('[there](../../private/plain.md)');
      expect(vault.read('open/deep/from.md')).toContain('[nothing](../../private/nothing.md)');
      expect(vault.read('open/deep/from.md')).toContain('[near](tea.md)');
    });
  });

  it('keys, versions, trash and undo of others are not reachable, and its own are', async () => {
    const known = await prepare(vault);
    const [token, other] = [await addToken(vault, 'some', 'write'), await addToken(vault, 'all', 'write', [])];
    await serveAll(async (url) => {
      const call = { title: 'Same', directory: 'open', idempotency_key: 'one-key' };
      expect((await ask(url, other, 'create_node', { title: 'zqulsame', directory: 'private', idempotency_key: 'one-key' })).status).toBe(
        200,
      );
      const made = await ask(url, token, 'create_node', call);
      expect(made.status).toBe(200);
      expect(made.text).not.toContain(MARK);
      expect((await ask(url, token, 'create_node', call)).text).toBe(made.text);
      const mismatch = await ask(url, token, 'create_node', { ...call, title: 'Else' });
      expect(mismatch.value.error).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH', details: { idempotency_key: 'one-key' } });
      expect(mismatch.text).not.toMatch(/one-key of/);

      // A change outside is none of the vault that this token sees.
      const version = async (): Promise<string> =>
        (await ask(url, token, 'update_node', { id: 'open/same.md', append: 'x', if_version: '0-0000000000000000' })).value.error.details
          .version;
      const first = await version();
      expect(first).toMatch(/^0-[\da-f]{16}$/);
      await ask(url, other, 'update_node', { id: 'private/zqulpath.md', append: 'zqulmore' });
      expect(await version()).toBe(first);
      expect((await ask(url, token, 'update_node', { id: 'open/Same.md', append: 'x', if_version: first })).status).toBe(200);
      expect(await version()).not.toBe(first);

      const undone = async (who: string, args: unknown) => (await ask(url, who, 'undo', args)).value;
      expect((await undone(token, { batch: known.batches.both })).error.code).toBe('FORBIDDEN');
      expect((await undone(token, { batch: known.batches.outside })).error.code).toBe('NODE_NOT_FOUND');
      expect((await undone(token, { agent: 'roux-test' })).error.code).toBe('FORBIDDEN');
      expect((await undone(token, { batch: known.batches.inside })).result.files).toMatchObject([{ path: 'open/assam.md' }]);
      expect(vault.read('open/assam.md')).not.toContain('height');
    });
  });
});
