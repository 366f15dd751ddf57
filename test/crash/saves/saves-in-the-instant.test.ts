import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/vault/plan/plan.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { Killed, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { DiskCall, DiskTraits, SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { notePath } from '../scenarios.ts';

const line = { op: 'add-line', section: 'Observations', line: 'of an agent' } as const;
const body = { op: 'body', text: 'All of it by an agent\n' } as const;
const change = (path: string, made: typeof line | typeof body): Plan['files'][number] => ({
  kind: 'change',
  path: notePath(path),
  changes: [made],
});
const move = { kind: 'move', from: 'a.md', to: 'sub/a.md', changes: [line] } as const;

/** Writes; `onCall` may save, and kills the process before a call by answering `kill`. */
async function write(disk: SimulatedDisk, files: Plan['files'], onCall: (call: DiskCall) => 'kill' | void): Promise<unknown> {
  return await running(disk, 1, onCall, (writer) => writer.write({ operation: 'test', agent: 'ada' }, () => ({ files })));
}

const restart = (disk: SimulatedDisk): Promise<unknown> =>
  running(
    disk,
    2,
    () => undefined,
    (writer) => writer.recover(),
  );

async function running(
  disk: SimulatedDisk,
  pid: number,
  onCall: (call: DiskCall) => 'kill' | void,
  work: (writer: ReturnType<typeof openTestWriter>) => Promise<unknown>,
): Promise<unknown> {
  const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(pid) });
  disk.onCall((call) => {
    if (onCall(call) === 'kill') throw new Killed(call.method);
  });
  try {
    return await work(writer);
  } catch (error) {
    return error;
  } finally {
    disk.onCall(null);
  }
}

const isCall = (call: DiskCall, method: DiskCall['method'], path: RegExp): boolean => call.method === method && path.test(call.path);
const isEnacted = (call: DiskCall): boolean => isCall(call, 'rename', /journal.*\.json$/);
const textsOf = (disk: SimulatedDisk): string => Object.values(disk.visible()).join('\n');
const leftIn = (disk: SimulatedDisk): readonly string[] => disk.residue().filter((path) => !path.startsWith('.roux/lock/'));

