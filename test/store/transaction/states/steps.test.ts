import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { MAX_FILE_BYTES, hashOf, stampHashOf } from '../../../../src/store/folder/hash.ts';
import type { Intent, Step } from '../../../../src/store/transaction/intent.ts';
import { runSteps } from '../../../../src/store/transaction/steps.ts';
import type { Reapply } from '../../../../src/store/transaction/under-lock.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { DiskCall, DiskTraits, SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../../support/simulated/simulated-lock.ts';

const id = 'a'.repeat(26);
const own = (name: string): string => `.roux/journal/${id}.${name}`;
const again = (attempt: number, text: string): string => own(`0.again.${attempt}.${hashOf(text).slice(0, 16)}`);
const temporary = (step: number): string => `.roux/journal/${id}.${step}.new`;
const [old, changed] = [hashOf('old\n'), hashOf('old\nmore\n')];
const fixed = { changes: null, isCommutative: false };
/** A line at the end, which can be added to any text. */
const line = { changes: ['more'], isCommutative: true };

type Move = Extract<Step, { kind: 'move' }>;
const create = (path: string): Step => ({ kind: 'create', path, after: changed });
const replace = (path: string, how: { changes: readonly string[] | null; isCommutative: boolean } = fixed): Step => ({
  kind: 'replace',
  path,
  before: old,
  after: changed,
  ...how,
});
const move = (from: string, to: string, more: Partial<Move> = {}): Move => ({
  kind: 'move',
  from,
  to,
  before: old,
  after: old,
  over: null,
  keepsFrom: false,
  ...fixed,
  ...more,
});
const remove = (path: string, trash: string | null = null): Step => ({ kind: 'remove', path, before: old, trash });
const isCall = (call: DiskCall, method: DiskCall['method'], path: string): boolean => call.method === method && call.path === path;

interface Given {
  readonly isRepeat?: boolean;
  readonly traits?: DiskTraits;
  readonly folders?: readonly string[];
  readonly reapply?: Reapply;
  readonly prepare?: (disk: SimulatedDisk) => void;
  readonly onCall?: (call: DiskCall, disk: SimulatedDisk) => void;
}

/** Carries out steps on a disk with these files. */
async function run(steps: readonly Step[], files: Readonly<Record<string, string>>, given: Given = {}) {
  const { isRepeat = false, traits, folders = [], reapply, prepare, onCall } = given;
  const disk = simulatedDisk(files, traits);
  let checks = 0;
  const lock = { check: async () => void checks++ };
  const { under, changesOf } = simulatedLock(disk, { lock, ...(reapply === undefined ? {} : { reapply }) });
  prepare?.(disk);
  const intent: Intent = { format: 1, id, operation: 'test', agent: 'ada', timestamp: '', steps, events: [], folders };
  if (onCall !== undefined) disk.onCall((call) => onCall(call, disk));
  let outcome: Awaited<ReturnType<typeof runSteps>> | undefined;
  let error: unknown;
  const changes = await changesOf(async () => {
    try {
      outcome = await runSteps(under, intent, { isRepeat });
    } catch (thrown) {
      error = thrown;
    }
  });
  disk.onCall(null);
  const rewritten = [...(outcome?.rewritten ?? [])].map(([step, { before, after }]) => [step, before.toString(), after.toString()]);
  const displaced = outcome?.displaced.map(({ step, path, file, hash }) => [step, path, file, hash]);
  const texts = Object.values(disk.visible()).toSorted();
  const { warnings = [], copies = [] } = outcome ?? {};
  expect(warnings).toHaveLength(copies.length);
  for (const [index, copy] of copies.entries()) expect(warnings[index]).toContain(copy);
  return { disk, changes, checks, error, rewritten, displaced, texts, copies, visible: disk.visible(), all: disk.all() };
}

/** Does something once, at a call. */
function once(method: DiskCall['method'], path: string, act: (disk: SimulatedDisk) => void): NonNullable<Given['onCall']> {
  let isDone = false;
  return (call, disk) => {
    if (isDone || !isCall(call, method, path)) return;
    isDone = true;
    act(disk);
  };
}

const gone = { code: 'CONFLICT', message: expect.stringContaining('was removed by another program') };
const saved = { code: 'CONFLICT', message: expect.stringContaining('was saved by another program') };

