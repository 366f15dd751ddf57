import { statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { copyName, writeConflictCopy, openSecondLooks } from '../../../src/store/transaction/conflict-copy.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { failure, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../support/simulated/simulated-lock.ts';
import { inSimulatedTime } from '../../support/simulated/simulated-time.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };

it('a conflict copy is a file of its own: it can be written, and what is kept for undo does not change with it', () =>
  withVault({ 'a.md': 'first\n' }, async (vault) => {
    let isSaved = false;
    const writer = openTestWriter({
      root: vault.root,
      // A person saves at the last moment before the new text takes the place of the old one.
      files: wrapFiles(openNodeFileSystem(vault.root), (files) => ({
        rename(from, to) {
          if (to === 'a.md' && !isSaved) {
            isSaved = true;
            writeFileSync(vault.path(to), 'by a person\n');
          }
          files.rename(from, to);
        },
      })),
    });
    const path = toNotePath('a.md');
    if (path === null) throw new Error('no path');
    const etag = writer.graph.get('a.md')?.hash ?? '';
    const replace = { kind: 'change' as const, path, changes: [{ op: 'body' as const, text: 'by an agent\n' }], expect: { etag } };
    const { warnings } = await writer.write(meta, () => ({ files: [replace] }));
    const copy = vault.files().find((file) => file.includes('.sync-conflict-')) ?? '';
    expect(warnings.join()).toContain(copy);
    expect(vault.read(copy)).toBe('by a person\n');
    expect(statSync(vault.path(copy)).nlink).toBe(1);

    writer.index([copy]);
    const copyPath = toNotePath(copy);
    if (copyPath === null) throw new Error('no path');
    await writer.write(meta, () => ({ files: [{ kind: 'change', path: copyPath, changes: [{ op: 'body', text: 'merged by hand\n' }] }] }));
    expect(vault.read(copy)).toBe('merged by hand\n');
    const kept = vault.list('.roux/history/batches').map((name) => vault.read(`.roux/history/batches/${name}`));
    expect(kept.filter((text) => text === 'by a person\n')).toHaveLength(2);
    await writer.close();
    expect([...vault.list('.roux/journal'), ...vault.list('.roux/tmp')]).toEqual([]);
  }));

it('F19 a conflict copy is named after its note and the second, and numbered where that is taken', () => {
  const nameOf = (path: string, count = 1): string => copyName(path, '2026-01-31T09:05:07.123Z', count);
  expect([1, 2, 3].map((count) => nameOf('a.b/note.md', count))).toEqual([
    'note.sync-conflict-20260131-090507.md',
    'note.sync-conflict-20260131-090507-2.md',
    'note.sync-conflict-20260131-090507-3.md',
  ]);
  expect(['a.b/README', '.env', 'a.md', 'a.tar.gz'].map((path) => nameOf(path))).toEqual([
    'README.sync-conflict-20260131-090507',
    '.env.sync-conflict-20260131-090507',
    'a.sync-conflict-20260131-090507.md',
    'a.tar.sync-conflict-20260131-090507.gz',
  ]);
  const long = nameOf(`${'ä'.repeat(120)}.md`);
  expect(long).toMatch(/^ä+\.sync-conflict-20260131-090507\.md$/);
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255);
});

it('F19 a conflict copy that is there with the same bytes is enough; what only looks like one is not', async () => {
  const mark = '.sync-conflict-20250101-000000';
  const decoys = {
    [`b${mark}.md`]: 'saved\n',
    [`a${mark}.txt`]: 'saved\n',
    [`sub/a${mark}.md`]: 'saved\n',
    [`a${mark}-2.md`]: 'other!\n',
    [`a${mark}-3.md`]: 'SAVED\n',
    [`a${mark}-4.md/x.md`]: 'a folder of such a name\n',
  };
  const disk = simulatedDisk({ 'a.md': 'A\n', ...decoys });
  const access = { files: disk.files, isSynced: true, ports: testPorts() };
  disk.save('.roux/source', 'saved\n');
  const copy = await writeConflictCopy(access, { source: '.roux/source', path: 'a.md' });
  expect(Object.keys(decoys)).not.toContain(copy);
  expect(disk.visible()).toEqual({ 'a.md': 'A\n', ...decoys, [copy]: 'saved\n' });
  expect(await writeConflictCopy(access, { source: '.roux/source', path: 'a.md' })).toBe(copy);
  expect(disk.visible()).toEqual({ 'a.md': 'A\n', ...decoys, [copy]: 'saved\n' });
});

