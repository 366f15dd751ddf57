import { expect, it } from 'vitest';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { removedConcurrently, isListed, isOneFile, isStagedFile, savedConcurrently } from '../../../src/store/transaction/step-context.ts';
import type { StepContext } from '../../../src/store/transaction/step-context.ts';
import { syncFoldersOf } from '../../../src/store/transaction/under-lock.ts';
import { failure, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { DiskTraits } from '../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../support/simulated/simulated-lock.ts';

function contextOn(files: Readonly<Record<string, string>>, isRepeat: boolean, traits?: DiskTraits) {
  const disk = simulatedDisk(files, traits);
  const { under, changesOf } = simulatedLock(disk);
  const intent = { format: 1, id: 'a'.repeat(26), operation: '', agent: '', timestamp: '', steps: [], events: [], folders: [] } as const;
  const context: StepContext = { under, intent, isRepeat, touched: new Set() };
  return { disk, context, under, changesOf };
}

it('F01 two names are of one file where device and inode are the same', () => {
  const { disk } = contextOn({ 'a.md': 'A', 'b.md': 'A' }, false, { devices: ['other'] });
  disk.files.link('a.md', 'c.md');
  const [a, b, c] = ['a.md', 'b.md', 'c.md'].map((path) => disk.files.stat(path));
  expect([isOneFile(a!, c!), isOneFile(a!, b!), isOneFile(a!, null), isOneFile(null, a!), isOneFile(null, null)]).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(isOneFile(a!, { ...a!, dev: 9n })).toBe(false);
});

it('F09 a file is the staged one by its inode, and after a crash also by its bytes', () => {
  for (const isRepeat of [false, true]) {
    const { disk, context } = contextOn({ image: 'new', 'same.md': 'new', 'other.md': 'old' }, isRepeat);
    disk.files.link('image', 'linked.md');
    const isStaged = (path: string, after: string | null = hashOf('new')): boolean =>
      isStagedFile(context, { image: 'image', path, after });
    expect([isStaged('linked.md'), isStaged('same.md'), isStaged('other.md'), isStaged('none.md'), isStaged('same.md', null)]).toEqual([
      true,
      isRepeat,
      false,
      false,
      false,
    ]);
  }
});

it('F32 a folder lists a name only as it is written', () => {
  const { context } = contextOn({ 'Note.md': '', 'sub/a.md': '' }, false, { ignoresCase: true });
  const paths = ['Note.md', 'note.md', 'sub/a.md', 'sub/A.md', 'a.md', 'none/a.md'];
  expect(paths.filter((path) => isListed(context, path))).toEqual(['Note.md', 'sub/a.md']);
});

it('F19 what a person did meanwhile is told with the path', () => {
  for (const error of [savedConcurrently('a.md'), removedConcurrently('a.md')])
    expect(error).toMatchObject({ code: 'CONFLICT', details: { path: 'a.md' }, message: expect.stringContaining('a.md was') });
});

it('F04 each folder of some paths is synced once, and one that is gone keeps no names', async () => {
  const { disk, under, changesOf } = contextOn({ 'x/a.md': '', 'x/b.md': '', 'c.md': '' }, false);
  const paths = ['x/a.md', 'x/b.md', 'c.md', 'gone/d.md'];
  expect(await changesOf(() => syncFoldersOf(under, paths))).toEqual(['syncFolder x', 'syncFolder ', 'syncFolder gone']);
  expect(await changesOf(() => syncFoldersOf({ ...under, isSynced: false }, paths))).toEqual([]);
  disk.onCall(({ path }) => {
    if (path === 'x') throw failure('EIO', path);
  });
  await expect(syncFoldersOf(under, paths)).rejects.toMatchObject({ code: 'EIO' });
});
