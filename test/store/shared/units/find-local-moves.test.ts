import { describe, expect, it } from 'vitest';
import { findLocalMoves } from '../../../../src/store/shared/local/find-local-moves.ts';
import type { SharedChange } from '../../../../src/store/shared/shared-vault.ts';

const change = (path: string, more: Partial<SharedChange> = {}): SharedChange => ({
  op: 'update',
  path,
  oldPath: null,
  before: '1',
  hash: '2',
  size: 1,
  event: [],
  ...more,
});
const create = { before: null };
const remove = { hash: null };

interface Scene {
  readonly mayHaveMoved?: readonly string[];
  readonly there?: readonly string[];
  readonly locked?: readonly string[];
  readonly mayCollide?: readonly string[];
  /** What a look finds: the former name by the name of now. */
  readonly moves?: Readonly<Record<string, string>>;
}

/** Which names are looked at for changes, and whether they are about what was moved. */
async function lookFor(changes: readonly SharedChange[], given: Scene) {
  const { mayHaveMoved = [], there = [], locked = [], mayCollide = [], moves = {} } = given;
  const looked: string[] = [];
  let found = new Map<string, string>();
  const edits = {
    mayHaveMoved: (path: string) => mayHaveMoved.includes(path),
    mayCollide: (path: string) => mayCollide.includes(path),
    markDirty: (folder: string, name: string) => void looked.push(`${folder}:${name}`),
    async find(read: unknown) {
      looked.push(`look with ${String(read)}`);
      found = new Map(Object.entries(moves));
      return [];
    },
    get moves() {
      return found;
    },
  };
  const files = {
    hint(path: string) {
      if (locked.includes(path)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return there.includes(path) ? {} : null;
    },
  };
  const isAbout = await findLocalMoves({ edits, files, held: { read: 'the read' }, shared: {} } as never, changes);
  return { looked, isAbout };
}

const NOTHING = { looked: [], isAbout: false };

describe('what somebody moved here', () => {
  it('is looked for where a file of the store may not be under its name', async () => {
    const scene = { mayHaveMoved: ['x/a', 'b'], moves: { new: 'x/a' } };
    expect(await lookFor([change('x/a'), change('c')], scene)).toEqual({ looked: ['x:a', 'look with the read'], isAbout: true });
    expect(await lookFor([change('c', { oldPath: 'b' }), change('d', remove)], scene)).toEqual({
      looked: [':b', 'look with the read'],
      isAbout: false,
    });
    expect(await lookFor([change('c'), change('d', { oldPath: 'e' })], scene)).toEqual(NOTHING);
    expect(await lookFor([], scene)).toEqual(NOTHING);
  });

  it('is looked for where a name that is given may be taken', async () => {
    const isLooked = async (one: SharedChange, scene: Scene): Promise<readonly string[]> => (await lookFor([one], scene)).looked;
    const look = 'look with the read';
    expect(await isLooked(change('a', create), { there: ['a'] })).toEqual([':a', look]);
    expect(await isLooked(change('a', create), { mayCollide: ['a'] })).toEqual([':a', look]);
    expect(await isLooked(change('a', { oldPath: 'x/b' }), { there: ['a', 'x/b'], mayCollide: ['x/b'] })).toEqual([':a', look]);
    expect(await isLooked(change('a', create), {})).toEqual([]);
    expect(await isLooked(change('a', create), { locked: ['a'] })).toEqual([]);
    expect(await isLooked(change('a', { oldPath: 'b' }), { there: ['b'] })).toEqual([]);
    // One that is there and stays gives no name.
    expect(await isLooked(change('a'), { there: ['a'], mayCollide: ['a'] })).toEqual([]);
    expect(await isLooked(change('a', remove), { there: ['a'], mayCollide: ['a'] })).toEqual([]);
    expect(await isLooked(change('a', { ...create, ...remove }), { there: ['a'] })).toEqual([]);
    expect(await isLooked(change('a', { ...remove, oldPath: 'b' }), { there: ['a'] })).toEqual([]);
  });

  it('is found by the name that it has in the store', async () => {
    const isAbout = async (moves: Readonly<Record<string, string>>, ...changes: readonly SharedChange[]): Promise<boolean> =>
      (await lookFor(changes, { mayHaveMoved: ['a'], moves })).isAbout;
    expect(await isAbout({ y: 'z', x: 'a' }, change('a'))).toBe(true);
    expect(await isAbout({ x: 'b' }, change('a'), change('c', { oldPath: 'b' }))).toBe(true);
    expect(await isAbout({ x: 'c' }, change('a'), change('c', { oldPath: 'b' }))).toBe(false);
    expect(await isAbout({ x: 'z' }, change('a'))).toBe(false);
    expect(await isAbout({}, change('a'))).toBe(false);
  });
});