describe('the steps of a transaction', () => {
  it('F01 F04 are done in their order, each under the lock, and each folder is synced before what depends on it', async () => {
    const trash = `.roux/trash/${id}/d.md`;
    const steps = [create('x/n.md'), replace('y/a.md'), move('b.md', 'x/b.md'), remove('d.md', trash), remove('z/e.md')];
    const files = {
      'y/a.md': 'old\n',
      'b.md': 'old\n',
      'd.md': 'old\n',
      'z/e.md': 'old\n',
      [own('0')]: 'old\nmore\n',
      [own('1')]: 'old\nmore\n',
    };
    const { changes, checks, visible, displaced, error } = await run(steps, files, { folders: ['x'] });
    expect(error).toBeUndefined();
    expect(changes).toEqual([
      'makeFolder x',
      'syncFolder ',
      'link x/n.md',
      'link x/b.md',
      `link ${temporary(1)}`,
      `link ${own('1.old')}`,
      'rename y/a.md',
      'syncFolder x',
      'syncFolder y',
      `rename ${own('2.old')}`,
      'makeFolder .roux/trash',
      `makeFolder .roux/trash/${id}`,
      `link ${trash}`,
      `syncFolder .roux/trash/${id}`,
      'syncFolder .roux',
      'syncFolder .roux/trash',
      `rename ${own('3.old')}`,
      `rename ${own('4.old')}`,
      'syncFolder ',
      'syncFolder z',
      'syncFolder .roux/journal',
    ]);
    // Once for each new name, each replaced file and each old name.
    expect(checks).toBe(5 + 1 + 5);
    expect(visible).toEqual({ 'x/n.md': 'old\nmore\n', 'y/a.md': 'old\nmore\n', 'x/b.md': 'old\n' });
    expect(displaced).toEqual([
      [1, 'y/a.md', own('1.old'), old],
      [2, 'b.md', own('2.old'), old],
      [3, 'd.md', own('3.old'), old],
      [4, 'z/e.md', own('4.old'), old],
    ]);
  });

  it('F04 sync the journal where a name goes, and only there', async () => {
    expect((await run([remove('a.md')], { 'a.md': 'old\n' })).changes).toEqual([
      `rename ${own('0.old')}`,
      'syncFolder ',
      'syncFolder .roux/journal',
    ]);
    expect((await run([move('x/a.md', 'b.md')], { 'x/a.md': 'old\n' })).changes).toEqual([
      'link b.md',
      'syncFolder ',
      `rename ${own('0.old')}`,
      'syncFolder x',
      'syncFolder .roux/journal',
    ]);
    expect((await run([replace('a.md')], { 'a.md': 'old\n', [own('0')]: 'old\nmore\n' })).changes).toEqual([
      `link ${temporary(0)}`,
      `link ${own('0.old')}`,
      'rename a.md',
      'syncFolder ',
    ]);
  });
});