describe('a save in the instant in which roux takes the file away', () => {
  it.each([
    ['a move', [move], 'a.md'],
    ['a removal', [{ kind: 'remove', path: 'a.md', to: 'trash' } as const, change('b.md', line)], 'a.md'],
  ])('F09 F19 by %s, a kill, and a note of the old name made anew: both texts are there', async (_name, files, path) => {
    const disk = simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' });
    let isSaved = false;
    await write(disk, files, (call) => {
      if (isSaved) return 'kill';
      if (isCall(call, 'rename', /\.0\.old$/)) {
        disk.save(path, 'A\nfirst\n');
        isSaved = true;
      }
    });
    const crashed = disk.crash('kill');
    crashed.save(path, 'second\n');
    await restart(crashed);
    expect(textsOf(crashed)).toContain('first');
    expect(textsOf(crashed)).toContain('second');
    expect(leftIn(crashed)).toEqual([]);
  });

  it.each([
    ['a new note', 'in-place', { kind: 'create', path: 'n.md', text: 'New\n' } as const],
    ['a new note', 'rename', { kind: 'create', path: 'n.md', text: 'New\n' } as const],
    ['a moved note', 'in-place', { ...move, to: 'n.md' }],
    ['a moved note', 'rename', { ...move, to: 'n.md' }],
  ] as const)('F19 F53 by taking back %s, saved %s: the text is there', async (_name, how, first) => {
    const disk = simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' });
    let isSaved = false;
    await write(disk, [first, change('b.md', body)], (call) => {
      if (isEnacted(call)) disk.save('b.md', 'By a person\n');
      if (isCall(call, 'rename', /\.undone$/)) {
        disk.save('n.md', `${disk.visible()['n.md']}first\n`, how);
        isSaved = true;
      }
    });
    expect(isSaved).toBe(true);
    expect(textsOf(disk)).toContain('By a person');
    expect(textsOf(disk)).toContain('first');
  });

  it('F09 F19 by two names that change places, and a kill', async () => {
    const disk = simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' });
    let isSaved = false;
    const files = [
      { kind: 'move', from: 'a.md', to: 'b.md', changes: [] },
      { kind: 'move', from: 'b.md', to: 'a.md', changes: [] },
    ] as const;
    await write(disk, files, (call) => {
      if (isSaved) return 'kill';
      if (isCall(call, 'rename', /^b\.md$/)) {
        disk.save('b.md', 'B\nfirst\n');
        isSaved = true;
      }
    });
    const crashed = disk.crash('kill');
    await restart(crashed);
    expect(textsOf(crashed)).toContain('first');
    expect(leftIn(crashed)).toEqual([]);
  });

  it('F09 F19 twice, the second time by rename before the second look swaps, and a kill', async () => {
    const disk = simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' });
    let [swaps, isOver] = [0, false];
    await write(disk, [change('a.md', line), change('b.md', line)], (call) => {
      if (isOver) return 'kill';
      if (isCall(call, 'rename', /^a\.md$/)) {
        swaps++;
        if (swaps === 1) disk.save('a.md', 'A\nfirst\n');
        else isOver = true;
      }
      if (isCall(call, 'link', /\.0\.between$/)) disk.save('a.md', `${disk.visible()['a.md']}second\n`, 'rename');
    });
    expect(swaps).toBe(2);
    const crashed = disk.crash('kill');
    await restart(crashed);
    expect(textsOf(crashed)).toContain('first');
    expect(textsOf(crashed)).toContain('second');
  });

  it.each([
    ['a removal', [{ kind: 'remove', path: 'a.md', to: 'gone' } as const], /\.0\.old$/, 1],
    ['a move', [move], /\.0\.old$/, 1],
    ['taking a line back', [change('a.md', line), change('b.md', body)], /^a\.md$/, 2],
  ])('F19 by %s, while an editor has emptied the file and is about to write: the text is there', async (_name, files, at, turn) => {
    const disk = simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' });
    let count = 0;
    let saving: Promise<void> = Promise.resolve();
    await write(disk, files, (call) => {
      if (isEnacted(call) && files.length === 2) disk.save('b.md', 'By a person\n');
      if (!isCall(call, 'rename', at) || ++count !== turn) return;
      const put = disk.openInEditor('a.md');
      put('');
      saving = setTimeout(30).then(() => put('A\nfirst\n'));
    });
    await saving;
    expect(count).toBeGreaterThanOrEqual(turn);
    expect(textsOf(disk)).toContain('A\nfirst');
    expect(Object.values(disk.visible())).not.toContain('');
  });

  it('F19 into the former name of a moved note, whose new one a person has removed: the text is there', async () => {
    const disk = simulatedDisk({ 'a.md': 'A\n' });
    const answer = await write(disk, [move], (call) => {
      if (!isCall(call, 'rename', /\.0\.old$/)) return;
      disk.remove('sub/a.md');
      disk.save('a.md', 'A\nfirst\n', 'rename');
    });
    expect(answer).not.toBeInstanceOf(Error);
    expect(textsOf(disk)).toContain('first');
    expect(leftIn(disk)).toEqual([]);
  });
});

