import { chmodSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import type { FileSystem } from '../../src/disk/file-system.ts';
import type { Plan } from '../../src/vault/plan.ts';
import { notePath as note } from '../crash/scenarios.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import { simulatedDisk, simulatedProcess } from '../support/simulated-disk.ts';
import { withVault } from '../support/vault.ts';

const meta = { operation: 'test', agent: 'ada' };
const touch = { op: 'touch', at: '2026-01-01T00:00:00.000Z' } as const;
const setX = (path: string): Plan => ({
  files: [{ kind: 'change', path: note(path), changes: [{ op: 'set', key: ['x'], value: 1 }, touch] }],
});

/** A file system that counts the calls that make durable. */
function countSyncs(): { files: FileSystem; count: () => number } {
  const files = nodeFileSystem();
  let count = 0;
  const counted: FileSystem = {
    ...files,
    create: async (path, mode) => {
      const file = await files.create(path, mode);
      return { ...file, sync: () => (count++, file.sync()) };
    },
    append: async (path) => {
      const file = await files.append(path);
      return { ...file, sync: () => (count++, file.sync()) };
    },
    syncFolder: (path) => (count++, files.syncFolder(path)),
  };
  return { files: counted, count: () => count };
}

describe('commit', () => {
  it('creates, changes, moves and removes in one transaction', async () => {
    await withVault({ 'a.md': 'A\n', 'b.md': '---\nrev: 3\n---\nB [[a]]\n', 'c.md': 'C\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      const done = await writer.write(meta, () => ({
        files: [
          { kind: 'create', path: 'neu/d.md', text: 'D\n' },
          { kind: 'change', path: note('b.md'), changes: [{ op: 'set', key: ['x'], value: 1 }, touch] },
          { kind: 'move', from: 'a.md', to: 'neu/e.md', changes: [] },
          { kind: 'remove', path: 'c.md', to: 'trash' },
        ],
      }));
      expect(vault.files()).toEqual(['b.md', 'neu/d.md', 'neu/e.md']);
      expect(vault.read('b.md')).toContain('rev: 4');
      expect(done.events.map((event) => [event.seq, event.action])).toEqual([
        [1, 'created'],
        [2, 'updated'],
        [3, 'moved'],
        [4, 'deleted'],
      ]);
      expect(done.files[1]?.rev).toBe(4);
      expect(writer.graph.get('neu/e.md')?.path).toBe('neu/e.md');
      expect(writer.graph.get('a.md')).toBeNull();
      await writer.close();
    });
  });

  it('one small update costs five syncs, whatever the size of the vault', async () => {
    const counts: number[] = [];
    for (const size of [1, 300]) {
      const notes = Object.fromEntries(Array.from({ length: size }, (_, index) => [`n${index}.md`, 'N\n']));
      await withVault({ ...notes, 'a.md': 'A\n' }, async (vault) => {
        const { root } = vault;
        const { files, count } = countSyncs();
        const writer = openTestWriter({ root, files });
        await writer.write(meta, () => setX('a.md'));
        const before = count();
        await writer.write(meta, () => ({
          files: [{ kind: 'change', path: note('a.md'), changes: [{ op: 'set', key: ['x'], value: 2 }] }],
        }));
        counts.push(count() - before);
        await writer.close();
      });
    }
    expect(counts).toEqual([5, 5]);
  });

  it('relaxed durability syncs nothing and leaves the same files', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const { files, count } = countSyncs();
      const writer = openTestWriter({ root, files, config: { durability: 'relaxed', readOnly: false } });
      await writer.write(meta, () => setX('a.md'));
      expect(count()).toBe(0);
      expect(vault.read('a.md')).toContain('x: 1');
      await writer.close();
    });
  });

  it('a plan that changes nothing writes nothing, not even a time', async () => {
    await withVault({ 'a.md': '---\nx: 1\n---\nA\n' }, async (vault) => {
      const { root } = vault;
      utimesSync(vault.path('a.md'), 1_000, 1_000);
      const writer = openTestWriter({ root });
      const done = await writer.write(meta, () => setX('a.md'));
      expect(done).toMatchObject({ batch: null, events: [], files: [{ path: 'a.md', changed: false }] });
      expect(statSync(vault.path('a.md')).mtimeMs).toBe(1_000_000);
      expect(readdirSync(vault.path('.roux/history'))).toEqual(['batches', 'keys']);
    });
  });

  it('a dry run gives the unified diff and touches nothing', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root });
      const done = await writer.write({ ...meta, dryRun: true }, () => setX('a.md'));
      expect(done.diff).toContain('--- a/a.md\n+++ b/a.md\n');
      expect(done.diff).toContain('+x: 1\n');
      expect(readdirSync(root)).toEqual(['a.md']);
    });
  });

  it('F14 a stale rev or etag is CONFLICT with the current ones, and nothing is written', async () => {
    await withVault({ 'a.md': '---\nrev: 5\n---\nA\n', 'b.md': 'B\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root });
      const etag = writer.graph.get('a.md')?.hash ?? '';
      for (const expectation of [{ rev: 4 }, { etag: 'f'.repeat(16) }, { rev: 5, etag: `${etag.slice(0, 15)}` }]) {
        const write = writer.write(meta, () => ({
          files: [
            { kind: 'create', path: 'c.md', text: 'C\n' },
            { kind: 'change', path: note('a.md'), changes: [{ op: 'body', text: 'New\n' }], expect: expectation },
          ],
        }));
        await expect(write).rejects.toMatchObject({ code: 'CONFLICT', details: { path: 'a.md', rev: 5, etag: etag.slice(0, 16) } });
      }
      expect([vault.read('a.md'), readdirSync(root).toSorted()]).toEqual(['---\nrev: 5\n---\nA\n', ['.roux', 'a.md', 'b.md']]);
      for (const expectation of [{ rev: 5 }, { etag }]) {
        const tag = expectation.etag === undefined ? expectation : { etag: writer.graph.get('a.md')?.hash.slice(0, 16) ?? '' };
        await writer.write(meta, () => ({
          files: [{ kind: 'change', path: note('a.md'), changes: [{ op: 'body', text: `New ${tag.etag ?? ''}\n` }], expect: tag }],
        }));
      }
      expect(vault.read('a.md')).toContain('New ');
      await writer.close();
    });
  });

  it('F40 F31 S2-23 paths out of the vault, hidden folders and impossible names are refused, everything unchanged', async () => {
    await withVault({ 'a.md': 'A\n', 'sub/b.md': 'B\n' }, async (vault) => {
      const { root } = vault;
      mkdirSync(vault.path('.obsidian'));
      symlinkSync('/tmp', vault.path('out'));
      symlinkSync('.obsidian', vault.path('in'));
      const writer = openTestWriter({ root });
      const long = `${'x'.repeat(198)}.md`;
      const refused = [
        '../x.md',
        '/etc/x.md',
        '~/x.md',
        'sub/../../x.md',
        'a\0.md',
        '.git/x.md',
        '.roux/x.md',
        '.obsidian/x.md',
        'node_modules/x.md',
        'out/x.md',
        'in/x.md',
        'con.md',
        'sub./x.md',
        'x .md',
        'a:b.md',
        'a#b.md',
        'a|b.md',
        long,
        'sub\\x.md',
        'x.txt',
        '4913.md.swp',
        'a.md/x.md',
        '',
      ];
      for (const name of refused) {
        await expect(writer.write(meta, () => ({ files: [{ kind: 'create', path: name, text: 'X\n' }] }))).rejects.toMatchObject({
          code: 'INVALID_PARAMS',
        });
        await expect(writer.write(meta, () => ({ files: [{ kind: 'move', from: 'a.md', to: name, changes: [] }] }))).rejects.toMatchObject({
          code: 'INVALID_PARAMS',
        });
      }
      for (const name of ['../x.md', '.roux/.gitignore', 'out/x.md']) {
        await expect(writer.write(meta, () => ({ files: [{ kind: 'remove', path: name, to: 'gone' }] }))).rejects.toMatchObject({
          code: 'INVALID_PARAMS',
        });
      }
      expect(vault.files()).toEqual(['a.md', 'in', 'out', 'sub/b.md']);
      expect(readdirSync(vault.path('.obsidian'))).toEqual([]);
      for (const name of ['数学.md', 'مرحبا.md', '🌱 x.md'])
        await writer.write(meta, () => ({ files: [{ kind: 'create', path: name, text: 'X\n' }] }));
      expect(vault.files()).toHaveLength(7);
    });
  });

  it('F32 twins by case or Unicode form are NODE_EXISTS; a rename that changes only the case works, also where case is ignored', async () => {
    for (const ignoresCase of [false, true]) {
      const disk = simulatedDisk({ 'Tea.md': 'Tea\n', 'Café.md': 'C\n', 'Sub/x.md': 'X\n' }, { ignoresCase });
      const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(1) });
      for (const path of ['tea.md', 'Cafe\u0301.md', ...(ignoresCase ? ['sub/X.md'] : ['sub/y.md'])]) {
        await expect(writer.write(meta, () => ({ files: [{ kind: 'create', path, text: '' }] }))).rejects.toMatchObject({
          code: 'NODE_EXISTS',
        });
      }
      await writer.write(meta, () => ({
        files: [{ kind: 'move', from: 'Tea.md', to: 'tea.md', changes: [{ op: 'set', key: ['title'], value: 'tea' }] }],
      }));
      expect(disk.visible()).toEqual({ 'tea.md': '---\ntitle: tea\n---\nTea\n', 'Café.md': 'C\n', 'Sub/x.md': 'X\n' });
      expect(disk.residue()).toEqual([]);
    }
  });

  it('F32 works without hard links, and in a folder that is another device', async () => {
    for (const traits of [{ hasHardLinks: false }, { devices: ['other'] }]) {
      const disk = simulatedDisk({ 'a.md': 'A\n', 'other/b.md': 'B\n', 'c.md': 'C\n' }, traits);
      const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(1) });
      await writer.write(meta, () => ({
        files: [
          ...setX('other/b.md').files,
          { kind: 'create', path: 'other/new.md', text: 'New\n' },
          { kind: 'move', from: 'a.md', to: 'other/a.md', changes: [] },
          { kind: 'remove', path: 'c.md', to: 'trash' },
        ],
      }));
      expect(Object.keys(disk.visible()).toSorted()).toEqual(['other/a.md', 'other/b.md', 'other/new.md']);
      expect(disk.visible()['other/b.md']).toContain('x: 1');
      expect(disk.residue()).toEqual([]);
    }
  });

  it('F33 keeps mode and symbolic links; refuses hard links and write-protected notes with the reason', async () => {
    await withVault({ 'a.md': 'A\n', 'real/b.md': 'B\n', 'c.md': 'C\n', 'd.md': 'D\n' }, async (vault) => {
      const { root } = vault;
      chmodSync(vault.path('a.md'), 0o640);
      symlinkSync('real/b.md', vault.path('link.md'));
      symlinkSync('/etc/hostname', vault.path('out.md'));
      symlinkSync('nowhere.md', vault.path('dangling.md'));
      linkSync(vault.path('c.md'), vault.path('c2.md'));
      chmodSync(vault.path('d.md'), 0o444);
      const writer = openTestWriter({ root });
      await writer.write(meta, () => ({ files: [...setX('a.md').files, ...setX('link.md').files] }));
      expect(statSync(vault.path('a.md')).mode & 0o777).toBe(0o640);
      expect(vault.read('real/b.md')).toContain('x: 1');
      expect(
        readdirSync(root, { withFileTypes: true })
          .find((entry) => entry.name === 'link.md')
          ?.isSymbolicLink(),
      ).toBe(true);
      for (const [name, code, reason] of [
        ['c.md', 'INVALID_PARAMS', 'hard links'],
        ['d.md', 'READ_ONLY', '444'],
        ['out.md', 'INVALID_PARAMS', 'out of the vault'],
        ['dangling.md', 'INVALID_PARAMS', 'symbolic link to nothing'],
      ] as const) {
        await expect(writer.write(meta, () => setX(name))).rejects.toMatchObject({
          code,
          message: expect.stringContaining(reason) as string,
        });
      }
      await writer.close();
    });
  });

  it('F11 a vault that is open for reading only answers READ_ONLY and stays without .roux', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root, config: { durability: 'full', readOnly: true } });
      await writer.recover();
      await expect(writer.write(meta, () => setX('a.md'))).rejects.toMatchObject({ code: 'READ_ONLY' });
      expect(readdirSync(root)).toEqual(['a.md']);
    });
  });

  it('F06 a disk that is full for good is NO_SPACE, and the old note is there byte for byte', async () => {
    const disk = simulatedDisk({ 'a.md': 'A\n' });
    const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(1) });
    disk.onCall((call) => {
      if (call.method === 'write') throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return undefined;
    });
    await expect(writer.write(meta, () => setX('a.md'))).rejects.toMatchObject({ code: 'NO_SPACE' });
    expect(disk.visible()).toEqual({ 'a.md': 'A\n' });
    expect(disk.residue()).toEqual([]);
  });

  it('F30 while most notes are gone nothing is written', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root, isShrunk: () => true });
      await expect(writer.write(meta, () => setX('a.md'))).rejects.toMatchObject({ code: 'VAULT_SHRUNK' });
      expect(vault.read('a.md')).toBe('A\n');
    });
  });

  it('a cancelled call is CANCELLED and leaves nothing behind', async () => {
    await withVault({ 'a.md': 'A\n' }, async (vault) => {
      const { root } = vault;
      const writer = openTestWriter({ root });
      const controller = new AbortController();
      const write = writer.write({ ...meta, signal: controller.signal }, () => {
        controller.abort();
        return setX('a.md');
      });
      await expect(write).rejects.toMatchObject({ code: 'CANCELLED' });
      expect([vault.read('a.md'), readdirSync(vault.path('.roux/journal'))]).toEqual(['A\n', []]);
    });
  });
});
