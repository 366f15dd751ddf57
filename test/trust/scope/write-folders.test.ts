import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allOperations } from '../../../src/ops/all.ts';
import { cli } from '../../support/program/cli.ts';
import { ALONE, withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { makeVault } from '../../support/vault.ts';
import type { VaultSource } from '../../support/vault.ts';
import { writingCalls } from './calls.ts';
import { FILES, FOLDERS, isInside, prepare } from './scoped-vault.ts';

const AT = '2026-01-01T00:00:00Z';
let vault: ReturnType<typeof makeVault>;
const use = (source: VaultSource): void => void (vault = makeVault(source));
beforeEach(() => use({}));
afterEach(() => vault.dispose());

/** Every file that is not in the folders, byte for byte. */
function others(isWritable: (path: string) => boolean): Readonly<Record<string, string>> {
  return Object.fromEntries(vault.files().flatMap((path) => (isWritable(path) ? [] : [[path, vault.readBytes(path).toString('latin1')]])));
}

const limited = <T>(folders: string, run: (session: McpSession) => Promise<T>, flags: readonly string[] = []): Promise<T> =>
  withMcp(vault, run, { flags: ['--alone', '--toolsets', 'all', '--write-folders', folders, ...flags] });

describe('O-03 roux mcp --write-folders', () => {
  it('O-03 every tool writes inside, and no other file is another one afterwards', async () => {
    use(FILES);
    const known = await prepare(vault);
    const tools = new Set(allOperations.flatMap(({ name, toolset }) => (toolset === null ? [] : [name])));
    const [before, files] = [others(isInside), vault.files()];
    const refused: string[] = [];
    await limited(FOLDERS.join(','), async ({ call }) => {
      for (const [name, args] of writingCalls(known)) {
        if (!tools.has(name)) continue;
        const { isError, texts } = await call(name, args);
        if (isError && texts.join('').includes('FORBIDDEN')) refused.push(name);
      }
    });
    expect(others(isInside)).toEqual(before);
    expect(vault.files()).not.toEqual(files);
    // Tags, types and a group have notes outside too.
    expect(refused).toContain('kg_clear_all');
  });

  it('O-03 what would be written outside is refused as a whole and named, memory, tasks, undo and trash included', async () => {
    use({
      'notes/agents/mine.md': 'mine\n',
      'notes/agents/gone.md': 'gone\n',
      'private/plain.md': '[[mine]] [[other]]\n',
      'private/other.md': 'other\n',
      'private/away.md': 'away\n',
      'ontology.md': '---\nnode_types: [Shelf]\n---\n',
    });
    const batch = await withMcp(
      vault,
      async ({ ask }) => {
        await ask('delete_node', { id: 'private/away.md' });
        return (await ask('update_node', { id: 'private/other.md', append: 'more' })).batch as string;
      },
      ALONE,
    );
    await limited('notes/agents/', async ({ call, ask, refuse, client }) => {
      const [before, all] = [others(() => false), vault.files()];
      const calls: readonly (readonly [string, Record<string, unknown>, string])[] = [
        ['create_node', { title: 'Out', directory: 'private' }, 'private/out.md'],
        ['create_node', { title: 'Out', directory: 'new/folder' }, 'new/folder/out.md'],
        ['create_node', { title: 'Out', directory: 'notes/Agents' }, 'notes/Agents/out.md'],
        ['create_node', { title: 'Out', directory: 'notes/agents-too' }, 'notes/agents-too/out.md'],
        ['update_node', { id: 'private/other.md', append: 'x' }, 'private/other.md'],
        ['update_nodes', { ids: ['mine', 'other'], add: { tags: ['x'] } }, 'private/other.md'],
        ['delete_node', { id: 'private/other.md' }, 'private/other.md'],
        ['rename', { changes: [{ from: 'notes/agents/mine.md', to: 'yours' }] }, 'private/plain.md'],
        ['rename', { changes: [{ from: 'notes/agents/gone.md', to: 'private/' }] }, 'private/gone.md'],
        ['rename', { changes: [{ from: 'private/', to: 'notes/agents/private/' }] }, 'private/'],
        ['merge_nodes', { sources: ['notes/agents/gone.md'], target: 'private/other.md' }, 'private/other.md'],
        ['graph_open', { project: 'boat' }, 'projects/boat/boat.md'],
        ['create_entities', { entities: [{ name: 'Tea', entityType: 'drink', observations: [] }] }, 'memory/drink/tea.md'],
        ['add_node_type', { type_name: 'Chair' }, 'ontology.md'],
        ['kg_add_episodes', { input: { group_id: 'g', items: [{ source: 'text', body: 'x', reference_time: AT }] } }, 'knowledge/g/'],
      ];
      for (const [name, args, named] of calls) {
        for (const dry of name.startsWith('kg_') ? [{}] : [{}, { dry_run: true }]) {
          const told = JSON.stringify(await call(name, { ...args, ...dry }));
          expect({ name, args, told }).toEqual({ name, args, told: expect.stringMatching(/FORBIDDEN/) });
          expect(told).toContain(`would write ${named}`);
          expect(told).toContain('only notes/agents may be written here. Nothing was written.');
        }
      }
      expect([others(() => false), vault.files()]).toEqual([before, all]);
      expect(await refuse('create_node', { title: 'Up', directory: 'notes/agents/../../private' })).toMatchObject({
        error: { code: 'INVALID_PARAMS' },
      });
      // All of it is read, and new notes go where they may.
      expect((await ask('get_node', { id: 'plain' })).content).toContain('[[mine]]');
      expect((await ask('create_node', { title: 'New' })).path).toBe('notes/agents/new.md');
      expect((await ask('rename', { changes: [{ from: 'notes/agents/new.md', to: 'notes/agents/deeper/still/' }] })).renamed).toHaveLength(
        1,
      );
      expect(vault.exists('notes/agents/deeper/still/new.md')).toBe(true);
      await ask('delete_node', { id: 'notes/agents/gone.md' });
      const { tools } = await client.listTools();
      const texts = new Map(tools.map(({ name, description = '' }) => [name, description]));
      expect(texts.get('create_node')).toMatch(/ Writes only in notes\/agents\.$/);
      expect(texts.get('get_node')).not.toContain('Writes only');
      expect(client.getInstructions()).toContain('Writes only in notes/agents.');
    });
    // Commands of the user under the same setting.
    const env = { ROUX_WRITES_FOLDERS: 'notes/agents' };
    const undone = await cli(['undo', batch, '--vault', vault.root], { env });
    expect([undone.status, undone.stderr]).toEqual([3, expect.stringContaining('would write private/other.md')]);
    const restored = await cli(['restore', 'private/away.md', '--vault', vault.root], { env });
    expect([restored.status, restored.stderr]).toEqual([3, expect.stringContaining('would write private/away.md')]);
  });
});
