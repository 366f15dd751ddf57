import { describe, expect, it } from 'vitest';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import type { Intent, Step } from '../../../../src/store/transaction/intent.ts';
import { spareNames } from '../../../../src/store/transaction/replace-file.ts';
import { copyUnseenTexts, removeSpares, rollBack } from '../../../../src/store/transaction/rollback.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { DiskTraits, SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../../support/simulated/simulated-lock.ts';

const id = 'a'.repeat(26);
const own = (name: string): string => `.roux/journal/${id}.${name}`;
const again = (step: number, text: string): string => own(`${step}.again.0.${hashOf(text).slice(0, 16)}`);
const intentOf = (steps: readonly Step[], folders: readonly string[] = []): Intent => ({
  format: 1,
  id,
  operation: 'test',
  agent: 'ada',
  timestamp: '2026-01-01T00:00:00.000Z',
  steps,
  events: [],
  folders,
});
const fixed = { changes: null, isCommutative: false };
const create = (path: string): Step => ({ kind: 'create', path, after: hashOf('new') });
const replace = (path: string): Step => ({ kind: 'replace', path, before: hashOf('old'), after: hashOf('new'), ...fixed });
const move = (from: string, to: string, more: { over?: string | null; keepsFrom?: boolean; after?: string } = {}): Step => ({
  kind: 'move',
  from,
  to,
  before: hashOf('old'),
  after: hashOf('new'),
  over: null,
  keepsFrom: false,
  ...fixed,
  ...more,
});
const remove = (path: string, trash: string | null = null): Step => ({ kind: 'remove', path, before: hashOf('old'), trash });

type Files = Readonly<Record<string, string>>;

/** Takes steps back on a disk with these files, some of which are linked from others. */
async function takeBack(
  steps: readonly Step[],
  files: Files,
  { traits, folders, prepare }: { traits?: DiskTraits; folders?: readonly string[]; prepare?: (disk: SimulatedDisk) => void } = {},
) {
  const disk = simulatedDisk({ 'z.md': 'Z', ...files }, traits);
  const { under, changesOf } = simulatedLock(disk);
  prepare?.(disk);
  let warnings: readonly string[] = [];
  const changes = await changesOf(async () => {
    warnings = await rollBack(under, intentOf(steps, folders));
  });
  const { 'z.md': _, ...visible } = disk.visible();
  return { disk, visible, warnings, changes, all: disk.all() };
}

const textsOf = (files: Files): readonly string[] => Object.values(files).toSorted();

describe('a new file is taken back', () => {
  it('F53 where it holds what the transaction gave it, and the folders made for it go', async () => {
    const { visible, warnings, changes, disk } = await takeBack([create('x/y/n.md')], { 'x/y/n.md': 'new' }, { folders: ['x', 'x/y'] });
    expect([visible, warnings]).toEqual([{}, []]);
    expect(changes.slice(0, 2)).toEqual([`rename ${own('0.undone')}`, 'syncFolder x/y']);
    expect(disk.files.stat('x')).toBeNull();
  });

  it('F53 where it holds a change that was made again on a newer text, and no other that was saved since', async () => {
    const staged = { [own('0')]: 'new', [again(0, 'newer')]: 'newer' };
    expect((await takeBack([create('n.md')], { 'n.md': 'newer', ...staged })).visible).toEqual({});
    for (const files of [staged, {}])
      expect((await takeBack([create('n.md')], { 'n.md': 'mine', ...files })).visible).toEqual({ 'n.md': 'mine' });
    expect((await takeBack([create('n.md')], staged)).visible).toEqual({});
  });

  it('F53 from another device as a copy, once, and not where the disk fails or it is gone meanwhile', async () => {
    const traits = { devices: ['.roux'] };
    const { visible, all, changes } = await takeBack([create('n.md')], { 'n.md': 'new', [own('0.undone')]: 'earlier' }, { traits });
    expect([visible, all[own('0.undone')]]).toEqual([{}, 'new']);
    expect(changes).toEqual([
      `rename ${own('0.undone')}`,
      `remove ${own('0.undone')}`,
      `link ${own('0.undone')}`,
      `create ${own('0.undone')}`,
      `sync ${own('0.undone')}`,
      'remove n.md',
      'syncFolder ',
    ]);
    for (const code of ['EIO', 'ENOENT']) {
      const prepare = (disk: SimulatedDisk): void =>
        disk.onCall(({ method, path }) => {
          if (method === 'rename') throw failure(code, path);
        });
      const taken = await takeBack([create('n.md')], { 'n.md': 'new' }, { prepare }).catch((error: unknown) => error);
      expect(taken).toMatchObject(code === 'EIO' ? { code } : { changes: [`rename ${own('0.undone')}`, 'syncFolder '] });
    }
  });
});