describe('other bytes', () => {
  const image = { [own('0')]: 'old\nmore\n' };

  it('F10 are made again on what a person saved before, where they can be', async () => {
    const { visible, rewritten, displaced, all, disk } = await run([replace('a.md', line)], { 'a.md': 'mine\n', ...image });
    expect([visible, rewritten, displaced]).toEqual([
      { 'a.md': 'mine\nmore\n' },
      [[0, 'mine\n', 'mine\nmore\n']],
      [[0, 'a.md', own('0.old'), hashOf('mine\n')]],
    ]);
    expect(all[again(0, 'mine\nmore\n')]).toBe('mine\nmore\n');
    expect(disk.files.stat('a.md')?.mode).toBe(0o644);
    for (const how of [fixed, { changes: ['more'], isCommutative: false }, { changes: null, isCommutative: true }])
      expect((await run([replace('a.md', how)], { 'a.md': 'mine\n', ...image })).error).toMatchObject(saved);
  });

  it('F10 keep the mode of the file that they are made on', async () => {
    const onCall = once('stat', own('0.old'), () => undefined);
    const prepare = (disk: SimulatedDisk): void => {
      const file = disk.files.create('b.md', 0o600);
      file.write(Buffer.from('mine\n'));
      file.close();
      disk.files.rename('b.md', 'a.md');
    };
    const { disk } = await run([replace('a.md', line)], { 'a.md': 'old\n', ...image }, { onCall, prepare });
    expect(disk.files.stat('a.md')?.mode).toBe(0o600);
  });

  it('F10 are staged once for each text that a person saved, in place of what an earlier attempt has left', async () => {
    const onCall = once('stat', own('0.old'), (disk) => disk.save('a.md', 'mine\n', 'rename'));
    const files = { 'a.md': 'mine\n', ...image, [again(0, 'mine\nmore\n')]: 'half' };
    const { changes, visible } = await run([replace('a.md', line)], files, { onCall });
    expect(visible).toEqual({ 'a.md': 'mine\nmore\n' });
    expect(changes.filter((call) => call.startsWith('create'))).toEqual([`create ${again(0, 'mine\nmore\n')}`]);
  });

  it('F10 are a file of the vault also where that is away for an instant', async () => {
    const staged = again(0, 'mine\nmore\n');
    const onCall = (call: DiskCall, disk: SimulatedDisk): void => {
      if (isCall(call, 'remove', staged)) disk.remove('a.md');
      if (isCall(call, 'create', staged)) disk.save('a.md', 'mine\n');
    };
    const { disk } = await run([replace('a.md', line)], { 'a.md': 'mine\n', ...image }, { onCall });
    expect(disk.files.stat('a.md')?.mode).toBe(0o644);
  });

  it('F10 are not made where the change changes nothing on what a person saved', async () => {
    const { visible, rewritten, displaced, error } = await run(
      [replace('a.md', line)],
      { 'a.md': 'mine\n', ...image },
      { reapply: () => null },
    );
    expect([visible, rewritten, displaced, error]).toEqual([{ 'a.md': 'mine\n' }, [], [], undefined]);
  });

  it('F19 are given up after eight saves by a new file, each of them between two looks', async () => {
    for (const isRemoved of [false, true]) {
      let tries = 0;
      const onCall = (call: DiskCall, disk: SimulatedDisk): void => {
        if (!isCall(call, 'stat', own('0.old')) || disk.files.stat('a.md') === null) return;
        tries++;
        if (isRemoved && tries === 8) disk.remove('a.md');
        else disk.save('a.md', 'old\n', 'rename');
      };
      const { error } = await run([replace('a.md')], { 'a.md': 'old\n', ...image }, { onCall });
      expect([tries, error]).toEqual([8, expect.objectContaining(isRemoved ? gone : saved)]);
    }
  });

  it('F09 of a file that is gone are a conflict, but for a change that a crash may have come before', async () => {
    for (const isRepeat of [false, true])
      for (const how of [fixed, line]) {
        const { error } = await run([replace('a.md', how)], { 'b.md': 'B', ...image }, { isRepeat });
        expect(String(error).includes('was removed by another program')).toBe(!isRepeat || how !== line);
      }
  });

  it('F09 are not made twice', async () => {
    const done = await run([replace('a.md')], { 'a.md': 'old\nmore\n', ...image }, { isRepeat: true });
    expect([done.changes, done.displaced, done.error]).toEqual([['syncFolder '], [], undefined]);
    const swapped = await run([replace('a.md')], { 'a.md': 'old\nmore\n', [own('0.old')]: 'old\n', ...image }, { isRepeat: true });
    expect([swapped.displaced, swapped.copies]).toEqual([[[0, 'a.md', own('0.old'), old]], []]);
    // A person has written into the staged file since.
    const prepare = (disk: SimulatedDisk): void => disk.files.link(own('0'), 'a.md');
    for (const isRepeat of [false, true]) {
      const written = await run([replace('a.md')], { [own('0')]: 'mine\n', 'b.md': 'B' }, { isRepeat, prepare });
      expect([written.visible, written.error]).toEqual([{ 'a.md': 'mine\n', 'b.md': 'B' }, undefined]);
    }
    // Another file that holds neither text is no staged one.
    expect((await run([replace('a.md')], { 'a.md': 'mine\n', ...image }, { isRepeat: true })).error).toMatchObject(saved);
  });

  it('F09 keep what a person saved in the instant before a crash', async () => {
    const files = { 'a.md': 'old\nmore\n', [own('0.old')]: 'mine\n', ...image };
    const beside = await run([replace('a.md')], files, { isRepeat: true });
    expect([beside.texts, beside.copies.length, beside.displaced]).toEqual([
      ['mine\n', 'old\nmore\n'],
      1,
      [[0, 'a.md', own('0.old'), hashOf('mine\n')]],
    ]);
    const within = await run([replace('a.md', line)], files, { isRepeat: true });
    expect([within.visible, within.copies, within.rewritten]).toEqual([{ 'a.md': 'mine\nmore\n' }, [], [[0, 'mine\n', 'mine\nmore\n']]]);
    // One file under both names was not replaced yet.
    const prepare = (disk: SimulatedDisk): void => disk.files.link('a.md', own('0.old'));
    const linked = await run([replace('a.md', line)], { 'a.md': 'mine\n', ...image }, { isRepeat: true, prepare });
    expect([linked.visible, linked.copies]).toEqual([{ 'a.md': 'mine\nmore\n' }, []]);
    // Saved once more since the crash: the next replacement takes the place of what is displaced.
    for (const earlier of ['mine\n', 'm']) {
      const twice = await run([replace('a.md', line)], { ...files, 'a.md': 'second\n', [own('0.old')]: earlier }, { isRepeat: true });
      expect([twice.visible['a.md'], twice.texts, twice.copies.length]).toEqual([
        'second\nmore\n',
        [earlier, 'second\nmore\n'].toSorted(),
        1,
      ]);
    }
    const known = await run([replace('a.md', line)], { ...files, 'a.md': 'second\n', [own('0.old')]: 'old\n' }, { isRepeat: true });
    expect(known.visible).toEqual({ 'a.md': 'second\nmore\n' });
  });
});

