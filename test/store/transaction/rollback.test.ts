import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { notePath } from '../../crash/scenarios.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { failure, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };

describe('a transaction that is refused half-way', () => {
  it('F53 leaves nothing of itself in a file that a person saved at the last moment, and no history', () =>
    withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
      let saves = 0;
      const writer = openTestWriter({
        root: vault.root,
        // A person saves each note between the last look at it and the rename over it.
        files: wrapFiles(openNodeFileSystem(vault.root), (files) => ({
          link(from, to) {
            if (to.endsWith('.0.old') && saves === 0) {
              saves++;
              writeFileSync(vault.path('a.md'), 'A by a person\n');
            }
            files.link(from, to);
          },
          rename(from, to) {
            if (to === 'a.md' && saves === 1) {
              saves++;
              writeFileSync(vault.path('b.md'), 'B by a person\n');
            }
            files.rename(from, to);
          },
        })),
      });
      const plan = {
        files: [
          {
            kind: 'change' as const,
            path: notePath('a.md'),
            changes: [{ op: 'add-line' as const, section: 'Observations', line: 'mine' }],
          },
          { kind: 'change' as const, path: notePath('b.md'), changes: [{ op: 'body' as const, text: 'B2\n' }] },
        ],
      };
      await expect(writer.write(meta, () => plan)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(saves).toBe(2);
      expect([vault.read('a.md'), vault.read('b.md')]).toEqual(['A by a person\n', 'B by a person\n']);
      expect(vault.list('.roux/history').filter((name) => name.endsWith('.jsonl'))).toEqual([]);
      expect([...vault.list('.roux/journal'), ...vault.list('.roux/tmp')]).toEqual([]);
      await writer.close();
    }));

  it('F53 likewise where the line was made again on what the person saved', () =>
    withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
      let isStaged = false;
      const writer = openTestWriter({
        root: vault.root,
        // The person saves after the plan was made, before the first note is looked at again.
        files: wrapFiles(openNodeFileSystem(vault.root), (files) => ({
          rename(from, to) {
            files.rename(from, to);
            if (!to.endsWith('.json') || isStaged) return;
            isStaged = true;
            writeFileSync(vault.path('a.md'), 'A by a person\n');
            writeFileSync(vault.path('b.md'), 'B by a person\n');
          },
        })),
      });
      const plan = {
        files: [
          {
            kind: 'change' as const,
            path: notePath('a.md'),
            changes: [{ op: 'add-line' as const, section: 'Observations', line: 'mine' }],
          },
          { kind: 'change' as const, path: notePath('b.md'), changes: [{ op: 'body' as const, text: 'B2\n' }] },
        ],
      };
      await expect(writer.write(meta, () => plan)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(isStaged).toBe(true);
      expect([vault.read('a.md'), vault.read('b.md')]).toEqual(['A by a person\n', 'B by a person\n']);
      await writer.close();
    }));

  it('F53 keeps what a person saved into a note after the transaction wrote it, and before it was refused', () =>
    withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
      let [isStaged, isWritten] = [false, false];
      const writer = openTestWriter({
        root: vault.root,
        files: wrapFiles(openNodeFileSystem(vault.root), (files) => ({
          rename(from, to) {
            files.rename(from, to);
            if (to.endsWith('.json') && !isStaged) {
              isStaged = true;
              writeFileSync(vault.path('a.md'), 'A by a person\n');
            }
            if (to === 'a.md' && !isWritten) {
              isWritten = true;
              expect(vault.read('a.md')).toContain('mine');
              writeFileSync(vault.path('a.md'), 'A by a person again\n');
              writeFileSync(vault.path('b.md'), 'B by a person\n');
            }
          },
        })),
      });
      const line = { op: 'add-line' as const, section: 'Observations', line: 'mine' };
      const write = writer.write(meta, () => ({
        files: [
          { kind: 'change', path: notePath('a.md'), changes: [line] },
          { kind: 'change', path: notePath('b.md'), changes: [{ op: 'body', text: 'B2\n' }] },
        ],
      }));
      await expect(write).rejects.toMatchObject({ code: 'CONFLICT' });
      expect([vault.read('a.md'), vault.read('b.md')]).toEqual(['A by a person again\n', 'B by a person\n']);
      await writer.close();
    }));

  it('F53 likewise where the history cannot be written after all files were', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      let isSaved = false;
      const writer = openTestWriter({
        root: vault.root,
        files: wrapFiles(openNodeFileSystem(vault.root), (files) => ({
          link(from, to) {
            if (to.endsWith('.0.old') && !isSaved) {
              isSaved = true;
              writeFileSync(vault.path('a.md'), 'A by a person\n');
            }
            files.link(from, to);
          },
          append() {
            throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
          },
        })),
      });
      const change = { op: 'add-line' as const, section: 'Observations', line: 'mine' };
      const write = writer.write(meta, () => ({ files: [{ kind: 'change', path: notePath('a.md'), changes: [change] }] }));
      await expect(write).rejects.toMatchObject({ code: 'NO_SPACE' });
      expect([isSaved, vault.read('a.md')]).toEqual([true, 'A by a person\n']);
      expect([...vault.list('.roux/journal'), ...vault.list('.roux/tmp')]).toEqual([]);
      await writer.close();
    }));

  it('F53 leaves no staged copy beside a file that is on another device than .roux, also where it could not be removed at once', async () => {
    const disk = simulatedDisk({ 'sub/a.md': 'A\n' }, { devices: ['sub'] });
    const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(1) });
    let isHit = false;
    disk.onCall(({ method, path }) => {
      if (method !== 'remove' || !path.startsWith('sub/new/.roux-') || isHit || disk.all()[path] === undefined) return;
      isHit = true;
      throw failure('EIO', path);
    });
    const write = writer.write(meta, () => ({ files: [{ kind: 'create', path: 'sub/new/n.md', text: 'N\n' }] }));
    await expect(write).rejects.toMatchObject({ code: 'IO_ERROR' });
    expect([isHit, disk.visible(), disk.residue()]).toEqual([true, { 'sub/a.md': 'A\n' }, []]);
    expect(disk.files.stat('sub/new')).toBeNull();
    await writer.close();
  });
});
