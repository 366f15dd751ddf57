import { describe, expect, it } from 'vitest';
import { isSpareName, linkNewFile, replaceFile, spareNames } from '../../../src/store/transaction/replace-file.ts';
import { failure, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { DiskTraits } from '../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../support/simulated/simulated-lock.ts';

const id = 'a'.repeat(26);
const spare = spareNames(id, 3);
const [image, old, temporary, beside] = ['.roux/journal/image', '.roux/journal/old', `.roux/journal/${id}.3.new`, `sub/.roux-${id}.3`];
const names = { image, path: 'sub/a.md', spare };
const disks: Readonly<Record<string, DiskTraits>> = {
  'with hard links': {},
  'without hard links': { hasHardLinks: false },
  'with .roux on another device': { devices: ['.roux'] },
};

/** A disk with a staged image, and with `sub/a.md` where a text of it is given. */
function given(traits: DiskTraits, { text, ...files }: { readonly text?: string; readonly [path: string]: string | undefined } = {}) {
  const others = Object.fromEntries(Object.entries(files).flatMap(([path, other]) => (other === undefined ? [] : [[path, other]])));
  const disk = simulatedDisk({ 'sub/b.md': 'B', [image]: 'new', ...(text === undefined ? {} : { 'sub/a.md': text }), ...others }, traits);
  return { disk, ...simulatedLock(disk) };
}

it('F01 the names that a step uses for an instant are known again', () => {
  expect([spare.temporary, spare.beside('sub/x/a.md'), spare.beside('a.md')]).toEqual([temporary, `sub/x/.roux-${id}.3`, `.roux-${id}.3`]);
  expect([`${id}.3`, `${id}.12`, `${id}.old`, `x${id}.3`, `${id}.3x`].map(isSpareName)).toEqual([true, true, false, false, false]);
});

describe('a new file', () => {
  const copied = [`link sub/a.md`, `remove ${beside}`, `create ${beside}`, `sync ${beside}`, 'link sub/a.md'];
  const calls: Readonly<Record<string, readonly string[]>> = {
    'with hard links': ['link sub/a.md'],
    'without hard links': [...copied, 'rename sub/a.md', `remove ${beside}`, 'syncFolder sub'],
    'with .roux on another device': [...copied, `remove ${beside}`, 'syncFolder sub'],
  };
  it.each(Object.entries(disks))('F01 gets its name at once, on a disk %s', async (name, traits) => {
    const { disk, under, changesOf } = given(traits, { [beside]: 'of an earlier attempt' });
    if (name === 'with hard links') disk.remove(beside);
    expect(await changesOf(() => linkNewFile(under, names))).toEqual(calls[name]);
    expect(disk.visible()).toEqual({ 'sub/a.md': 'new', 'sub/b.md': 'B' });
    expect(disk.residue()).toEqual([image]);
  });

  it.each(Object.entries(disks))('F19 takes the place of no other, on a disk %s', async (_, traits) => {
    const { disk, under } = given(traits, { text: 'by a person' });
    await expect(linkNewFile(under, names)).rejects.toMatchObject({ code: 'EEXIST' });
    expect([disk.visible(), disk.residue()]).toEqual([{ 'sub/a.md': 'by a person', 'sub/b.md': 'B' }, [image]]);
  });

  it('F05 is not made in another way where the disk fails, and leaves no copy', async () => {
    for (const [traits, count] of [
      [{}, 1],
      [{ hasHardLinks: false }, 2],
      [{ devices: ['.roux'] }, 2],
    ] as const) {
      const { disk, under } = given(traits);
      let links = 0;
      disk.onCall(({ method, path }) => {
        if (method === 'link' && ++links === count) throw failure('EIO', path);
      });
      await expect(linkNewFile(under, names)).rejects.toMatchObject({ code: 'EIO' });
      expect([disk.visible(), disk.residue()]).toEqual([{ 'sub/b.md': 'B' }, [image]]);
    }
    const { disk, under } = given({ devices: ['.roux'] });
    let links = 0;
    disk.onCall(({ method }) => {
      if (method === 'link' && ++links === 1) {
        disk.remove(image);
        throw failure('EXDEV', image);
      }
    });
    await expect(linkNewFile(under, names)).rejects.toMatchObject({ code: 'ENOENT', path: image });
  });

  it('F01 is not synced where writing is relaxed', async () => {
    const { disk } = given({ hasHardLinks: false });
    const { under, changesOf } = simulatedLock(disk, { isSynced: false });
    const changes = await changesOf(() => linkNewFile(under, names));
    expect(changes.filter((call) => call.startsWith('sync'))).toEqual([]);
  });
});

describe('a file in the place of another', () => {
  const replaced = { ...names, old };
  const linked = [`link ${temporary}`, `link ${old}`];
  const besides = [`remove ${temporary}`, `remove ${beside}`, `create ${beside}`, `sync ${beside}`, 'rename sub/a.md'];
  const copies = [`remove ${old}.part`, `create ${old}.part`, `sync ${old}.part`, `rename ${old}`];
  const calls: Readonly<Record<string, readonly string[]>> = {
    'with hard links': [...linked, 'rename sub/a.md'],
    'without hard links': [linked[0]!, `create ${temporary}`, `sync ${temporary}`, linked[1]!, ...copies, 'rename sub/a.md'],
    'with .roux on another device': [...linked, ...copies, 'rename sub/a.md', ...besides],
  };
  it.each(Object.entries(disks))('F01 is never half there, and what it displaces is kept, on a disk %s', async (name, traits) => {
    const { disk, under, changesOf } = given(traits, { text: 'before' });
    const before = disk.files.stat('sub/a.md')?.ino;
    expect(await changesOf(async () => expect(await replaceFile(under, replaced)).toBe(true))).toEqual(calls[name]);
    expect(disk.visible()).toEqual({ 'sub/a.md': 'new', 'sub/b.md': 'B' });
    expect([disk.residue().toSorted(), disk.all()[old]]).toEqual([[image, old], 'before']);
    expect(disk.files.stat(old)?.ino === before).toBe(name === 'with hard links');
  });

  it('F09 takes over from an attempt that a crash has cut short', async () => {
    const { disk, under } = given({}, { text: 'before', [temporary]: 'earlier', [old]: 'earlier', [beside]: 'earlier' });
    expect(await replaceFile(under, replaced)).toBe(true);
    expect(disk.all()).toMatchObject({ 'sub/a.md': 'new', [old]: 'before', [beside]: 'earlier' });
    expect(disk.all()[temporary]).toBeUndefined();
  });

  it('F19 displaces nothing where the file was removed, or another one has its name, since its second name was made', async () => {
    for (const text of [null, 'by a person']) {
      const { disk, under } = given({}, { text: 'before' });
      disk.onCall(({ method, path }) => {
        if (method !== 'stat' || path !== old) return;
        if (text === null) disk.remove('sub/a.md');
        else disk.save('sub/a.md', text, 'rename');
      });
      expect(await replaceFile(under, replaced)).toBe(false);
      expect(disk.visible()).toEqual({ 'sub/b.md': 'B', ...(text === null ? {} : { 'sub/a.md': text }) });
      expect(disk.residue()).toEqual([image]);
    }
  });

  it('F05 leaves no spare name where the disk fails', async () => {
    for (const [name, failing] of [
      ['with hard links', `link ${old}`],
      ['with hard links', 'rename sub/a.md'],
      ['with .roux on another device', `create ${beside}`],
    ] as const) {
      const { disk, under } = given(disks[name]!, { text: 'before' });
      let isHit = false;
      disk.onCall(({ method, path }) => {
        if (isHit || `${method} ${path}` !== failing) return;
        isHit = true;
        throw failure('EIO', path);
      });
      await expect(replaceFile(under, replaced), failing).rejects.toMatchObject({ code: 'EIO' });
      expect(disk.visible()['sub/a.md']).toBe('before');
      expect(disk.residue().filter((path) => path !== image && path !== old)).toEqual([]);
    }
    const { disk, under } = given({ devices: ['.roux'] }, { text: 'before' });
    let renames = 0;
    disk.onCall(({ method, path }) => {
      if (method === 'rename' && path === 'sub/a.md' && ++renames === 2) throw failure('EIO', path);
    });
    await expect(replaceFile(under, replaced)).rejects.toMatchObject({ code: 'EIO' });
    expect(disk.residue().toSorted()).toEqual([image, old]);
  });
});