describe('what a person saves in the instant in which a file is displaced', () => {
  const image = { [own('0')]: 'old\nmore\n' };
  const inTheInstant = (text: string) => once('rename', 'a.md', (disk) => disk.save('a.md', text));

  it('F10 gets the change where it can be made on it, durably', async () => {
    const { visible, rewritten, displaced, changes, copies, all } = await run(
      [replace('a.md', line)],
      { 'a.md': 'old\n', ...image },
      { onCall: inTheInstant('mine\n') },
    );
    expect([visible, rewritten, copies]).toEqual([{ 'a.md': 'mine\nmore\n' }, [[0, 'mine\n', 'mine\nmore\n']], []]);
    expect(displaced).toEqual([[0, 'a.md', own('0.old'), hashOf('mine\n')]]);
    expect([all[again(8, 'mine\nmore\n')], all[own('0.between')]]).toEqual(['mine\nmore\n', 'old\nmore\n']);
    expect(changes.slice(-2)).toEqual(['rename a.md', 'syncFolder ']);
  });

  it('F19 becomes a conflict copy where it cannot', async () => {
    const refuse = (): never => {
      throw new RouxError('CONFLICT', 'Not on this text.');
    };
    for (const [how, reapply] of [
      [fixed, undefined],
      [{ changes: ['more'], isCommutative: false }, undefined],
      [line, refuse],
    ] as const) {
      const given = { onCall: inTheInstant('mine\n'), ...(reapply === undefined ? {} : { reapply }) };
      const { visible, texts, copies, rewritten } = await run([replace('a.md', how)], { 'a.md': 'old\n', ...image }, given);
      expect([visible['a.md'], texts, copies.length, rewritten]).toEqual(['old\nmore\n', ['mine\n', 'old\nmore\n'], 1, []]);
    }
    const fail = (): never => {
      throw new TypeError('a fault of the program');
    };
    const failed = await run([replace('a.md', line)], { 'a.md': 'old\n', ...image }, { onCall: inTheInstant('mine\n'), reapply: fail });
    expect(failed.error).toMatchObject({ message: 'a fault of the program' });
  });

  it('F10 is there as it is where the change changes nothing of it, or there is none', async () => {
    const unchanged = await run(
      [replace('a.md', line)],
      { 'a.md': 'old\n', ...image },
      { onCall: inTheInstant('mine\n'), reapply: () => null },
    );
    expect([unchanged.visible, unchanged.copies]).toEqual([{ 'a.md': 'mine\n' }, []]);
    const none = { changes: null, isCommutative: true };
    const { visible, copies } = await run([replace('a.md', none)], { 'a.md': 'old\n', ...image }, { onCall: inTheInstant('mine\n') });
    expect([visible, copies]).toEqual([{ 'a.md': 'mine\n' }, []]);
  });

  it('F19 is needed no more where the file has it by now, or has the change made on it', async () => {
    for (const [text, how, rewritten] of [
      ['mine\n', fixed, []],
      ['mine\nmore\n', line, [[0, 'mine\n', 'mine\nmore\n']]],
    ] as const) {
      const onCall = (call: DiskCall, disk: SimulatedDisk): void => {
        if (isCall(call, 'rename', 'a.md')) disk.save('a.md', 'mine\n');
        // The second look begins.
        if (isCall(call, 'read', own('0.old')) && disk.all()['a.md'] === 'old\nmore\n') disk.save('a.md', text, 'rename');
      };
      const found = await run([replace('a.md', how)], { 'a.md': 'old\n', ...image }, { onCall });
      expect([found.visible, found.copies, found.rewritten]).toEqual([{ 'a.md': text }, [], rewritten]);
    }
  });

  it('F19 becomes a conflict copy where somebody has saved again, before or while the change is made on it', async () => {
    const before = (call: DiskCall, disk: SimulatedDisk): void => {
      if (isCall(call, 'rename', 'a.md')) disk.save('a.md', 'mine\n');
      if (isCall(call, 'read', own('0.old')) && disk.all()['a.md'] === 'old\nmore\n') disk.save('a.md', 'again\n', 'rename');
    };
    const first = await run([replace('a.md', line)], { 'a.md': 'old\n', ...image }, { onCall: before });
    expect([first.visible['a.md'], first.texts, first.rewritten]).toEqual(['again\n', ['again\n', 'mine\n'], []]);

    const removed = await run(
      [replace('a.md', line)],
      { 'a.md': 'old\n', ...image },
      {
        onCall: (call, disk) => {
          if (isCall(call, 'rename', 'a.md')) disk.save('a.md', 'mine\n');
          if (isCall(call, 'read', own('0.old')) && disk.all()['a.md'] === 'old\nmore\n') disk.remove('a.md');
        },
      },
    );
    expect([removed.texts, removed.copies.length]).toEqual([['mine\n'], 1]);

    for (const how of ['in-place', 'rename'] as const) {
      let swaps = 0;
      const onCall = (call: DiskCall, disk: SimulatedDisk): void => {
        if (isCall(call, 'rename', 'a.md') && ++swaps === 1) disk.save('a.md', 'mine\n');
        // Between the second name and the swap, or before the second name is looked at.
        if (how === 'in-place' ? isCall(call, 'rename', 'a.md') && swaps === 2 : isCall(call, 'stat', own('0.between')))
          disk.save('a.md', 'again\n', how);
      };
      const { texts, rewritten, visible } = await run([replace('a.md', line)], { 'a.md': 'old\n', ...image }, { onCall });
      expect([how, rewritten, texts]).toEqual([
        how,
        [],
        how === 'in-place' ? ['again\n', 'mine\n', 'mine\nmore\n'] : ['again\n', 'mine\n'],
      ]);
      expect(visible['a.md']).toBe(how === 'in-place' ? 'mine\nmore\n' : 'again\n');
    }
  });
});