describe('other bytes are taken back', () => {
  it('F53 where the file holds them', async () => {
    const { visible, warnings, changes } = await takeBack([replace('a.md')], { 'a.md': 'new', [own('0.old')]: 'old' });
    expect([visible, warnings]).toEqual([{ 'a.md': 'old' }, []]);
    expect(changes).toEqual([`link ${own('0.new')}`, `link ${own('0.undone')}`, 'rename a.md', 'syncFolder ']);
  });

  it('F53 not where nothing was displaced, and where a person has saved since: then both texts are there', async () => {
    expect(await takeBack([replace('a.md')], { 'a.md': 'new' })).toMatchObject({ visible: { 'a.md': 'new' }, warnings: [], changes: [] });
    const { visible, warnings } = await takeBack([replace('a.md')], { 'a.md': 'mine', [own('0.old')]: 'old' });
    expect([visible['a.md'], textsOf(visible), warnings.length]).toEqual(['mine', ['mine', 'old'], 1]);
    expect(warnings[0]).toContain('a.md was saved by another program');
    const removed = await takeBack([replace('a.md')], { [own('0.old')]: 'old' });
    expect([removed.visible['a.md'], textsOf(removed.visible)]).toEqual([undefined, ['old']]);
  });
});

describe('a move is taken back', () => {
  it('F53 where the new name holds what it was given, its old name first', async () => {
    for (const [files, link] of [
      [{ 'b.md': 'new', [own('0.old')]: 'old' }, [`link a.md`]],
      [{ 'b.md': 'new', 'a.md': 'old' }, []],
    ] as const) {
      const { visible, warnings, changes } = await takeBack([move('a.md', 'b.md')], files);
      expect([visible, warnings]).toEqual([{ 'a.md': 'old' }, []]);
      expect(changes).toEqual([...link, `rename ${own('0.undone')}`, 'syncFolder ']);
    }
  });

  it('F53 where both names are of one file, and only there one of them goes', async () => {
    const same = move('a.md', 'b.md', { after: hashOf('old') });
    const prepare = (disk: SimulatedDisk): void => disk.files.link('a.md', 'b.md');
    expect((await takeBack([same], { 'a.md': 'old' }, { prepare })).visible).toEqual({ 'a.md': 'old' });
    const caseOnly = move('a.md', 'A.md', { after: hashOf('old') });
    expect((await takeBack([caseOnly], { 'A.md': 'old' }, { traits: { ignoresCase: true } })).visible).toEqual({ 'A.md': 'old' });
    expect((await takeBack([move('a.md', 'a.md', { after: hashOf('old') })], { 'a.md': 'old' })).visible).toEqual({ 'a.md': 'old' });
  });

  it('F53 not where its old name cannot be given back, or a person has saved under the new one', async () => {
    expect((await takeBack([move('a.md', 'b.md')], { 'b.md': 'new' })).visible).toEqual({ 'b.md': 'new' });
    expect((await takeBack([move('a.md', 'b.md')], { 'b.md': 'mine', [own('0.old')]: 'old' })).visible).toEqual({
      'a.md': 'old',
      'b.md': 'mine',
    });
    const { visible, warnings } = await takeBack([move('a.md', 'b.md')], { 'a.md': 'mine', 'b.md': 'new', [own('0.old')]: 'old' });
    expect([visible['a.md'], textsOf(visible), warnings.length]).toEqual(['mine', ['mine', 'old'], 1]);
    const prepare = (disk: SimulatedDisk): void =>
      disk.onCall(({ method, path }) => {
        if (method === 'link' && path === 'a.md') throw failure('EIO', path);
      });
    await expect(takeBack([move('a.md', 'b.md')], { 'b.md': 'new', [own('0.old')]: 'old' }, { prepare })).rejects.toMatchObject({
      code: 'EIO',
    });
  });

  it('F53 where another file had the new name: it gets it back', async () => {
    const over = move('a.md', 'b.md', { over: hashOf('other'), keepsFrom: true });
    const displaced = { [own('0.over')]: 'other' };
    expect((await takeBack([over], { 'a.md': 'A', 'b.md': 'new', ...displaced })).visible).toEqual({ 'a.md': 'A', 'b.md': 'other' });
    expect((await takeBack([over], { 'a.md': 'A', 'b.md': 'new' })).visible).toEqual({ 'a.md': 'A', 'b.md': 'new' });
    const saved = await takeBack([over], { 'a.md': 'A', 'b.md': 'mine', [own('0.over')]: 'saved' });
    expect([saved.visible['b.md'], textsOf(saved.visible)]).toEqual(['mine', ['A', 'mine', 'saved']]);
  });
});

