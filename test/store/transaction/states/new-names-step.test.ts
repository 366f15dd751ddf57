import { describe, expect, it } from 'vitest';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import type { Intent, Step } from '../../../../src/store/transaction/intent.ts';
import { makeNewNames } from '../../../../src/store/transaction/new-names.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { DiskCall, DiskTraits, SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../../support/simulated/simulated-lock.ts';

const id = 'a'.repeat(26);
const own = (name: string): string => `.roux/journal/${id}.${name}`;
const [old, changed] = [hashOf('old'), hashOf('new')];
type Move = Extract<Step, { kind: 'move' }>;
const create = (path: string): Step => ({ kind: 'create', path, after: changed });
const move = (from: string, to: string, more: Partial<Move> = {}): Move => ({
  kind: 'move',
  from,
  to,
  before: old,
  after: old,
  changes: null,
  isCommutative: false,
  over: null,
  keepsFrom: false,
  ...more,
});

interface Given {
  readonly isRepeat?: boolean;
  readonly traits?: DiskTraits;
  readonly folders?: readonly string[];
  readonly prepare?: (disk: SimulatedDisk) => void;
  readonly onCall?: (call: DiskCall, disk: SimulatedDisk) => void;
}

/** Makes the new names of steps on a disk with these files. */
async function make(steps: readonly Step[], files: Readonly<Record<string, string>>, given: Given = {}) {
  const disk = simulatedDisk(files, given.traits);
  let checks = 0;
  const { under, changesOf } = simulatedLock(disk, { lock: { check: async () => void checks++ } });
  given.prepare?.(disk);
  const intent: Intent = { format: 1, id, operation: '', agent: '', timestamp: '', steps, events: [], folders: given.folders ?? [] };
  const touched = new Set<string>();
  disk.onCall((call) => given.onCall?.(call, disk));
  let error: unknown = null;
  const changes = await changesOf(async () => {
    try {
      await makeNewNames({ under, intent, isRepeat: given.isRepeat ?? false, touched });
    } catch (thrown) {
      error = thrown;
    }
  });
  disk.onCall(null);
  return { disk, changes, checks, error, touched: [...touched], visible: disk.visible(), all: disk.all() };
}

const link = (from: string, to: string) => (disk: SimulatedDisk) => disk.files.link(from, to);
const exists = (path: string) => expect.objectContaining({ code: 'NODE_EXISTS', details: { path, existing: path } });
const conflict = expect.objectContaining({ code: 'CONFLICT' });

it('F01 folders come first, then each new name, under the lock; what gets none is left alone', async () => {
  const steps: readonly Step[] = [
    create('x/n.md'),
    { kind: 'replace', path: 'a.md', before: old, after: changed, changes: null, isCommutative: false },
    move('a.md', 'b.md'),
    move('c.md', 'c.md'),
    { kind: 'remove', path: 'd.md', before: old, trash: null },
  ];
  const { changes, checks, touched, error } = await make(steps, { 'a.md': 'old', 'c.md': 'C', [own('0')]: 'new' }, { folders: ['x'] });
  expect([error, checks, touched]).toEqual([null, 5, ['x/n.md', 'b.md']]);
  expect(changes).toEqual(['makeFolder x', 'syncFolder ', 'link x/n.md', 'link b.md']);
});

describe('a new file', () => {
  it('F09 F19 whose name is taken is refused, but where it is the staged one, or after a crash as good as that', async () => {
    const files = { [own('0')]: 'new', 'b.md': 'B' };
    for (const isRepeat of [false, true]) {
      const linked = await make([create('n.md')], files, { isRepeat, prepare: link(own('0'), 'n.md') });
      expect([linked.error, linked.touched]).toEqual([null, ['n.md']]);
      expect((await make([create('n.md')], { ...files, 'n.md': 'mine' }, { isRepeat })).error).toEqual(exists('n.md'));
      const same = await make([create('n.md')], { ...files, 'n.md': 'new' }, { isRepeat });
      expect(same.error).toEqual(isRepeat ? null : exists('n.md'));
    }
  });

  it('F05 is not taken for made where the disk fails', async () => {
    const onCall = ({ method, path }: DiskCall): void => {
      if (method === 'link') throw failure('EIO', path);
    };
    const { error } = await make([create('n.md')], { [own('0')]: 'new' }, { onCall, prepare: link(own('0'), 'n.md') });
    expect(error).toMatchObject({ code: 'EIO' });
  });
});