describe('a name that goes', () => {
  it('F09 goes once, and is displaced from another device as a copy', async () => {
    const done = await run([remove('a.md')], { 'b.md': 'B' }, { isRepeat: true });
    expect([done.displaced, done.error]).toEqual([[], undefined]);
    const looked = await run([remove('a.md')], { [own('0.old')]: 'old\n' }, { isRepeat: true });
    expect(looked.displaced).toEqual([[0, 'a.md', own('0.old'), old]]);
    const unseen = await run([remove('a.md')], { [own('0.old')]: 'mine\n' }, { isRepeat: true });
    expect([unseen.texts, unseen.copies.length]).toEqual([['mine\n'], 1]);
    const { changes, all, displaced } = await run(
      [remove('a.md')],
      { 'a.md': 'old\n', [own('0.old')]: 'old\n' },
      { traits: { devices: ['.roux'] } },
    );
    expect(changes.slice(0, 6)).toEqual([
      `rename ${own('0.old')}`,
      `remove ${own('0.old')}`,
      `link ${own('0.old')}`,
      `create ${own('0.old')}`,
      `sync ${own('0.old')}`,
      'remove a.md',
    ]);
    expect([all, displaced]).toEqual([{ [own('0.old')]: 'old\n' }, [[0, 'a.md', own('0.old'), old]]]);
    const onCall = (call: DiskCall): void => {
      if (call.method === 'rename') throw failure('EIO', call.path);
    };
    expect((await run([remove('a.md')], { 'a.md': 'old\n' }, { onCall })).error).toMatchObject({ code: 'EIO' });
  });

  it('F09 of which the journal has a second name is removed, not renamed onto it', async () => {
    const prepare = (disk: SimulatedDisk): void => disk.files.link('a.md', own('0.old'));
    const { changes, all } = await run([remove('a.md')], { 'a.md': 'old\n' }, { isRepeat: true, prepare });
    expect([changes[0], all]).toEqual(['remove a.md', { [own('0.old')]: 'old\n' }]);
  });

  it('F09 F19 and was made again since a crash is displaced with its text, and what was displaced before is kept', async () => {
    const texts = async (earlier: string, now: string) => {
      const { copies, disk } = await run([remove('a.md')], { 'a.md': now, [own('0.old')]: earlier }, { isRepeat: true });
      expect(disk.files.stat('a.md')).toBeNull();
      return copies.map((copy) => disk.all()[copy]);
    };
    expect(await texts('first\n', 'second\n')).toEqual(['first\n', 'second\n']);
    expect(await texts('f', 'second\n')).toEqual(['f', 'second\n']);
    expect(await texts('old\n', 'second\n')).toEqual(['second\n']);
    expect(await texts('', 'second\n')).toEqual(['second\n']);
    expect(await texts('first\n', 'old\n')).toEqual(['first\n']);
    expect(await texts('same\n', 'same\n')).toEqual(['same\n']);
  });

  it('F19 of a moved file whose text was saved at the last moment: it is in the new name or beside it', async () => {
    const onCall = once('rename', own('0.old'), (disk) => disk.save('a.md', 'mine\n'));
    const image = { [own('0')]: 'old\nmore\n' };
    const same = await run(
      [move('a.md', 'b.md')],
      { 'a.md': 'old\n' },
      { onCall: once('rename', own('0.old'), (disk) => disk.save('a.md', 'mine\n')) },
    );
    expect([same.visible, same.copies, same.displaced]).toEqual([{ 'b.md': 'mine\n' }, [], [[0, 'a.md', own('0.old'), hashOf('mine\n')]]]);
    const beside = await run([move('a.md', 'b.md', { after: changed })], { 'a.md': 'old\n', ...image }, { onCall });
    expect([beside.visible['b.md'], beside.texts, beside.copies.length]).toEqual(['old\nmore\n', ['mine\n', 'old\nmore\n'], 1]);
    const within = await run(
      [move('a.md', 'b.md', { after: changed, ...line })],
      { 'a.md': 'old\n', ...image },
      { onCall: once('rename', own('0.old'), (disk) => disk.save('a.md', 'mine\n')) },
    );
    expect([within.visible, within.rewritten]).toEqual([{ 'b.md': 'mine\nmore\n' }, [[0, 'mine\n', 'mine\nmore\n']]]);
    const removed = await run(
      [move('a.md', 'b.md', { after: changed, ...line })],
      { 'a.md': 'old\n', ...image },
      {
        onCall: once('rename', own('0.old'), (disk) => {
          disk.save('a.md', 'mine\n');
          disk.remove('b.md');
        }),
      },
    );
    expect([removed.texts, removed.copies.length]).toEqual([['mine\n'], 1]);
  });

  it('F19 of a removed file whose text was saved at the last moment, or after it was looked at: that is beside it', async () => {
    const last = await run(
      [remove('a.md')],
      { 'a.md': 'old\n' },
      { onCall: once('rename', own('0.old'), (disk) => disk.save('a.md', 'mine\n')) },
    );
    expect([last.texts, last.copies.length]).toEqual([['mine\n'], 1]);
    const later = await run(
      [remove('a.md')],
      { 'a.md': 'old\n' },
      { onCall: once('syncFolder', '.roux/journal', (disk) => disk.save(own('0.old'), 'mine\n')) },
    );
    expect([later.texts, later.copies.length, later.displaced]).toEqual([['mine\n'], 1, [[0, 'a.md', own('0.old'), hashOf('mine\n')]]]);
  });

  it('F32 that only changes its case is left where the disk ignores it', async () => {
    const { visible, displaced } = await run([move('a.md', 'A.md')], { 'a.md': 'old\n' }, { traits: { ignoresCase: true } });
    expect([visible, displaced]).toEqual([{ 'A.md': 'old\n' }, []]);
    const told = await run([move('a.md', 'A.md')], { 'a.md': 'old\n' });
    expect([told.visible, told.displaced]).toEqual([{ 'A.md': 'old\n' }, [[0, 'a.md', own('0.old'), old]]]);
    expect((await run([move('a.md', 'a.md')], { 'a.md': 'old\n' })).visible).toEqual({ 'a.md': 'old\n' });
  });
});

