import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import type { ErrorCode } from '../../../../src/errors.ts';
import type { LocalChangesOptions, FolderSnapshot } from '../../../../src/store/shared/local/file-snapshot.ts';
import { LocalChanges } from '../../../../src/store/shared/local/local-changes.ts';
import { RACY_MS } from '../../../../src/store/shared/local/dirty-paths.ts';
import type { SharedChange } from '../../../../src/store/shared/shared-vault.ts';
import type { ReadOptions, StoredFile } from '../../../../src/store/store.ts';
import { memoryFolder } from '../../../vault/sync/memory/memory-folder.ts';

type Files = Readonly<Record<string, string>>;

/** A folder with these files an hour old, and its edits. The hash of a text is the text; a text `id=x …` has the id x in it. */
function scene(here: Files, base: Files = here, options: LocalChangesOptions = {}) {
  const files = memoryFolder(here);
  const left: string[] = [];
  const [reads, asked] = [[] as (readonly [path: string, how: ReadOptions | undefined])[], [] as (readonly string[])[]];
  /** What reading a path does instead. */
  const otherwise = new Map<string, () => Partial<StoredFile> | null>();
  const edits = new LocalChanges(files, {
    onSkipped: (path, why) => void left.push(`${path}: ${why}`),
    idOf: (_, bytes) => /^id=(\w+)/.exec(String(bytes))?.[1] ?? null,
    ...options,
  });
  const read = async (path: string, how?: ReadOptions): Promise<StoredFile | null> => {
    reads.push([path, how]);
    const [node, state, special] = [files.nodes.get(path), files.stat(path), otherwise.get(path)?.()];
    if (node?.kind !== 'file' || state === null || special === null) return null;
    const text = node.text ?? '';
    return { path, bytes: Buffer.from(text), hash: text, isLinked: false, state, ...special };
  };
  const contentsOf = async (hashes: readonly string[]) => {
    asked.push(hashes);
    return new Map(hashes.map((hash) => [hash, Buffer.from(hash)]));
  };
  /** Every edit as `former > path:text`, and what it took to find them. */
  const find = async () => {
    for (const list of [reads, asked, files.calls]) list.length = 0;
    const found = await edits.find(read, contentsOf);
    return found.map(({ path, former, file }) => `${former ?? '-'} > ${path}:${file?.hash ?? '-'}`).toSorted();
  };
  edits.rebase(new Map(Object.entries(base)));
  return { files, edits, find, left, reads, asked, otherwise, paths: () => reads.map(([path]) => path).toSorted() };
}

const refusal = (): Error => Object.assign(new Error('EACCES'), { code: 'EACCES' });
/** Everything below a folder cannot be looked at. */
const lock = (files: ReturnType<typeof memoryFolder>, folder: string): void => {
  files.failing = (call) => (call === `list ${folder}` || call.includes(` ${folder}/`) ? refusal() : null);
};

