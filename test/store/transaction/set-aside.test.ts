import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES, hashOf } from '../../../src/store/folder/hash.ts';
import { createOrigin } from '../../../src/store/origin.ts';
import { encodeIntent } from '../../../src/store/transaction/intent.ts';
import type { Step } from '../../../src/store/transaction/intent.ts';
import { openSetAsides } from '../../../src/store/transaction/set-aside.ts';
import { failure, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { testPorts } from '../../support/test-ports.ts';

const REJECTED = '.roux/journal/rejected';
const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(26)) as [string, string, string];
const [id] = ids;

function intentText(disk: SimulatedDisk, steps: readonly Step[], own: string = id): string {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const intent = { format: 1, id: own, operation: 'rename', agent: 'ada', timestamp, steps, events: [], folders: [] };
  return encodeIntent(intent, createOrigin(disk.files, testPorts())).toString('utf8');
}

/** What was put aside on a disk with these files: one intent, of these steps. */
function asideOf(steps: readonly Step[], files: Readonly<Record<string, string>>, images: Readonly<Record<number, string>> = {}) {
  const disk = simulatedDisk({ 'other.bin': 'other', ...files });
  disk.save(`${REJECTED}/${id}.json`, intentText(disk, steps));
  for (const [index, text] of Object.entries(images)) disk.save(`${REJECTED}/${id}.${index}`, text);
  return openSetAsides(disk.files, createOrigin(disk.files, testPorts())).find(id);
}

const [old, now] = [hashOf('old'), hashOf('new')];
const rewrite = { before: old, after: now, changes: null, isCommutative: false };
const create: Step = { kind: 'create', path: 'a.bin', after: now };
const replace: Step = { kind: 'replace', path: 'a.bin', ...rewrite };
const move: Step = { kind: 'move', from: 'a.bin', to: 'b.bin', over: null, keepsFrom: false, ...rewrite };
const plainMove: Step = { ...move, after: old };
const remove: Step = { kind: 'remove', path: 'a.bin', before: old, trash: null };
const bytes = Buffer.from('new');

describe('what is left to do of a write that was put aside', () => {
  const cases: readonly [string, Step, Record<string, string>, string | null, readonly object[] | null][] = [
    ['a new file', create, {}, 'new', [{ kind: 'create', path: 'a.bin', bytes }]],
    ['a new file that is there', create, { 'a.bin': 'new' }, 'new', []],
    ['a new file that is there, and not staged any more', create, { 'a.bin': 'new' }, null, []],
    ['a new file under a name that another has', create, { 'a.bin': 'mine' }, 'new', null],
    ['a new file without its bytes', create, {}, null, null],
    ['a new file with other bytes', create, {}, 'torn', null],
    ['another text', replace, { 'a.bin': 'old' }, 'new', [{ kind: 'replace', path: 'a.bin', before: old, bytes }]],
    ['another text that is there', replace, { 'a.bin': 'new' }, null, []],
    ['another text of what was saved since', replace, { 'a.bin': 'mine' }, 'new', null],
    ['another text of what is gone', replace, {}, 'new', null],
    ['another text without its bytes', replace, { 'a.bin': 'old' }, null, null],
    ['another text with other bytes', replace, { 'a.bin': 'old' }, 'torn', null],
    ['a move', plainMove, { 'a.bin': 'old' }, null, [{ kind: 'move', from: 'a.bin', to: 'b.bin', before: old, bytes: null }]],
    [
      'a move with its bytes',
      plainMove,
      { 'a.bin': 'old' },
      'old',
      [{ kind: 'move', from: 'a.bin', to: 'b.bin', before: old, bytes: null }],
    ],
    ['a move that was made', plainMove, { 'b.bin': 'old' }, null, []],
    ['a move of which both names are there', plainMove, { 'a.bin': 'old', 'b.bin': 'old' }, null, null],
    ['a move of what was saved since', plainMove, { 'a.bin': 'mine' }, null, null],
    ['a move of what is gone', plainMove, {}, null, null],
    ['a move to a name that another has', plainMove, { 'b.bin': 'mine' }, null, null],
    ['a move with another text', move, { 'a.bin': 'old' }, 'new', [{ kind: 'move', from: 'a.bin', to: 'b.bin', before: old, bytes }]],
    ['a move with another text that was made', move, { 'b.bin': 'new' }, null, []],
    ['a move with another text, without its bytes', move, { 'a.bin': 'old' }, null, null],
    ['a removal', remove, { 'a.bin': 'old' }, null, [{ kind: 'remove', path: 'a.bin', before: old }]],
    ['a removal that was made', remove, {}, null, []],
    ['a removal of what was saved since', remove, { 'a.bin': 'mine' }, null, null],
  ];
  for (const [what, step, files, image, left] of cases) {
    it(`F08 ${what}`, () => {
      expect(asideOf([step], files, image === null ? {} : { 0: image })?.left).toEqual(left);
    });
  }

  it('F08 all steps, or none where one of them cannot be made', () => {
    const second: Step = { kind: 'create', path: 'c.bin', after: now };
    const both = asideOf([remove, second], { 'a.bin': 'old' }, { 1: 'new' });
    expect(both?.left).toEqual([
      { kind: 'remove', path: 'a.bin', before: old },
      { kind: 'create', path: 'c.bin', bytes },
    ]);
    expect(asideOf([remove, second], { 'a.bin': 'old' })?.left).toBeNull();
    expect(asideOf([remove, second], { 'c.bin': 'new' })?.left).toEqual([]);
  });

  it('F08 a file that is larger than any write leaves is in no state that a write names', () => {
    const large = 'x'.repeat(MAX_FILE_BYTES + 5);
    for (const [length, isKnown] of [
      [MAX_FILE_BYTES - 1, false],
      [MAX_FILE_BYTES + 1, false],
      [MAX_FILE_BYTES + 5, false],
    ] as const)
      expect(asideOf([{ ...remove, before: hashOf(large.slice(0, length)) }], { 'a.bin': large })?.left === null, String(length)).toBe(
        !isKnown,
      );
    const largest = large.slice(0, MAX_FILE_BYTES);
    expect(asideOf([{ ...remove, before: hashOf(largest) }], { 'a.bin': largest })?.left).toHaveLength(1);
  });
});

