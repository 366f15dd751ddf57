import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { notePath as note } from '../../crash/scenarios.ts';
import { eventsOf } from '../../support/history.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };

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

  it('S1-88 a note that only the history knows was changed or moved, and is not new', () =>
    withVault({}, async (vault) => {
      const first = openTestWriter({ root: vault.root });
      const created = (path: string) => ({ kind: 'create', path, text: `In ${path}\n` }) as const;
      await first.write(meta, () => ({ files: [created('a.md'), created('b.md'), created('c.md')] }));
      await first.close();
      vault.write('a.md', 'By a person\n');
      vault.write('moved.md', vault.read('b.md'));
      vault.remove('b.md');
      vault.write('copy.md', vault.read('c.md'));
      // As a process sees it whose picture of the vault is from before.
      const late = openTestWriter({ root: vault.root, reader: { read: (path) => readFileSync(vault.path(path)), files: () => [] } });
      late.graph.onChange((changes) => late.follow(changes));
      late.index(['a.md', 'moved.md', 'copy.md']);
      await late.history({ node: 'a.md', limit: 9 });
      await late.close();
      expect(eventsOf(vault).slice(3)).toMatchObject([
        { agent: 'external', path: 'a.md', changes: [{ field: 'body', before: { file: expect.stringMatching(/^[0-9a-f]{16}$/) } }] },
        { agent: 'external', path: 'moved.md', changes: [{ field: 'path', before: 'b.md', after: 'moved.md' }] },
        { agent: 'external', path: 'copy.md', changes: [{ field: 'file', before: null, after: 'copy.md' }] },
      ]);
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
});