describe('what nobody saved in any instant', () => {
  it('F09 what a note held before its text was replaced survives a kill and a save on top of the new text', async () => {
    const disk = simulatedDisk({ 'a.md': 'What a person wrote\n' });
    let isSwapped = false;
    await write(disk, [change('a.md', body)], (call) => {
      if (isSwapped) return 'kill';
      if (isCall(call, 'rename', /^a\.md$/)) isSwapped = true;
    });
    const crashed = disk.crash('kill');
    crashed.save('a.md', `${crashed.visible()['a.md']}second\n`, 'rename');
    await restart(crashed);
    expect(textsOf(crashed)).toContain('What a person wrote');
    expect(textsOf(crashed)).toContain('second');
    expect(leftIn(crashed)).toEqual([]);
  });

  it('F04 F19 a conflict copy that a killed process has made is on the medium before the journal forgets its text', async () => {
    const disk = simulatedDisk({ 'sub/a.md': 'A\n', 'b.md': 'B\n' });
    let [swaps, isCopied] = [0, false];
    await write(disk, [change('sub/a.md', line), change('b.md', body)], (call) => {
      if (isCopied) return 'kill';
      if (isEnacted(call)) disk.save('b.md', 'By a person\n');
      if (isCall(call, 'rename', /^sub\/a\.md$/) && ++swaps === 2) disk.save('sub/a.md', 'A\nfirst\n');
      if (isCall(call, 'link', /sync-conflict/)) isCopied = true;
    });
    expect(isCopied).toBe(true);
    const next = disk.afterKill();
    await restart(next);
    expect(textsOf(next.crash('power'))).toContain('first');
  });

  it('F19 another conflict copy that nobody may read keeps no text from being kept', async () => {
    const disk = simulatedDisk({ 'a.md': 'A\n', 'a.sync-conflict-20200101-000000.md': 'A\nother\n' });
    let isSaved = false;
    const answer = await write(disk, [change('a.md', body)], (call) => {
      if (isSaved && isCall(call, 'read', /conflict-20200101/)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      if (!isCall(call, 'rename', /^a\.md$/)) return;
      disk.save('a.md', 'A\nfirst\n');
      isSaved = true;
    });
    expect(answer).not.toBeInstanceOf(Error);
    expect(textsOf(disk)).toContain('first');
  });

  const slow: readonly (readonly [string, DiskTraits])[] = [
    ['without hard links', { hasHardLinks: false }],
    ['with .roux on another device', { devices: ['.roux'] }],
  ];
  it.each(slow)('F01 %s: a copy that a kill cut short is no text of anybody', async (_name, traits) => {
    const disk = simulatedDisk({ 'a.md': 'A\n' }, traits);
    let isCut = false;
    await write(disk, [change('a.md', line)], (call) => {
      if (!isCall(call, 'write', /\.0\.old/)) return;
      isCut = true;
      return 'kill';
    });
    expect(isCut).toBe(true);
    const crashed = disk.crash('kill');
    await restart(crashed);
    expect(Object.keys(crashed.visible())).toEqual(['a.md']);
    expect(leftIn(crashed)).toEqual([]);
  });

  it('F01 without hard links: a mark of an undone write that a kill cut short, and a copy for the trash, are made again', async () => {
    const undone = simulatedDisk({ 'a.md': 'A\n', 'b.md': 'B\n' }, { hasHardLinks: false });
    let isAborting = false;
    await write(undone, [change('a.md', line), change('b.md', body)], (call) => {
      if (isEnacted(call)) undone.save('b.md', 'By a person\n');
      else if (isAborting && call.method === 'write' && call.path.startsWith('.roux/journal/')) return 'kill';
      if (isCall(call, 'link', /\.draft$/)) isAborting = true;
    });
    expect(isAborting).toBe(true);
    const again = undone.crash('kill');
    await restart(again);
    expect(again.visible()).toEqual({ 'a.md': 'A\n', 'b.md': 'By a person\n' });
    expect(leftIn(again)).toEqual([]);

    const removed = simulatedDisk({ 'b.md': 'B\n' }, { hasHardLinks: false });
    await write(removed, [{ kind: 'remove', path: 'b.md', to: 'trash' }], (call) => (isCall(call, 'write', /trash/) ? 'kill' : undefined));
    const later = removed.crash('kill');
    await restart(later);
    const kept = Object.entries(later.all()).filter(([path]) => path === 'b.md' || path.startsWith('.roux/trash/'));
    expect(kept.map(([, text]) => text)).toContain('B\n');
  });
});