describe('a removal is taken back', () => {
  const trash = `.roux/trash/${id}/a.md`;
  it('F53 and its copy in the trash goes', async () => {
    const { visible, all, warnings, changes } = await takeBack([remove('a.md', trash)], { [trash]: 'old', [own('0.old')]: 'old' });
    expect([visible, all[trash], warnings]).toEqual([{ 'a.md': 'old' }, undefined, []]);
    expect(changes).toEqual(['link a.md', `remove ${trash}`, 'syncFolder ']);
    expect((await takeBack([remove('a.md')], { [own('0.old')]: 'old' })).visible).toEqual({ 'a.md': 'old' });
  });

  it('F53 not in the trash where nothing was displaced: what is there may be all that is left', async () => {
    expect((await takeBack([remove('a.md', trash)], { [trash]: 'old' })).all[trash]).toBe('old');
    expect((await takeBack([remove('a.md', trash)], { 'a.md': 'old', [trash]: 'old' })).all[trash]).toBeUndefined();
  });

  it('F53 where a person has made a file of that name meanwhile: both texts are there', async () => {
    for (const [step, files] of [
      [remove('a.md', trash), { [trash]: 'old' }],
      [remove('a.md'), {}],
    ] as const) {
      const { visible, warnings } = await takeBack([step], { 'a.md': 'mine', [own('0.old')]: 'old', ...files });
      expect([visible['a.md'], textsOf(visible), warnings.length]).toEqual(['mine', ['mine', 'old'], 1]);
    }
  });
});

it('F53 steps are taken back from the last to the first, each under the lock, and spare names go', async () => {
  const spare = spareNames(id, 1).beside('b.md');
  const disk = simulatedDisk({ 'a.md': 'new', 'b.md': 'new', [spare]: 'half' });
  let checks = 0;
  const lock = { check: async () => void checks++ };
  const { under, changesOf } = simulatedLock(disk, { lock });
  const changes = await changesOf(() => rollBack(under, intentOf([create('a.md'), create('b.md')])));
  expect([changes, checks]).toEqual([[`remove ${spare}`, `rename ${own('1.undone')}`, `rename ${own('0.undone')}`, 'syncFolder '], 2]);
});

it('F53 a spare name goes only where it is of a file, and what cannot be looked at is left', () => {
  const [first, second] = [spareNames(id, 0).beside('x/a.md'), spareNames(id, 1).beside('b.md')];
  const disk = simulatedDisk({ [`${first}/in-a-folder`]: '', [second]: 'half' });
  const { under } = simulatedLock(disk);
  const intent = intentOf([replace('x/a.md'), replace('b.md'), replace('none/c.md')]);
  let error: Error = failure('EACCES', 'x');
  disk.onCall(({ method, path }) => {
    if (method === 'stat' && path.startsWith('none/')) throw error;
  });
  removeSpares(under, intent);
  expect(Object.keys(disk.all())).toEqual([`${first}/in-a-folder`]);
  error = new TypeError('a fault of the program');
  expect(() => removeSpares(under, intent)).toThrow('a fault of the program');
});