describe('what is edited', () => {
  it('is what differs from the store, found by reading each file once', async () => {
    const { files, edits, find, reads, paths } = scene(
      { same: '1', changed: 'new', made: 'm', 'sub/same': '2' },
      { same: '1', changed: 'old', gone: 'g', 'sub/same': '2' },
    );
    expect([edits.isDirty, edits.uncachedReads]).toEqual([true, 0]);
    expect(await find()).toEqual(['- > made:m', 'changed > changed:new', 'gone > gone:-']);
    expect(Object.fromEntries(reads)).toEqual({
      same: { known: '1', maxBytes: Infinity },
      changed: { known: 'old', maxBytes: Infinity },
      made: { known: null, maxBytes: Infinity },
      'sub/same': { known: '2', maxBytes: Infinity },
    });
    expect(edits.uncachedReads).toBe(4);
    // What was found stays until the store has it.
    expect(edits.isDirty).toBe(true);
    expect(await find()).toEqual(['- > made:m', 'changed > changed:new', 'gone > gone:-']);
    expect(paths()).toEqual(['changed', 'made']);
    edits.settle([
      ['made', 'm'],
      ['changed', 'new'],
      ['gone', null],
    ]);
    expect(await find()).toEqual([]);
    expect([edits.isDirty, [...edits.base]]).toEqual([
      false,
      [
        ['same', '1'],
        ['changed', 'new'],
        ['sub/same', '2'],
        ['made', 'm'],
      ],
    ]);
    edits.markDirty(null);
    expect(await find()).toEqual([]);
    expect(paths()).toEqual([]);
    files.time += RACY_MS;
    expect(edits.isDirty).toBe(false);
    edits.rebase(new Map(edits.base));
    expect(edits.isDirty).toBe(true);
    await find();
    files.save('same', '2', { mtimeMs: 5_000 });
    edits.markDirty('', 'same');
    await find();
    edits.settle([['same', '2']]);
    expect(edits.isDirty).toBe(false);
  });

  it('is no edit any more once it is taken back', async () => {
    const { files, edits, find } = scene({ a: 'new', b: '2' }, { a: 'old', b: '2' });
    expect(await find()).toEqual(['a > a:new']);
    files.save('a', 'old', { mtimeMs: 5_000 });
    edits.markDirty('', 'a');
    expect(await find()).toEqual([]);
    expect(edits.isDirty).toBe(false);
    files.save('made', 'm');
    edits.markDirty('', 'made');
    expect(await find()).toEqual(['- > made:m']);
    files.remove('made');
    edits.markDirty('', 'made');
    expect(await find()).toEqual([]);
    expect(edits.isDirty).toBe(false);
  });

  it('is also what the store has otherwise from now on', async () => {
    const { edits, find, files, otherwise } = scene({ a: '1', b: '1' });
    await find();
    edits.settle([
      ['a', '2'],
      ['b', '1'],
      ['new', 'n'],
    ]);
    expect(edits.isDirty).toBe(true);
    expect(await find()).toEqual(['a > a:1', 'new > new:-']);
    // Gone between a look and the read: what was known of it says nothing any more.
    files.save('b', '1', { mtimeMs: 7_000 });
    otherwise.set('b', () => null);
    edits.markDirty('', 'b');
    expect(await find()).toContain('b > b:-');
    edits.settle([
      ['a', '1'],
      ['new', null],
      ['b', null],
    ]);
    edits.settle([['b', '1']]);
    expect(await find()).toEqual(['b > b:-']);
    for (const special of [{ isLinked: true }, { path: 'B' }]) {
      otherwise.set('b', () => special);
      expect(await find()).toEqual(['b > b:-']);
    }
  });

  it('is looked at once more where another save could hide behind equal times', async () => {
    const { files, edits, find, paths } = scene({ a: '1', b: '2' });
    files.save('a', '1', { mtimeMs: files.time - 1 });
    files.save('b', '2', { mtimeMs: files.time - RACY_MS });
    await find();
    expect([edits.isDirty, edits.snapshot().seen.map(({ path }) => path)]).toEqual([false, ['b']]);
    files.time += 10;
    edits.markDirty(null);
    await find();
    expect(paths()).toEqual([]);
    files.time += RACY_MS - 10;
    expect(edits.isDirty).toBe(true);
    await find();
    expect(paths()).toEqual(['a']);
    edits.markDirty(null);
    await find();
    expect([paths(), edits.isDirty]).toEqual([[], false]);
    expect(edits.snapshot()).toMatchObject({
      base: edits.base,
      seen: [
        { path: 'a', hash: '1' },
        { path: 'b', hash: '2' },
      ],
    });
  });

  it('is known for a start only where the file is what the store has', async () => {
    const { files, edits, find } = scene({ a: '1', b: 'mine' }, { a: '1', b: '2' });
    await find();
    const { seen } = edits.snapshot();
    expect(seen).toEqual([{ path: 'a', hash: '1', state: files.stat('a') }]);
    const again = scene({ a: '1', b: 'mine' }, {});
    again.edits.rebase(new Map(edits.base), seen);
    expect([again.edits.isDirty, await again.find(), again.paths()]).toEqual([true, ['b > b:mine'], ['b']]);
  });

  it('is no link, nothing else than a file, and nothing below a link', async () => {
    const { files, edits, find, left } = scene({ a: '1', b: '2', 'x/c': '3', 'y/d': '4' });
    await find();
    files.set('a', { kind: 'link' });
    files.set('b', { kind: 'other' });
    files.set('free', { kind: 'link' });
    files.remove('x');
    files.set('x', { kind: 'link' });
    files.remove('y');
    for (const name of ['a', 'b', 'free', 'x', 'y']) edits.markDirty('', name);
    expect(await find()).toEqual(['y/d > y/d:-']);
    expect(left).toEqual(['a: it is a symbolic link here', 'b: it is no regular file here']);
    expect(['x/c', 'y/d'].map((path) => edits.mayHaveMoved(path))).toEqual([false, true]);
  });

  it('is nothing that this user may not look at, which is looked at again', async () => {
    const { files, edits, find, left } = scene({ 'x/a': '1', b: '2' });
    await find();
    lock(files, 'x');
    files.remove('x/a');
    edits.markDirty('x', 'a');
    expect(await find()).toEqual([]);
    expect([edits.isDirty, [...new Set(left)], edits.mayHaveMoved('x/a')]).toEqual([
      true,
      ['x: this user has no right to look into it'],
      false,
    ]);
    files.failing = null;
    expect(await find()).toEqual(['x/a > x/a:-']);
    // What was found before stays found, though no list of the folder shows it any more.
    lock(files, 'x');
    expect(await find()).toEqual([]);
    files.failing = null;
    expect(await find()).toEqual(['x/a > x/a:-']);
  });

  it('is of files up to a size', async () => {
    const { find, left, paths } = scene({ at: 'xxxx', over: 'xxxxx' }, { at: 'y', over: 'y' }, { maxBytes: () => 4 });
    expect(await find()).toEqual(['at > at:xxxx']);
    expect([paths(), left]).toEqual([['at'], [expect.stringMatching(/^over: it has 1 MB/)]]);
  });

  it('holds no other one up where a file cannot be read', async () => {
    const { files, edits, find, left, otherwise } = scene({ a: 'new', b: 'new', c: 'new' }, { a: '1', b: '1', c: '1' });
    const failing = (code: ErrorCode, retryable: boolean) => (): never => {
      throw new RouxError(code, code, undefined, { retryable });
    };
    otherwise.set('a', failing('READ_ONLY', false));
    otherwise.set('b', failing('IO_ERROR', true));
    expect(await find()).toEqual(['c > c:new']);
    expect(left).toEqual(['a: READ_ONLY']);
    for (const code of ['TOO_LARGE', 'INVALID_PARAMS'] as const) {
      otherwise.set('b', failing(code, false));
      expect(await find()).toEqual(['c > c:new']);
      edits.markDirty('', 'b');
    }
    expect(left.slice(1)).toEqual(['b: TOO_LARGE', 'b: INVALID_PARAMS']);
    otherwise.set('b', failing('IO_ERROR', true));
    await find();
    otherwise.clear();
    expect(await find()).toEqual(['b > b:new', 'c > c:new']);
    // Any other failure is of the whole, and what was marked stays so.
    edits.settle([
      ['b', 'new'],
      ['c', 'new'],
    ]);
    files.save('b', 'newer', { mtimeMs: 7_000 });
    for (const fault of [failing('CANCELLED', true), failing('CANCELLED', false), () => refuse()]) {
      otherwise.set('b', fault);
      edits.markDirty('', 'b');
      await expect(find()).rejects.toThrow(/CANCELLED|a fault/);
      expect(edits.isDirty).toBe(true);
    }
    otherwise.clear();
    expect(await find()).toEqual(['b > b:newer']);
    function refuse(): never {
      throw new Error('a fault');
    }
  });

  it('is a file where a folder came, with all that is in it', async () => {
    const { files, edits, find } = scene({ a: '1' });
    await find();
    files.remove('a');
    files.save('a/b', '2');
    edits.markDirty('', 'a');
    expect(await find()).toEqual(['- > a/b:2', 'a > a:-']);
  });
});

