import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldKey } from '../../../../src/note/path.ts';
import type { FileState } from '../../../../src/store/folder/file-system.ts';
import { RACY_MS } from '../../../../src/store/shared/local/dirty-paths.ts';
import { KnownFiles } from '../../../../src/store/shared/local/known-files.ts';

const HOUR_MS = 3_600_000;

/** The state of a file, changed in the first hour unless told otherwise. */
const stateOf = (ino: bigint, more: Partial<FileState> = {}): FileState => ({
  kind: 'file',
  size: 1,
  mtimeNs: 1_000_000_000n,
  ctimeNs: 1_000_000_000n,
  birthNs: 7n,
  ino,
  dev: 1n,
  mode: 0o644,
  uid: 0,
  gid: 0,
  links: 1,
  ...more,
});
const inNs = (milliseconds: number): bigint => BigInt(milliseconds) * 1_000_000n;

/** Known files of a store with these, and a clock. */
function scene(base: Readonly<Record<string, string>> = {}) {
  const clock = { now: 2 * HOUR_MS };
  const known = new KnownFiles(() => clock.now);
  known.rebase(new Map(Object.entries(base)), []);
  return { known, clock };
}

describe('the files that are known', () => {
  it('have folded names as long as one of them has', () => {
    const path = fc.constantFrom('a', 'A', 'á', 'A\u0301', 'x/a', 'X/a', 'b');
    const step = fc.oneof(
      fc.tuple(fc.constant('set' as const), path, fc.constantFrom('1', '2', null)),
      fc.tuple(fc.constant('rebase' as const), fc.uniqueArray(path), fc.constant(null)),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { known } = scene();
        const names = new Set<string>();
        for (const [kind, what, hash] of steps) {
          if (kind === 'rebase') {
            known.rebase(new Map(what.map((name) => [name, '1'])), []);
            names.clear();
            for (const name of what) names.add(name);
          } else {
            known.setStored(what, hash);
            if (hash === null) names.delete(what);
            else names.add(what);
          }
          expect([...known.base.keys()].toSorted()).toEqual([...names].toSorted());
          const keys = new Set([...names].map(foldKey));
          for (const name of ['a', 'á', 'x/a', 'b']) expect([name, known.hasFold(foldKey(name))]).toEqual([name, keys.has(foldKey(name))]);
        }
      }),
    );
  });

  it('are unchanged in the state in which they had the content of the store, and in no other', () => {
    const { known } = scene({ 'a.md': '1' });
    const seen = stateOf(5n);
    expect(known.isUnchanged('a.md', seen)).toBe(false);
    expect(known.setSeen('a.md', { state: seen, hash: '1' })).toBe(false);
    expect(known.isUnchanged('a.md', seen)).toBe(true);
    expect(known.isUnchanged('b.md', seen)).toBe(false);
    for (const other of [{ size: 2 }, { mtimeNs: 1n }, { ctimeNs: 1n }, { ino: 6n }])
      expect([other, known.isUnchanged('a.md', { ...seen, ...other })]).toEqual([other, false]);
    known.setStored('a.md', '2');
    expect(known.isUnchanged('a.md', seen)).toBe(false);
    known.setStored('a.md', '1');
    expect([known.isUnchanged('a.md', seen), known.seenHash('a.md')]).toEqual([true, '1']);
    known.deleteSeen('a.md');
    expect([known.isUnchanged('a.md', seen), known.seenHash('a.md')]).toEqual([false, undefined]);
  });

  it('are read again once another write would have other times', () => {
    const { known, clock } = scene({ 'a.md': '1' });
    const written = (before: number): FileState => stateOf(5n, { mtimeNs: inNs(clock.now - before) });
    const state = written(RACY_MS - 1);
    expect(known.setSeen('a.md', { state, hash: '1' })).toBe(true);
    expect([known.isUnchanged('a.md', state), known.snapshot().seen]).toEqual([true, []]);
    clock.now += 1;
    expect([known.isUnchanged('a.md', state), known.snapshot().seen]).toEqual([false, []]);
    expect(known.setSeen('a.md', { state, hash: '1' })).toBe(false);
    expect([known.isUnchanged('a.md', state), known.snapshot().seen]).toEqual([true, [{ path: 'a.md', hash: '1', state }]]);
    // A file may also come from a machine whose clock is ahead.
    expect(known.setSeen('a.md', { state: written(-HOUR_MS), hash: '1' })).toBe(true);
  });

  it('are kept for a start where they are what the store has', () => {
    const { known } = scene({ 'a.md': '1', 'b.md': '2', 'c.md': '3' });
    known.setSeen('a.md', { state: stateOf(5n), hash: '1' });
    known.setSeen('b.md', { state: stateOf(6n), hash: 'mine' });
    known.setSeen('new.md', { state: stateOf(7n), hash: 'n' });
    const { base, seen } = known.snapshot();
    expect([Object.fromEntries(base), seen]).toEqual([
      { 'a.md': '1', 'b.md': '2', 'c.md': '3' },
      [{ path: 'a.md', hash: '1', state: stateOf(5n) }],
    ]);
    const { known: again } = scene();
    again.rebase(base, seen);
    expect([again.isUnchanged('a.md', stateOf(5n)), again.seenHash('a.md'), again.seenHash('b.md')]).toEqual([true, '1', undefined]);
    expect(again.inodeBefore('a.md')).toEqual({ ino: 5n, birthNs: 7n });
  });

  it('have the inode with which they were last seen with the content of the store', () => {
    const { known } = scene({ 'a.md': '1' });
    const inodes = () => [known.inodeBefore('a.md')?.ino, known.inodeNow('a.md')?.ino];
    expect(inodes()).toEqual([undefined, undefined]);
    known.setSeen('a.md', { state: stateOf(5n), hash: '1' });
    expect([known.inodeBefore('a.md'), known.inodeNow('a.md')]).toEqual([
      { ino: 5n, birthNs: 7n },
      { ino: 5n, birthNs: 7n },
    ]);
    known.setSeen('a.md', { state: stateOf(6n), hash: 'mine' });
    expect(inodes()).toEqual([5n, 6n]);
    // The store gets what is here.
    known.setStored('a.md', 'mine');
    expect(inodes()).toEqual([6n, 6n]);
    known.setStored('a.md', 'theirs');
    expect(inodes()).toEqual([6n, 6n]);
    known.deleteSeen('a.md');
    expect(inodes()).toEqual([6n, undefined]);
    known.setStored('a.md', null);
    expect(inodes()).toEqual([undefined, undefined]);
    // A file that the store does not have has none before.
    known.setSeen('a.md', { state: stateOf(8n), hash: '1' });
    expect(inodes()).toEqual([undefined, 8n]);
    known.setStored('a.md', '1');
    expect(inodes()).toEqual([8n, 8n]);
    known.rebase(new Map([['a.md', 'other']]), []);
    expect(inodes()).toEqual([undefined, 8n]);
  });

  it('have no inode where it is not known when they were born', () => {
    const { known } = scene();
    const { birthNs: _, ...state } = stateOf(5n);
    known.rebase(new Map([['a.md', '1']]), [{ path: 'a.md', hash: '1', state }]);
    expect([known.inodeBefore('a.md'), known.inodeNow('a.md'), known.isUnchanged('a.md', stateOf(5n))]).toEqual([
      undefined,
      undefined,
      true,
    ]);
  });
});