describe('a text that only the journal holds', () => {
  /** What becomes of a displaced text `text` of a step. */
  async function keep(step: Step, which: 'old' | 'over' | 'undone' | 'between', text: string, files: Files = {}) {
    const disk = simulatedDisk({ [own(`0.${which}`)]: text, ...files });
    const { under } = simulatedLock(disk);
    const warnings = await copyUnseenTexts(under, intentOf([step]));
    expect(warnings.length).toBe(Object.keys(disk.visible()).filter((path) => path.includes('sync-conflict')).length);
    return warnings.length > 0;
  }
  const temporary = { [spareNames(id, 0).temporary]: '' };

  it('F19 becomes a conflict copy, but for one that is empty, or that is under a name of the step', async () => {
    for (const step of [create('a.md'), replace('a.md'), move('a.md', 'b.md'), remove('a.md')]) {
      for (const which of ['old', 'over', 'undone', 'between'] as const) {
        expect(await keep(step, which, 'mine'), `${step.kind} ${which}`).toBe(true);
        expect(await keep(step, which, 'm'), `${step.kind} ${which}`).toBe(true);
        expect(await keep(step, which, ''), `${step.kind} ${which}`).toBe(false);
        expect(await keep(step, which, 'mine', { 'a.md': 'mine' }), `${step.kind} ${which}`).toBe(false);
      }
    }
    expect(await keep(move('a.md', 'b.md'), 'old', 'mine', { 'b.md': 'mine', 'a.md': 'A' })).toBe(false);
  });

  it('F19 is none where the step names it, but for what has been replaced and is nowhere else', async () => {
    const over = move('a.md', 'b.md', { over: hashOf('other') });
    for (const [step, which, text, isKept] of [
      [create('a.md'), 'undone', 'new', false],
      [replace('a.md'), 'old', 'new', false],
      [replace('a.md'), 'old', 'old', true],
      [replace('a.md'), 'undone', 'old', false],
      [over, 'old', 'old', true],
      [over, 'over', 'other', false],
      [over, 'over', 'old', false],
      [over, 'undone', 'new', false],
      [remove('a.md'), 'old', 'old', true],
      [remove('a.md'), 'between', 'old', false],
    ] as const)
      expect(await keep(step, which, text), `${step.kind} ${which} ${text}`).toBe(isKept);
    // A replacement that has only made its spare name has not displaced anything yet.
    expect(await keep(replace('a.md'), 'old', 'old', temporary)).toBe(false);
    expect(await keep(create('a.md'), 'old', 'new')).toBe(false);
  });

  it('F55 costs one look each, where nothing was displaced', async () => {
    const disk = simulatedDisk({ 'a.md': 'new' });
    const { under } = simulatedLock(disk);
    const start = disk.calls.length;
    await copyUnseenTexts(under, intentOf([replace('a.md')]));
    expect(disk.calls.slice(start).map(({ method }) => method)).toEqual(['stat', 'stat', 'stat', 'stat']);
  });

  it('F19 of a removal is in the trash, where it is', async () => {
    const trash = `.roux/trash/${id}/a.md`;
    expect(await keep(remove('a.md', trash), 'old', 'old', { [trash]: 'old' })).toBe(false);
    expect(await keep(remove('a.md', trash), 'old', 'old')).toBe(true);
    expect(await keep(remove('a.md', trash), 'old', 'mine', { [trash]: 'old' })).toBe(true);
  });

  it('F19 is none where roux made it again on a newer text, and displaced it itself', async () => {
    const images = { [own('0')]: 'new', [again(0, 'more')]: 'more', [again(0, 'most')]: 'most' };
    for (const which of ['undone', 'between'] as const) expect(await keep(replace('a.md'), which, 'more', images)).toBe(false);
    for (const which of ['old', 'over'] as const) expect(await keep(replace('a.md'), which, 'more', images)).toBe(true);
    for (const text of ['mine', 'm']) expect(await keep(replace('a.md'), 'undone', text, images)).toBe(true);
  });
});