describe('a conflict copy', () => {
  const source = '.roux/journal/source';
  const kept = { source, path: 'sub/a.md' };

  it('F04 F19 is made whole before it has its name, and is durable', async () => {
    const disk = simulatedDisk({ 'sub/a.md': 'A', [source]: 'mine', [`${source}.copy`]: 'of an earlier attempt' });
    const { under, changesOf } = simulatedLock(disk);
    let copy = '';
    const changes = await changesOf(async () => {
      copy = await writeConflictCopy(under, kept);
    });
    expect(copy).toMatch(/^sub\/a\.sync-conflict-\d{8}-\d{6}\.md$/);
    const staged = `${source}.copy`;
    expect(changes).toEqual([
      `remove ${staged}`,
      `create ${staged}`,
      `sync ${staged}`,
      `link ${copy}`,
      `remove ${staged}`,
      'syncFolder sub',
    ]);
    expect(disk.all()).toEqual({ 'sub/a.md': 'A', [source]: 'mine', [copy]: 'mine' });
    // The one that is there is enough, once it is durable.
    expect(await changesOf(async () => expect(await writeConflictCopy(under, kept)).toBe(copy))).toEqual(['syncFolder sub']);
  });

  it('F19 gets the next name where one is taken', async () => {
    const disk = simulatedDisk({ 'sub/a.md': 'A', [source]: 'mine' });
    const { under } = simulatedLock(disk);
    let tries = 0;
    disk.onCall(({ method, path }) => {
      if (method === 'link' && ++tries < 3) throw failure('EEXIST', path);
    });
    expect(await writeConflictCopy(under, kept)).toMatch(/-\d{6}-3\.md$/);
  });

  it('F05 is refused where its text is gone, the disk fails, or the program does', async () => {
    const { under } = simulatedLock(simulatedDisk({ 'sub/a.md': 'A' }));
    await expect(writeConflictCopy(under, kept)).rejects.toMatchObject({ code: 'IO_ERROR', message: expect.stringContaining('sub/a.md') });
    const disk = simulatedDisk({ 'sub/a.md': 'A', 'sub/a.sync-conflict-20200101-000000.md': 'mine', [source]: 'mine' });
    const { under: other } = simulatedLock(disk);
    disk.onCall(({ method, path }) => {
      if (method === 'read' && path.includes('sync-conflict')) throw new TypeError('a fault of the program');
    });
    await expect(writeConflictCopy(other, kept)).rejects.toThrow('a fault of the program');
    disk.onCall(({ method, path }) => {
      if (method === 'read' && path.includes('sync-conflict')) throw failure('EACCES', path);
      if (method === 'link') throw failure('EIO', path);
    });
    await expect(writeConflictCopy(other, kept)).rejects.toMatchObject({ code: 'EIO' });
  });
});

describe('a second look at displaced files', () => {
  const file = (name: string): string => `.roux/history/batches/${name}`;
  const displaced = (name: string, path = `${name}.md`) => ({ file: file(name), hash: hashOf('before'), before: null, path });
  const names = ['same', 'gone', 'late', 'l', 'empty', 'there'];
  const texts = {
    [file('same')]: 'before',
    [file('late')]: 'late',
    [file('l')]: 'l',
    [file('empty')]: '',
    [file('there')]: 'there',
    'there.md': 'there',
    'late.md': 'after',
  };

  function looksAt(files: Readonly<Record<string, string>> = texts) {
    const disk = simulatedDisk(files);
    const { under, log } = simulatedLock(disk);
    const told: (readonly string[])[] = [];
    const looks = openSecondLooks(under, (paths, warnings) => void told.push(paths, warnings));
    return { disk, under, log, told, looks };
  }

  it('F56 keeps beside the note what an editor wrote into one, and no file under a name that says otherwise', async () => {
    const { disk, told, looks } = looksAt();
    looks.after(names.map((name) => displaced(name)));
    await looks.close();
    const [copies = [], warnings = []] = told;
    expect([told.length, copies.map((copy) => disk.all()[copy])]).toEqual([2, ['late', 'l']]);
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(['late.md', 'l.md']);
    expect(Object.keys(disk.all()).filter((path) => path.startsWith('.roux/'))).toEqual([file('same')]);
  });

  it('F56 tells nothing where nothing was written, and of a fault in the log', async () => {
    const { told, looks } = looksAt();
    looks.after([displaced('same'), displaced('there')]);
    await looks.close();
    expect(told).toEqual([]);
    const failing = looksAt();
    failing.disk.onCall(({ method, path }) => {
      if (method === 'read') throw failure('EIO', path);
    });
    failing.looks.after([displaced('late')]);
    await failing.looks.close();
    expect(failing.log.join()).toContain('Checking displaced files failed');
  });

  it('F56 is taken two seconds later, once, or before the vault is closed', async () => {
    await inSimulatedTime(async (time) => {
      const { disk, told, looks } = looksAt();
      const reads = (): number => disk.calls.filter(({ method }) => method === 'read').length;
      looks.after([]);
      await time.pause(3_000);
      expect(reads()).toBe(0);
      looks.after([displaced('late')]);
      await time.pause(1_900);
      expect(told).toEqual([]);
      await time.pause(200);
      expect(told).toHaveLength(2);
      const taken = reads();
      await looks.close();
      expect(reads()).toBe(taken);
      looks.after([displaced('l')]);
      await looks.close();
      expect(told).toHaveLength(4);
      const closed = reads();
      await time.pause(3_000);
      expect(reads()).toBe(closed);
    });
  });

  it('F56 is taken at once for writes in a row, and for each of them about two seconds later', async () => {
    await inSimulatedTime(async (time) => {
      const { disk, told, looks } = looksAt();
      const read = (): readonly string[] => disk.calls.flatMap(({ method, path }) => (method === 'read' ? [path] : []));
      looks.after([displaced('same')]);
      await time.pause(50);
      looks.after([displaced('same')]);
      await time.pause(1_000);
      looks.after([displaced('late')]);
      await time.pause(1_000);
      expect(read()).toEqual([file('same'), file('same')]);
      expect(told).toEqual([]);
      await time.pause(1_100);
      expect(told).toHaveLength(2);
      await looks.close();
    });
  });
});