describe('what was put aside', () => {
  const open = (disk: SimulatedDisk) => openSetAsides(disk.files, createOrigin(disk.files, testPorts()));

  it('F08 is listed in the order of ids, with what it calls itself, and found by its id', () => {
    const disk = simulatedDisk({ 'a.bin': 'old' });
    disk.save(`${REJECTED}/${ids[2]}.json`, intentText(disk, [remove, plainMove, create], ids[2]));
    disk.save(`${REJECTED}/${ids[0]}.json`, 'torn');
    disk.save(`${REJECTED}/${ids[1]}.json`, intentText(disk, [remove], ids[0]));
    const unreadable = { operation: null, timestamp: null, paths: [], left: null };
    const whole = { operation: 'rename', timestamp: '2026-01-01T00:00:00.000Z', paths: ['a.bin', 'b.bin'] };
    expect(open(disk).list()).toEqual([
      { id: ids[0], ...unreadable },
      { id: ids[1], ...unreadable },
      { id: ids[2], ...whole, left: null },
    ]);
    expect(open(disk).find(ids[2])).toMatchObject({ id: ids[2] });
    expect(open(disk).find('d'.repeat(26))).toBeNull();
  });

  it('F08 is not to be carried out where it was to be undone, or where a path of it is none of the vault', () => {
    const disk = simulatedDisk({ 'a.bin': 'old' });
    disk.save(`${REJECTED}/${ids[0]}.abort`, intentText(disk, [remove]));
    const outside: Step = { ...remove, path: '.git/config' };
    disk.save(`${REJECTED}/${ids[1]}.json`, intentText(disk, [outside], ids[1]));
    expect(open(disk).list()).toMatchObject([
      { id: ids[0], operation: 'rename', paths: ['a.bin'], left: null },
      { id: ids[1], operation: 'rename', paths: ['.git/config'], left: null },
    ]);
  });

  it('F08 is forgotten with all of its files, and nothing of another', () => {
    const disk = simulatedDisk({});
    for (const name of [`${ids[0]}.json`, `${ids[0]}.0`, `${ids[1]}.json`, `2-${ids[0]}.json`, `${ids[0]}.1/kept`])
      disk.save(`${REJECTED}/${name}`, 'x');
    open(disk).forget(ids[0]);
    expect(disk.files.list(REJECTED)?.map(({ name }) => name)).toEqual([`2-${ids[0]}.json`, `${ids[0]}.1`, `${ids[1]}.json`]);
    open(simulatedDisk({})).forget(ids[0]);
  });

  it('F08 is nothing where this user may not look', () => {
    const disk = simulatedDisk({});
    disk.save(`${REJECTED}/${id}.json`, 'torn');
    disk.onCall(({ path }) => {
      if (path.startsWith('.roux')) throw failure('EACCES', path);
    });
    expect([open(disk).list(), open(disk).find(id)]).toEqual([[], null]);
  });
});