describe('a move', () => {
  it('F01 gives the file itself its new name, or what was staged for it', async () => {
    const same = await make([move('a.md', 'b.md')], { 'a.md': 'old' });
    expect([same.visible, same.touched, same.disk.files.stat('b.md')?.ino]).toEqual([
      { 'a.md': 'old', 'b.md': 'old' },
      ['b.md'],
      same.disk.files.stat('a.md')?.ino,
    ]);
    const other = move('a.md', 'b.md', { after: changed });
    expect((await make([other], { 'a.md': 'old', [own('0')]: 'new' })).visible).toEqual({ 'a.md': 'old', 'b.md': 'new' });
    expect((await make([other], { 'z.md': 'Z', [own('0')]: 'new' })).visible).toEqual({ 'b.md': 'new', 'z.md': 'Z' });
  });

  it('F09 of a file that is gone is done where the new name is there, and else a conflict', async () => {
    expect((await make([move('a.md', 'b.md')], { 'b.md': 'old' })).error).toBeNull();
    for (const [to, files, traits] of [
      ['b.md', { 'z.md': 'Z' }, {}],
      ['b.md', { 'z.md': 'Z', [own('0.old')]: 'old' }, {}],
      ['A.md', { 'z.md': 'Z' }, { ignoresCase: true }],
    ] as const) {
      const { error, visible } = await make([move('a.md', to)], files, { traits });
      expect([error, visible]).toEqual([conflict, { 'z.md': 'Z' }]);
    }
    const between = await make([move('a.md', 'A.md')], { 'z.md': 'Z', [own('0.old')]: 'old' }, { traits: { ignoresCase: true } });
    expect([between.error, between.visible]).toEqual([null, { 'A.md': 'old', 'z.md': 'Z' }]);
  });

  it('F19 onto a name that is taken is refused, but where that is the file itself or what was staged', async () => {
    const to = move('a.md', 'b.md');
    expect((await make([to], { 'a.md': 'old' }, { prepare: link('a.md', 'b.md') })).error).toBeNull();
    expect((await make([to], { 'a.md': 'old', 'b.md': 'mine' }, { isRepeat: true })).error).toEqual(exists('b.md'));
    expect((await make([to], { 'a.md': 'old', 'b.md': 'old' })).error).toEqual(exists('b.md'));
    expect((await make([to], { 'a.md': 'old', 'b.md': 'old' }, { isRepeat: true })).error).toBeNull();
    const onCall = ({ method, path }: DiskCall): void => {
      if (method === 'link') throw failure('EIO', path);
    };
    expect((await make([to], { 'a.md': 'old' }, { onCall, prepare: link('a.md', 'b.md') })).error).toMatchObject({ code: 'EIO' });
  });

  it('F32 to another case of the name goes through the journal where the disk ignores case, and only there', async () => {
    const traits = { ignoresCase: true };
    const step = move('a.md', 'A.md');
    const same = await make([step], { 'a.md': 'old' }, { traits });
    expect([same.error, same.visible, same.changes]).toEqual([
      null,
      { 'A.md': 'old' },
      ['link A.md', `rename ${own('0.old')}`, 'rename A.md'],
    ]);
    const image = { [own('0')]: 'new' };
    const other = await make([{ ...step, after: changed }], { 'a.md': 'old', ...image }, { traits });
    expect([other.error, other.all]).toEqual([null, { 'A.md': 'new', [own('0.old')]: 'old', ...image }]);
    expect((await make([step], { 'a.md': 'old', 'A.md': 'mine' })).error).toEqual(exists('A.md'));
    // A name that was taken for an instant is taken.
    const onCall = (call: DiskCall): void => {
      if (call.method === 'link') throw failure('EEXIST', call.path);
    };
    expect((await make([step], { 'a.md': 'old' }, { onCall })).error).toEqual(exists('A.md'));
  });
});

describe('a move to a name that another file leaves', () => {
  const step = move('a.md', 'b.md', { after: changed, over: old });
  const files = { 'a.md': 'A', 'b.md': 'old', [own('0')]: 'new' };

  it('F01 takes the place of that file, which is kept', async () => {
    const { error, visible, all, touched } = await make([step], files);
    expect([error, visible, all[own('0.over')], touched]).toEqual([null, { 'a.md': 'A', 'b.md': 'new' }, 'old', ['b.md']]);
  });

  it('F09 is not made twice', async () => {
    const done = await make([step], { ...files, 'b.md': 'new' }, { isRepeat: true });
    expect([done.error, done.changes]).toEqual([null, []]);
    const { 'b.md': _, ...rest } = files;
    const written = await make([step], { ...rest, [own('0')]: 'mine' }, { prepare: link(own('0'), 'b.md') });
    expect([written.error, written.changes]).toEqual([null, []]);
  });

  it('F19 is a conflict where a person has saved or removed that file, before or in the instant', async () => {
    const { 'b.md': _, ...rest } = files;
    for (const given of [rest, { ...files, 'b.md': 'mine' }]) {
      const { error, changes } = await make([step], given);
      expect([error, changes]).toEqual([conflict, []]);
    }
    for (const how of ['in-place', 'rename'] as const) {
      const onCall = (call: DiskCall, disk: SimulatedDisk): void => {
        if (how === 'rename' ? call.method === 'stat' && call.path === own('0.over') : call.method === 'rename' && call.path === 'b.md')
          disk.save('b.md', 'mine', how);
      };
      const { error, all } = await make([step], files, { onCall });
      expect([error, Object.values(all)]).toEqual([conflict, expect.arrayContaining(['mine'])]);
    }
  });
});
