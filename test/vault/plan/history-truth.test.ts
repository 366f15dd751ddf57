import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { notePath as note } from '../../crash/scenarios.ts';
import { withMcp } from '../../support/mcp-client.ts';
import type { McpSession } from '../../support/mcp-client.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };

/** Every event of a vault's history, oldest first. */
function eventsOf(vault: TestVault): readonly { agent: string; path: string; action: string; changes: readonly unknown[] }[] {
  if (!vault.exists('.roux/history')) return [];
  return vault
    .list('.roux/history')
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => vault.read(`.roux/history/${name}`).trim().split('\n'))
    .map((line) => JSON.parse(line) as ReturnType<typeof eventsOf>[number]);
}

describe('the history tells who did what', () => {
  it('F53 a write that fails half-way and is taken back is no event, also not for one who saw it half done', () =>
    withVault({ 'a.md': '---\nx: 0\n---\nA\n', 'b.md': '---\nx: 0\n---\nB\n', 'c.md': 'C\n' }, async (vault) => {
      const other = openTestWriter({ root: vault.root });
      other.graph.onChange((changes) => other.follow(changes));
      let hasFailed = false;
      const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
        link(from, to) {
          // The first file is in its place: the other process looks, and the disk fails.
          if (to === 'b.md' || to === 'new.md') {
            other.index(['a.md', 'b.md', 'new.md']);
            hasFailed = true;
            throw Object.assign(new Error('EIO'), { code: 'EIO' });
          }
          return real.link(from, to);
        },
        rename(from, to) {
          if (to === 'b.md') {
            other.index(['a.md', 'b.md']);
            hasFailed = true;
            throw Object.assign(new Error('EIO'), { code: 'EIO' });
          }
          return real.rename(from, to);
        },
      }));
      const writer = openTestWriter({ root: vault.root, files });
      const set = (path: string) => ({ kind: 'change', path: note(path), changes: [{ op: 'set', key: ['x'], value: 1 }] }) as const;
      await expect(writer.write(meta, () => ({ files: [set('a.md'), set('b.md')] }))).rejects.toMatchObject({ code: 'IO_ERROR' });
      expect(hasFailed).toBe(true);
      expect(vault.read('a.md')).toBe('---\nx: 0\n---\nA\n');
      expect((await other.history({ node: 'a.md', limit: 9 })).events).toEqual([]);
      await other.write(meta, () => ({ files: [{ kind: 'change', path: note('c.md'), changes: [{ op: 'set', key: ['y'], value: 1 }] }] }));
      expect(eventsOf(vault).map(({ agent, path }) => [agent, path])).toEqual([['ada', 'c.md']]);
      await writer.close();
      await other.close();
      expect(eventsOf(vault)).toHaveLength(1);
    }));

  it('S1-88 an editor that removes a note and makes it anew changed the fields that differ', () =>
    withVault({ 'a.md': '---\nstatus: open\nkept: 1\n---\nA\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      writer.graph.onChange((changes) => writer.follow(changes));
      vault.remove('a.md');
      writer.index(['a.md']);
      vault.write('a.md', '---\nstatus: done\nkept: 1\n---\nA\n');
      writer.index(['a.md']);
      expect((await writer.history({ node: 'a.md', limit: 9 })).events).toMatchObject([
        { agent: 'external', changes: [{ field: 'status', before: 'open', after: 'done' }] },
      ]);
      // As it was: nothing happened.
      vault.remove('a.md');
      writer.index(['a.md']);
      vault.write('a.md', '---\nstatus: done\nkept: 1\n---\nA\n');
      writer.index(['a.md']);
      expect((await writer.history({ node: 'a.md', limit: 9 })).events).toHaveLength(1);
      await writer.close();
    }));

  it('S1-88 likewise through the built program, for an editor that is watched', () =>
    withVault({ 'a.md': '---\nstatus: open\n---\nA\n', 'b.md': 'B\n' }, async (vault) => {
      await withMcp(vault, async (session) => {
        await known(session, 'a.md');
        vault.remove('a.md');
        await waitFor(async () => (await session.ask('list_nodes', {})).total === 1);
        vault.write('a.md', '---\nstatus: done\n---\nA\n');
        await known(session, 'a.md');
      });
      expect(eventsOf(vault)).toMatchObject([
        { path: 'a.md', agent: 'external', changes: [{ field: 'status', before: 'open', after: 'done' }] },
      ]);
    }));

  it('S1-88 what other processes wrote is theirs, while both run, when one starts later, and over more than the last megabyte', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const body = (letter: string): string => `${letter.repeat(3_900)}\n`;
      let oldCache: Uint8Array = new Uint8Array();
      await withMcp(vault, async (first) => {
        await withMcp(vault, async (second) => {
          for (let index = 0; index < 10; index++) {
            const { id } = await first.ask('create_node', { title: `Shared ${index}`, content: body('a') });
            await second.ask('update_node', { id, content: body('b') });
          }
          await waitFor(async () => (await second.ask('list_nodes', {})).total === 11);
        });
        await waitFor(() => vault.exists('.roux/cache/notes'), { what: 'what the second one keeps for the next start' });
        oldCache = vault.readBytes('.roux/cache/notes');
        // Nobody but the first one runs.
        for (let index = 0; index < 10; index++) await first.ask('update_node', { id: `shared-${index}.md`, content: body('d') });
        const properties = { long: 'c'.repeat(50_000) };
        for (let index = 0; index < 25; index++) await first.ask('create_node', { title: `Alone ${index}`, properties });
        for (let index = 0; index < 5; index++) await first.ask('delete_node', { id: `alone-${index}.md` });
      });
      const segment = vault.list('.roux/history').find((name) => name.endsWith('.jsonl')) ?? '';
      expect(vault.read(`.roux/history/${segment}`).length).toBeGreaterThan(1024 * 1024);
      vault.write('.roux/cache/notes', oldCache);
      await withMcp(vault, async (third) => {
        await waitFor(async () => (await third.ask('list_nodes', {})).total === 31);
        await third.ask('update_node', { id: 'a.md', content: 'Changed\n' });
      });
      expect(eventsOf(vault).filter(({ agent }) => agent === 'external')).toEqual([]);
    }));
});

async function known(session: McpSession, id: string): Promise<void> {
  await waitFor(async () => (await session.call('get_node', { id })).isError === false);
}
