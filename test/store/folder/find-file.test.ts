import { chmodSync, linkSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/vault/plan/plan.ts';
import { notePath as note } from '../../crash/scenarios.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { withVault } from '../../support/vault.ts';

const meta = { operation: 'test', agent: 'ada' };
const touch = { op: 'touch', at: '2026-01-01T00:00:00.000Z' } as const;
const setX = (path: string): Plan => ({
  files: [{ kind: 'change', path: note(path), changes: [{ op: 'set', key: ['x'], value: 1 }, touch] }],
});

describe('where roux may write', () => {
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
});