describe('what was put in place', () => {
  it('is not read again, unless it is not what was staged', async () => {
    const { files, edits, find, paths } = scene({ a: '1' });
    await find();
    const names = ['same', 'ino', 'mtimeNs', 'birthNs'] as const;
    for (const name of names) {
      files.save(name, 'n');
      const { ino, mtimeNs, birthNs } = files.stat(name)!;
      const staged = { ino, mtimeNs, birthNs };
      edits.recordStaged(name, 'n', name === 'same' ? staged : { ...staged, [name]: 7n });
    }
    edits.recordStaged('gone', 'n', { ino: 1n, mtimeNs: 1n, birthNs: 1n });
    edits.settle([...names, 'gone'].map((name) => [name, 'n']));
    expect(await find()).toEqual(['gone > gone:-']);
    expect(paths()).toEqual(['birthNs', 'ino', 'mtimeNs']);
    // Its folder is known to have it: it is missed there.
    files.remove('same');
    edits.markDirty('');
    expect(await find()).toEqual(['gone > gone:-', 'same > same:-']);
  });
});

describe('a name that may be taken in other letters', () => {
  it('is one of the store, one that was marked, or one of an edit', async () => {
    const { files, edits, find } = scene({ 'Name.md': '1' });
    expect(edits.mayCollide('any.md')).toBe(true);
    await find();
    const may = (...paths: readonly string[]): readonly boolean[] => paths.map((path) => edits.mayCollide(path));
    expect(may('name.md', 'Name.md', 'other.md')).toEqual([true, true, false]);
    // Counted by name, not by how often it changed.
    files.save('Name.md', '2');
    edits.markDirty('', 'Name.md');
    await find();
    edits.settle([['Name.md', '2']]);
    edits.settle([['NAME.md', '3']]);
    await find();
    edits.settle([['NAME.md', null]]);
    await find();
    expect(may('name.md')).toEqual([true]);
    files.remove('Name.md');
    edits.settle([['Name.md', null]]);
    await find();
    expect([may('name.md'), edits.isDirty]).toEqual([[false], false]);
    edits.settle([['Name.md', '2']]);
    expect(may('name.md', 'other.md')).toEqual([true, false]);
    edits.settle([['Name.md', null]]);
    await find();
    files.save('Draft.md', 'd');
    files.save('second.md', 'd2');
    edits.markDirty('', 'Draft.md');
    expect(may('draft.md', 'other.md')).toEqual([true, false]);
    edits.markDirty('', 'second.md');
    await find();
    expect(may('draft.md', 'SECOND.md', 'other.md')).toEqual([true, true, false]);
    edits.rebase(new Map());
    await find();
    edits.rebase(new Map([['x.md', 'x']]));
    edits.rebase(new Map());
    files.remove('Draft.md');
    files.remove('second.md');
    await find();
    expect(may('draft.md', 'x.md')).toEqual([false, false]);
  });
});

