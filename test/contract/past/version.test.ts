import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const all = { flags: ['--toolsets', 'all'] };

async function versionOf({ client }: Pick<McpSession, 'client'>): Promise<string> {
  const { contents } = await client.readResource({ uri: 'roux://vault' });
  const [first] = contents;
  return (JSON.parse(first !== undefined && 'text' in first ? first.text : '') as { version: string }).version;
}

async function statsOf(vault: TestVault): Promise<Record<string, unknown> & { version: string }> {
  const { status, stdout, stderr } = await cli(['stats', '--json', '--vault', vault.root]);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof statsOf>>;
}

const fingerprint = (version: string): string => version.split('-')[1] ?? '';

describe('E-33 the version of a vault', () => {
  it('is the same in every process, grows with what roux writes, and is another one after edits that nobody recorded yet', () =>
    withVault({ 'a.md': 'A\n', 'hidden/b.md': 'B\n', '.rouxrc.json': '{"ignore": ["hidden/"]}\n' }, (vault) =>
      withServer(vault, async (session) => {
        const first = await versionOf(session);
        expect(first).toMatch(/^\d+-[0-9a-f]{16}$/);
        expect((await statsOf(vault)).version).toBe(first);
        await withMcp(vault, async (other) => expect(await versionOf(other)).toBe(first));
        await session.ask('update_node', { id: 'a', content: 'Changed\n' });
        const second = await versionOf(session);
        expect(Number.parseInt(second, 10)).toBeGreaterThan(Number.parseInt(first, 10));
        expect(fingerprint(second)).not.toBe(fingerprint(first));
        // A hidden note, by a person; then back again.
        vault.write('hidden/b.md', 'Edited\n');
        await waitFor(async () => fingerprint(await versionOf(session)) !== fingerprint(second), { what: 'the edit' });
        vault.write('hidden/b.md', 'B\n');
        await waitFor(async () => fingerprint(await versionOf(session)) === fingerprint(second), { what: 'the edit taken back' });
        expect(fingerprint((await statsOf(vault)).version)).toBe(fingerprint(second));
      }),
    ));

  it('if_version refuses, in every toolset and in a dry run, and names the present version and what changed since; nothing is written', () =>
    withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, (vault) =>
      withServer(
        vault,
        async (session) => {
          const { ask, call } = session;
          const version = await versionOf(session);
          await ask('create_node', { title: 'New', content: 'New\n', if_version: version });
          vault.write('b.md', 'Edited\n');
          await waitFor(async () => (await ask('get_node', { id: 'b' })).content === 'Edited\n');
          const files = vault.files();
          const calls: readonly (readonly [string, Record<string, unknown>])[] = [
            ['update_node', { id: 'a', content: 'X\n' }],
            ['update_node', { id: 'not there', content: 'X\n' }],
            ['delete_node', { id: 'a' }],
            ['delete_node', { id: 'not there' }],
            ['rename', { changes: [{ from: 'a', to: 'c' }] }],
            ['rename', { changes: [{ from: 'a', to: 'c' }], dry_run: true }],
            ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: [] }] }],
            ['graph_open', { project: 'shed', goal: 'A shed' }],
            ['create_ontology', { node_types: ['Doc'], connection_types: [] }],
          ];
          for (const [tool, args] of calls) {
            const { isError, texts } = await call(tool, { ...args, if_version: version });
            expect([tool, isError]).toEqual([tool, true]);
            const told = texts.join('\n');
            expect(told).toContain('CONFLICT');
            expect(told).toContain('b.md');
            expect(told).toContain('new.md');
            expect(told).toContain(`version ${await versionOf(session)}`);
          }
          expect(vault.files()).toEqual(files);
          expect(vault.read('a.md')).toBe('A\n');
          // At the present version it is written, also where a call writes nothing.
          expect((await ask('delete_node', { id: 'not there', if_version: await versionOf(session) })).deleted).toBe(false);
          await ask('update_node', { id: 'a', content: 'X\n', if_version: await versionOf(session) });
          expect(vault.read('a.md')).toContain('X\n');
        },
        all,
      ),
    ));

  it('a repeat under an idempotency key is told what the first call was told, though that one made another version', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServer(vault, async (session) => {
        const wanted = { title: 'New', content: 'New\n', if_version: await versionOf(session), idempotency_key: 'k' };
        const first = await session.ask('create_node', wanted);
        expect(await session.ask('create_node', wanted)).toEqual(first);
      }),
    ));

  it('at most 20 changed paths are named, and a malformed version is a bad argument', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServer(vault, async (session) => {
        const { ask, refuse } = session;
        const version = await versionOf(session);
        for (let index = 0; index < 23; index++) await ask('create_node', { title: `N${index}`, content: 'x\n' });
        const { error } = await refuse('update_node', { id: 'a', content: 'X\n', if_version: version });
        expect(error.code).toBe('CONFLICT');
        expect(error.details.changed).toHaveLength(20);
        expect(error.details.more).toBe(3);
        for (const bad of ['', '7', 'x-0123456789abcdef', '1-0123456789ABCDEF', 7, null, '1'.repeat(300)]) {
          const { error: told } = await refuse('update_node', { id: 'a', content: 'X\n', if_version: bad });
          expect(told.code).toBe('INVALID_PARAMS');
          expect(told.message).toContain('if_version');
        }
        expect(vault.read('a.md')).toBe('A\n');
      }),
    ));

  it('--if-version of the writing commands does the same, and roux stats counts what is there', () =>
    withVault({ 'a.md': 'A [[b]] [[nowhere]] #tag\n', 'b.md': 'B\n', 'image.png': 'x' }, async (vault) => {
      const stats = await statsOf(vault);
      expect(stats).toMatchObject({ notes: 2, links: 2, unresolved: 1, tags: 1, attachments: 1, entities: 0, tasks: { total: 0 } });
      const run = (...args: readonly string[]): ReturnType<typeof cli> => cli([...args, '--vault', vault.root]);
      expect((await run('append', 'a', 'More', '--if-version', stats.version)).status).toBe(0);
      const text = vault.read('a.md');
      for (const args of [
        ['append', 'a', 'Again'],
        ['append', 'a', 'Again', '--dry-run'],
        ['rename', 'a', 'c'],
        ['delete', 'a'],
        ['create', 'New'],
        ['undo', vault.list('.roux/history/batches').at(-1)?.replace('.json', '') ?? ''],
      ]) {
        const { status, stderr } = await run(...args, '--if-version', stats.version);
        expect([args, status]).toEqual([args, 3]);
        expect(stderr).toContain('a.md');
      }
      expect(vault.files()).toEqual(['a.md', 'b.md', 'image.png']);
      expect(vault.read('a.md')).toBe(text);
      const { stdout } = await run('stats');
      expect(stdout).toContain((await statsOf(vault)).version);
      expect((await run('append', 'a', 'Again', '--if-version', 'yesterday')).status).toBe(2);
    }));
});