describe('a file that goes into the trash', () => {
  const trash = `.roux/trash/${id}/a.md`;

  it('F09 is there once, whole, also where a crash cut its copy short', async () => {
    for (const copy of ['old\n', 'ol', '']) {
      const { all, visible, copies } = await run([remove('a.md', trash)], { 'a.md': 'old\n', [trash]: copy }, { isRepeat: true });
      expect([all[trash], visible, copies]).toEqual(['old\n', {}, []]);
    }
    const saved = await run([remove('a.md', trash)], { 'a.md': 'mine\n', [trash]: 'old\n' }, { isRepeat: true });
    expect([saved.all[trash], saved.texts]).toEqual(['old\n', ['mine\n']]);
    const torn = await run([remove('a.md', trash)], { 'a.md': 'mine\n', [trash]: 'ol' }, { isRepeat: true });
    expect([torn.all[trash], torn.texts]).toEqual(['ol', ['mine\n']]);
    const done = await run([remove('a.md', trash)], { 'b.md': 'B', [trash]: 'old\n' }, { isRepeat: true });
    expect(done.changes).toEqual(['syncFolder ', 'syncFolder .roux/journal']);
  });

  it('F05 stays where it is, where the trash takes nothing', async () => {
    const onCall = once('link', trash, () => {
      throw failure('ENOSPC', trash);
    });
    const { error, visible } = await run([remove('a.md', trash)], { 'a.md': 'old\n' }, { onCall });
    expect([error, visible]).toEqual([expect.objectContaining({ code: 'ENOSPC' }), { 'a.md': 'old\n' }]);
  });
});