describe('a file that somebody may have moved', () => {
  it('is not under its name, or not the inode that it was', async () => {
    const { files, edits, find } = scene({ a: '1', b: '2', c: '3', d: '4', e: '5', free: '6' }, { a: '1', b: '2', c: '3', d: '4', e: '5' });
    await find();
    expect(['a', 'b', 'c', 'd', 'e', 'free', 'none'].filter((path) => edits.mayHaveMoved(path))).toEqual([]);
    files.remove('a');
    files.set('b', { kind: 'file', text: '2', ino: 99n });
    files.set('c', { kind: 'file', text: '3', birthMs: 99 });
    files.set('d', { kind: 'folder' });
    expect(['a', 'b', 'c', 'd', 'e', 'free', 'none'].filter((path) => edits.mayHaveMoved(path))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has the inode with which it was seen as the store has it', async () => {
    const { files, edits, find } = scene({ a: '1', b: '2', c: '3' });
    await find();
    // Saved by renaming a new file over it: the store's file is that one from then on.
    files.set('a', { kind: 'file', text: 'new', ino: 99n });
    edits.markDirty('', 'a');
    await find();
    expect(edits.mayHaveMoved('a')).toBe(true);
    edits.settle([['a', 'new']]);
    expect(edits.mayHaveMoved('a')).toBe(false);
    // Of one that is in the store again nothing is known.
    edits.settle([['b', null]]);
    files.set('b', { kind: 'file', text: 'other', ino: 98n });
    edits.settle([['b', 'other']]);
    expect(edits.mayHaveMoved('b')).toBe(false);
    files.set('c', { kind: 'file', text: 'other', ino: 97n });
    edits.rebase(new Map([['c', 'other']]));
    expect(edits.mayHaveMoved('c')).toBe(false);
    // An earlier version of roux did not note when it was made.
    const { birthNs: _, ...state } = files.stat('c')!;
    const seen: FolderSnapshot['seen'] = [{ path: 'c', hash: 'other', state }];
    edits.rebase(new Map([['c', 'other']]), seen);
    expect(edits.mayHaveMoved('c')).toBe(false);
    edits.rebase(new Map([['c', 'other']]), [{ ...seen[0]!, state: { ...state, birthNs: 1_000_000n } }]);
    expect(edits.mayHaveMoved('c')).toBe(false);
    files.set('c', { kind: 'file', text: 'other', ino: 96n });
    expect(edits.mayHaveMoved('c')).toBe(true);
  });
});

describe('moves', () => {
  const changed = (change: Partial<SharedChange> & { readonly path: string }): SharedChange => ({
    op: 'update',
    oldPath: null,
    before: 'x',
    hash: 'y',
    size: 1,
    event: [],
    ...change,
  });

  it('are found by inode, bytes and id, whatever else was edited', async () => {
    const { files, edits, find, asked } = scene({ a: '1', b: '2', c: 'id=c', d: '4' });
    await find();
    files.move('a', 'x/a');
    files.save('x/a', '1, edited');
    files.remove('b');
    files.save('x/b', '2');
    files.remove('c');
    files.save('x/c', 'id=c edited');
    files.save('d', '4, edited');
    edits.markDirty(null);
    expect(await find()).toEqual(['a > x/a:1, edited', 'b > x/b:2', 'c > x/c:id=c edited', 'd > d:4, edited']);
    expect([...edits.moves]).toEqual([
      ['x/a', 'a'],
      ['x/b', 'b'],
      ['x/c', 'c'],
    ]);
    expect(asked.length).toBe(1);
    edits.settle([
      ['a', null],
      ['x/a', '1, edited'],
    ]);
    expect(await find()).toEqual(['b > x/b:2', 'c > x/c:id=c edited', 'd > d:4, edited']);
  });

  it('are found where one of both names was heard of, by listing alone', async () => {
    const { files, edits, find, paths, asked } = scene({ a: '1', 'sub/b': '2', c: '3', 'sub/d': '4' });
    await find();
    const lists = (): readonly string[] => files.calls.filter((call) => call.startsWith('list ')).toSorted();
    files.move('a', 'sub/new');
    edits.markDirty('', 'a');
    expect(await find()).toEqual(['a > sub/new:1']);
    expect([paths(), lists()]).toEqual([['sub/new'], ['list ', 'list sub']]);
    expect(files.calls).not.toContain('hint sub/b');
    edits.settle([
      ['a', null],
      ['sub/new', '1'],
    ]);
    await find();
    // In the folder of the new name, and in one that is gone.
    files.move('c', 'c two');
    edits.markDirty('', 'c two');
    expect(await find()).toEqual(['c > c two:3']);
    expect([paths(), lists(), asked]).toEqual([['c two'], [], []]);
    files.move('sub', 'other');
    edits.markDirty('other', 'b');
    expect(await find()).toEqual(['c > c two:3', 'sub/b > other/b:2', 'sub/d > sub/d:-', 'sub/new > sub/new:-'].toSorted());
  });

  it('are not looked for again where there was none', async () => {
    const { files, edits, find } = scene({ a: '1', b: '2', e: '5', 'sub/c': '3' });
    await find();
    files.remove('a');
    edits.markDirty('', 'a');
    expect(await find()).toEqual(['a > a:-']);
    expect(files.calls.filter((call) => call.startsWith('list '))).toEqual(['list ', 'list sub']);
    files.save('b', '2, edited');
    edits.markDirty('', 'b');
    expect(await find()).toEqual(['a > a:-', 'b > b:2, edited']);
    expect(files.calls.filter((call) => call.startsWith('list '))).toEqual([]);
    files.save('new', 'id=n');
    edits.markDirty('', 'new');
    expect(await find()).toEqual(['- > new:id=n', 'a > a:-', 'b > b:2, edited']);
    expect(files.calls.filter((call) => /^hint (?:e|sub\/c)$/.test(call))).toEqual(['hint e']);
    edits.markDirty('', 'b');
    await find();
    expect(files.calls).not.toContain('hint e');
    // Of what is gone for certain nothing is looked at a second time.
    files.save('sub/new too', 'n');
    edits.markDirty('sub', 'new too');
    edits.markDirty('', 'a');
    await find();
    expect(files.calls.filter((call) => call === 'hint a').length).toBe(2);
  });

  it('that were noted are believed as far as the folder bears them out', async () => {
    const { files, edits, find } = scene({ b: 'merged', c: 'merged too' }, { a: '1', c0: '2' });
    edits.rebase(
      new Map([
        ['a', '1'],
        ['c0', '2'],
      ]),
    );
    edits.rememberMoves(new Map([['b', 'a']]));
    edits.rememberMoves(new Map([['c', 'c0']]));
    expect([...edits.moves]).toEqual([
      ['b', 'a'],
      ['c', 'c0'],
    ]);
    expect(await find()).toEqual(['a > b:merged', 'c0 > c:merged too']);
    // The same file under another name.
    edits.rememberMoves(new Map([['b two', 'a']]));
    expect([...edits.moves]).toEqual([
      ['c', 'c0'],
      ['b two', 'a'],
    ]);
    files.move('b', 'b two');
    expect(await find()).toEqual(['a > b two:merged', 'c0 > c:merged too']);
    files.remove('b two');
    expect(await find()).toEqual(['a > a:-', 'c0 > c:merged too']);
    expect([...edits.moves]).toEqual([['c', 'c0']]);
  });

  it('that were noted are looked at, also of names of which nothing was heard', async () => {
    const { files, edits, find } = scene({ a: '1', c: '3' });
    await find();
    files.move('a', 'b');
    files.save('b', 'merged', { birthMs: 77 });
    edits.rememberMoves(new Map([['b', 'a']]));
    expect(edits.isDirty).toBe(true);
    expect(await find()).toEqual(['a > b:merged']);
  });

  it('stay as they are while it cannot be seen whether the former name is still there', async () => {
    const { files, edits, find } = scene({ 'x/a': '1', b: 'merged', c: '3', e: '5' }, { 'x/a': '1', c: '3', 'x/d': '4' });
    edits.rememberMoves(
      new Map([
        ['b', 'x/a'],
        ['e', 'x/unknown'],
      ]),
    );
    lock(files, 'x');
    expect(await find()).toEqual(['- > e:5']);
    expect([...edits.moves]).toEqual([['b', 'x/a']]);
    files.failing = null;
    files.remove('x/a');
    files.save('x/d', '4');
    expect(await find()).toEqual(['- > e:5', 'x/a > b:merged']);
    edits.rememberMoves(new Map([['e', 'c']]));
    expect(await find()).toEqual(['- > e:5', 'x/a > b:merged']);
  });

  it('are none any more once the store has changes of their names', async () => {
    const { edits } = scene({});
    const left = (...changes: readonly SharedChange[]): readonly string[] => {
      edits.rememberMoves(
        new Map([
          ['b', 'a'],
          ['d', 'c'],
        ]),
      );
      edits.forgetMoves(changes);
      return [...edits.moves.keys()];
    };
    expect(left()).toEqual(['b', 'd']);
    expect(left(changed({ path: 'a' }))).toEqual(['b', 'd']);
    expect(left(changed({ path: 'b' }))).toEqual(['b', 'd']);
    expect(left(changed({ path: 'x', oldPath: 'a' }))).toEqual(['d']);
    expect(left(changed({ path: 'a', hash: null }))).toEqual(['d']);
    expect(left(changed({ path: 'b', hash: null }))).toEqual(['b', 'd']);
    expect(left(changed({ path: 'B', before: null }))).toEqual(['d']);
    expect(left(changed({ path: 'D', oldPath: 'x' }))).toEqual(['b']);
    expect(left(changed({ path: 'x', before: null }), changed({ path: 'D', before: null, hash: null }))).toEqual(['b', 'd']);
    expect(left(changed({ path: 'x', oldPath: 'a' }), changed({ path: 'y', oldPath: 'c' }))).toEqual([]);
  });
});
