import { expect, it } from 'vitest';
import { upTo } from '../../support/effort.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import type { TestWriter } from '../../support/open-test-writer.ts';
import { Killed, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { testPorts } from '../../support/test-ports.ts';

const meta = { operation: 'test', agent: 'ada' };

function openWriter(disk: SimulatedDisk, pid = 1): TestWriter {
  return openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(pid), ports: testPorts() });
}

const move = (from: string, to: string) => () => ({ files: [{ kind: 'move', from, to, changes: [] } as const] });

it('F32 a note gets another case on a disk that ignores it, and on one that does not, also where the process is killed on the way', async () => {
  for (const changes of [[], [{ op: 'set', key: ['title'], value: 'note' }]] as const) {
    for (const ignoresCase of [true, false]) {
      const before = { 'Note.md': 'N\n', 'b.md': 'B\n' };
      const files = [{ kind: 'move', from: 'Note.md', to: 'note.md', changes }] as const;
      const whole = simulatedDisk(before, { ignoresCase });
      const writer = openWriter(whole);
      await writer.write(meta, () => ({ files }));
      await writer.close();
      const after = whole.visible();
      expect(after, String(ignoresCase)).toEqual({ 'note.md': changes.length === 0 ? 'N\n' : '---\ntitle: note\n---\nN\n', 'b.md': 'B\n' });
      for (const at of upTo(whole.calls.length)) {
        const disk = simulatedDisk(before, { ignoresCase });
        disk.onCall(({ index }) => {
          if (index === at) throw new Killed();
        });
        await openWriter(disk)
          .write(meta, () => ({ files }))
          .catch(() => undefined);
        const next = disk.afterKill();
        await openWriter(next, 2).recover();
        expect([before, after], `ignores case: ${ignoresCase}, killed at call ${at}`).toContainEqual(next.visible());
      }
    }
  }
});

it('F19 a file that a person makes at the new name of a move at the last moment is not written over, whatever its case', async () => {
  for (const to of ['other.md', 'note.md']) {
    const disk = simulatedDisk({ 'Note.md': 'N\n' });
    const writer = openWriter(disk);
    let isMade = false;
    disk.onCall(({ method, path }) => {
      if (method !== 'link' || path !== to || isMade) return;
      isMade = true;
      disk.save(to, 'by a person\n');
    });
    await expect(writer.write(meta, move('Note.md', to))).rejects.toMatchObject({ code: 'NODE_EXISTS' });
    expect(isMade).toBe(true);
    expect(disk.visible()).toEqual({ 'Note.md': 'N\n', [to]: 'by a person\n' });
    await writer.close();
  }
});

it('H-09 a transaction takes no folder along that is none of the vault, and none that holds anything', async () => {
  const disk = simulatedDisk({ 'a/n.md': 'N\n', 'a/deep/.keep': '', 'b/m.md': 'M\n' });
  disk.files.makeFolder('.hidden', false);
  disk.files.makeFolder('b/empty', false);
  const writer = openWriter(disk);
  const files = [
    { kind: 'move', from: 'a/n.md', to: 'n.md', changes: [] },
    { kind: 'move', from: 'b/m.md', to: 'm.md', changes: [] },
  ] as const;
  await writer.write(meta, () => ({ files, emptied: ['.hidden', 'a', '..'], vacated: ['.hidden', 'b'] }));
  const isThere = (folder: string): boolean => disk.files.stat(folder)?.kind === 'folder';
  expect(['.hidden', 'a/deep', 'b/empty'].filter((folder) => !isThere(folder))).toEqual([]);
  await writer.write(meta, () => ({ files: [{ kind: 'move', from: 'm.md', to: 'o.md', changes: [] }], emptied: ['b'] }));
  expect(isThere('b')).toBe(false);
  await writer.close();
});

it('F32 a move of a note to its own name with a change makes the change', async () => {
  const disk = simulatedDisk({ 'note.md': 'N\n', 'b.md': 'B\n' });
  const writer = openWriter(disk);
  const files = [{ kind: 'move', from: 'note.md', to: 'note.md', changes: [{ op: 'set', key: ['title'], value: 'new' }] }] as const;
  await writer.write(meta, () => ({ files }));
  expect(disk.visible()).toEqual({ 'note.md': '---\ntitle: new\n---\nN\n', 'b.md': 'B\n' });
  await writer.close();
});