describe('a file that is too large to be read', () => {
  const large = 'x'.repeat(MAX_FILE_BYTES + 1);

  /** Carries out one step on a file of this text; returns what the step displaced, and how many conflict copies it made. */
  async function take(text: string, stepOf: (hash: string) => Step, onCall: Given['onCall']) {
    const disk = simulatedDisk({ 'a.md': text });
    const { under } = simulatedLock(disk);
    const step = stepOf(text === large ? stampHashOf(disk.files.stat('a.md')!) : hashOf(text));
    disk.onCall((call) => onCall?.(call, disk));
    const intent: Intent = { format: 1, id, operation: 'test', agent: 'ada', timestamp: '', steps: [step], events: [], folders: [] };
    const { displaced, copies } = await runSteps(under, intent, { isRepeat: false });
    return { hashes: displaced.map(({ hash }) => hash), copies, step };
  }

  it('F34 has under its new name whatever is saved into it, so that nobody looks at it under the former one', async () => {
    const moved = (hash: string): Step => move('a.md', 'b.md', { before: hash, after: hash });
    const once = await take(large, moved, undefined);
    expect([once.hashes, once.copies]).toEqual([[], []]);
    // One that grows after it was looked at.
    const grows = (call: DiskCall, disk: SimulatedDisk): void => {
      if (isCall(call, 'syncFolder', '.roux/journal')) disk.save('b.md', large);
    };
    const later = await take('old\n', moved, grows);
    expect([later.hashes, later.copies]).toEqual([[old], []]);
  });

  it('F34 is known by its size and time where it is removed', async () => {
    const { hashes, copies, step } = await take(large, (hash) => ({ ...remove('a.md'), before: hash }) as Step, undefined);
    expect([hashes, copies]).toEqual([['before' in step ? step.before : ''], []]);
  });
});
