import { describe, expect, it } from 'vitest';
import { fetchContentsFrom } from '../../../../src/store/shared/local/contents-in.ts';
import { asUnrestored, describeRestored, planRestore } from '../../../../src/store/shared/local/missing-files.ts';
import { createStatCache } from '../../../../src/store/shared/local/stat-cache.ts';
import { createFolderScan } from '../../../../src/store/shared/local/folder-scan.ts';
import { trackDirtyPaths, RACY_MS } from '../../../../src/store/shared/local/dirty-paths.ts';
import type { DirtySet } from '../../../../src/store/shared/local/dirty-paths.ts';
import { recordStaged } from '../../../../src/store/shared/local/record-staged.ts';
import { movesAmong, pairMoves } from '../../../../src/store/pair-moves.ts';
import type { Edit, Evidence } from '../../../../src/store/pair-moves.ts';
import { createMoveDetector } from '../../../../src/store/shared/local/detect-moves.ts';
import { editToChange, eventsOfPlan, editsToChanges, planToChanges } from '../../../../src/store/shared/local/outgoing.ts';
import { listUnreportedRemovals, listUnreportedFiles } from '../../../../src/store/shared/local/unreported-paths.ts';
import { memoryFolder } from '../../../vault/sync/memory/memory-folder.ts';

const file = (text: string) => ({ hash: text, bytes: Buffer.from(text) });
/** A file of the store (`before`) that is `now` here; null: not there. */
const edit = (path: string, before: string | null, now: string | null): Edit => ({
  path,
  former: before === null ? null : path,
  before,
  file: now === null ? null : file(now),
});
const marked = (more: Partial<DirtySet>): DirtySet => ({ names: new Set(), folders: new Set(), isAll: false, ...more });

describe('marks', () => {
  it('are on everything at first, then on what was named', () => {
    const marks = trackDirtyPaths(() => 0);
    expect(marks.isEmpty).toBe(false);
    expect(marks.take()).toEqual(marked({ isAll: true }));
    expect(marks.isEmpty).toBe(true);
    marks.add('', 'a.md');
    marks.add('sub', 'b.md');
    marks.add('x');
    for (const [folder, name] of [
      ['.git', 'HEAD'],
      ['sub/.hidden', null],
      ['sub', '.hidden'],
    ] as const)
      marks.add(folder, name);
    expect(marks.isEmpty).toBe(false);
    expect(marks.take()).toEqual(marked({ names: new Set(['a.md', 'sub/b.md']), folders: new Set(['x']) }));
    expect(marks.take()).toEqual(marked({}));
    marks.add('');
    expect(marks.isEmpty).toBe(false);
    expect(marks.take().folders).toEqual(new Set(['']));
    marks.add(null, 'any');
    expect(marks.take()).toEqual(marked({ isAll: true }));
    marks.add('.hidden', 'only');
    expect(marks.isEmpty).toBe(true);
  });

  it('may be given back', () => {
    const marks = trackDirtyPaths(() => 0);
    marks.take();
    marks.putBack(marked({ names: new Set(['a']), folders: new Set(['x']) }));
    marks.putBack(marked({ names: new Set(['b']) }));
    expect(marks.take()).toEqual(marked({ names: new Set(['a', 'b']), folders: new Set(['x']) }));
    marks.putBack(marked({ isAll: true }));
    marks.putBack(marked({}));
    expect(marks.take().isAll).toBe(true);
  });

  it('on what was written in this step of the clock come when that is over', () => {
    let now = 1_000;
    const marks = trackDirtyPaths(() => now);
    marks.take();
    marks.addLater('a');
    now += 1;
    marks.addLater('b');
    marks.addLater('a');
    now += RACY_MS - 1;
    expect(marks.isEmpty).toBe(true);
    expect(marks.take().names.size).toBe(0);
    now += 1;
    marks.addLater('b');
    expect(marks.isEmpty).toBe(false);
    expect([...marks.take().names]).toEqual(['a']);
    expect(marks.isEmpty).toBe(true);
    now += RACY_MS;
    expect([...marks.take().names]).toEqual(['b']);
  });

  it('on what is written over and over do not hold up those on others', () => {
    let now = 1_000;
    const marks = trackDirtyPaths(() => now);
    marks.take();
    marks.addLater('a');
    now += 1;
    marks.addLater('b');
    now += 1;
    marks.addLater('a');
    now += RACY_MS - 1;
    expect(marks.isEmpty).toBe(false);
    expect([...marks.take().names]).toEqual(['b']);
  });

  it('tell whether a name that differs by case alone may be among them', () => {
    const marks = trackDirtyPaths(() => 0);
    expect(marks.mayContain('any')).toBe(true);
    marks.take();
    expect(marks.mayContain('any')).toBe(false);
    marks.add('sub', 'Name.md');
    expect([marks.mayContain('SUB/name.md'), marks.mayContain('sub/other.md')]).toEqual([true, false]);
    marks.add('x');
    expect([marks.mayContain('x/any'), marks.mayContain('x/y/any')]).toEqual([true, false]);
  });
});

describe('files that went under one name and came under another', () => {
  interface Signs {
    readonly ids?: Readonly<Record<string, string>>;
    readonly inodes?: Readonly<Record<string, bigint>>;
    readonly remembered?: Readonly<Record<string, string>>;
  }
  /** Of ids and inodes a name with `was:` before it is of the store's version. */
  const evidenceOf = ({ ids = {}, inodes = {}, remembered = {} }: Signs): Evidence => {
    const inode = (path: string) => (inodes[path] === undefined ? undefined : { ino: inodes[path], birthNs: 1n });
    return {
      remembered: new Map(Object.entries(remembered)),
      inodeBefore: (path) => inode(`was:${path}`),
      inodeNow: inode,
      idBefore: ({ path }) => ids[`was:${path}`] ?? null,
      idNow: ({ path }) => ids[path] ?? null,
    };
  };
  const shown = (edits: readonly Edit[], signs: Signs = {}): readonly string[] =>
    pairMoves(edits, evidenceOf(signs))
      .map(({ path, former, before, file: now }) => `${former ?? '-'}:${before ?? '-'} > ${path}:${now?.hash ?? '-'}`)
      .sort();

  it('are recognised by their bytes, each once', () => {
    expect(shown([edit('a', 'A', null), edit('b', null, 'A')])).toEqual(['a:A > b:A']);
    expect(shown([edit('a', 'A', null), edit('b', null, 'B')])).toEqual(['-:- > b:B', 'a:A > a:-']);
    expect(shown([edit('a', 'A', null), edit('b', null, 'A'), edit('c', null, 'A')])).toEqual(['-:- > c:A', 'a:A > b:A']);
    expect(shown([edit('a', 'A', null), edit('b', 'A', null), edit('c', null, 'A')])).toEqual(['a:A > c:A', 'b:A > b:-']);
    // A copy of what is there still is a new file.
    expect(shown([edit('a', 'A', 'changed'), edit('b', null, 'A')])).toEqual(['-:- > b:A', 'a:A > a:changed']);
    expect(shown([edit('a', 'A', 'B'), edit('b', 'B', 'A')])).toEqual(['a:A > b:A', 'b:B > a:B']);
    expect(shown([edit('a', 'A', null), edit('b', 'A', null), edit('c', null, 'A'), edit('d', null, 'A')])).toEqual([
      'a:A > c:A',
      'b:A > d:A',
    ]);
    // Whatever the order in which they are found.
    expect(shown([edit('c', null, 'B'), edit('b', 'B', 'A'), edit('a', 'A', 'Z')])).toEqual(['-:- > c:B', 'a:A > a:Z', 'b:B > b:A']);
    // One that is gone has gone somewhere; one that is there may have been copied.
    expect(shown([edit('a', 'A', 'x'), edit('b', 'A', null), edit('c', null, 'A')])).toEqual(['a:A > a:x', 'b:A > c:A']);
  });

  it('and are empty by being the only one that is gone', () => {
    expect(shown([edit('a', '', null), edit('b', null, '')])).toEqual(['a: > b:']);
    expect(shown([edit('a', '', 'x'), edit('b', null, '')])).toEqual(['-:- > b:', 'a: > a:x']);
    expect(shown([edit('a', '', null), edit('b', null, ''), edit('c', null, '')])).toEqual(['-:- > c:', 'a: > b:']);
    expect(shown([edit('a', 'A', null), edit('b', null, '')])).toEqual(['-:- > b:', 'a:A > a:-']);
    expect(shown([edit('a', '', null), edit('b', 'B', ''), edit('c', null, 'B')], { inodes: { 'was:b': 2n, c: 2n } })).toEqual([
      '-:- > b:',
      'a: > a:-',
      'b:B > c:B',
    ]);
    // One that was emptied is no other one.
    expect(shown([edit('a', '', null), edit('b', 'B', '')])).toEqual(['a: > a:-', 'b:B > b:']);
  });

  it('are recognised by their inodes, whatever was written', () => {
    expect(shown([edit('a', 'A', null), edit('b', null, 'B')], { inodes: { 'was:a': 1n, b: 1n } })).toEqual(['a:A > b:B']);
    expect(shown([edit('a', 'A', null), edit('b', null, 'B')], { inodes: { 'was:a': 1n, b: 2n } })).toEqual(['-:- > b:B', 'a:A > a:-']);
    // 0 is no inode.
    expect(shown([edit('a', 'A', null), edit('b', null, 'B')], { inodes: { 'was:a': 0n, b: 0n } })).toEqual(['-:- > b:B', 'a:A > a:-']);
    // A file whose name is there still, with another file.
    expect(shown([edit('a', 'A', 'new'), edit('b', null, 'B')], { inodes: { 'was:a': 1n, b: 1n, a: 2n } })).toEqual([
      '-:- > a:new',
      'a:A > b:B',
    ]);
    const exchanged = { inodes: { 'was:a': 1n, b: 1n, 'was:b': 2n, a: 2n } };
    expect(shown([edit('a', 'A', 'B2'), edit('b', 'B', 'A2')], exchanged)).toEqual(['a:A > b:A2', 'b:B > a:B2']);
    // One that is where it was is no other one, though its text is.
    expect(shown([edit('a', 'A', 'B'), edit('b', 'B', 'A')], { inodes: { 'was:a': 1n, a: 1n, 'was:b': 2n, b: 2n } })).toEqual([
      'a:A > a:B',
      'b:B > b:A',
    ]);
  });

  it('are recognised first by the id in them, which also separates others', () => {
    const ids = { 'was:a': '1', b: '1' };
    expect(shown([edit('a', 'A', null), edit('b', null, 'B')], { ids })).toEqual(['a:A > b:B']);
    // It was given one only since, or has lost it.
    for (const one of [{ b: '1' }, { 'was:a': '1' }])
      expect(shown([edit('a', 'A', null), edit('b', null, 'B')], { ids: one, inodes: { 'was:a': 1n, b: 1n } })).toEqual(['a:A > b:B']);
    expect(shown([edit('a', 'A', null), edit('b', null, 'A')], { ids: { 'was:a': '1', b: '2' } })).toEqual(['-:- > b:A', 'a:A > a:-']);
    expect(shown([edit('a', 'A', null), edit('b', null, 'B')], { ids: { 'was:a': '1', b: '2' }, inodes: { 'was:a': 1n, b: 1n } })).toEqual([
      '-:- > b:B',
      'a:A > a:-',
    ]);
    // What stands under the former name says itself that it is another one.
    expect(shown([edit('a', 'A', 'x'), edit('b', null, 'B')], { ids: { ...ids, a: '9' } })).toEqual(['-:- > a:x', 'a:A > b:B']);
    expect(shown([edit('a', 'A', 'x'), edit('b', null, 'B')], { ids: { ...ids, a: '9' }, inodes: { b: 7n, 'was:a': 7n } })).toEqual([
      '-:- > a:x',
      'a:A > b:B',
    ]);
    // It has its own: the other one is a copy.
    expect(shown([edit('a', 'A', 'x'), edit('b', null, 'B')], { ids: { ...ids, a: '1' } })).toEqual(['-:- > b:B', 'a:A > a:x']);
    expect(shown([edit('a', 'A', 'x'), edit('b', 'B', 'y')], { ids: { 'was:a': '1', 'was:b': '2', a: '2', b: '1' } })).toEqual([
      'a:A > b:y',
      'b:B > a:x',
    ]);
    expect(
      shown([edit('a', 'A', 'x'), edit('b', 'B', 'y')], { ids: { 'was:a': '1', b: '1', 'was:b': '2' }, inodes: { 'was:a': 1n, a: 1n } }),
    ).toEqual(['a:A > a:x', 'b:B > b:y']);
  });

  it('are remembered as they were found earlier', () => {
    expect(shown([edit('a', 'A', null), edit('b', null, 'merged')], { remembered: { b: 'a' } })).toEqual(['a:A > b:merged']);
    expect(shown([edit('a', 'A', null), edit('b', null, 'merged')], { remembered: { b: 'nobody' } })).toEqual([
      '-:- > b:merged',
      'a:A > a:-',
    ]);
    expect(shown([edit('a', 'A', null), edit('b', null, 'B')], { remembered: { b: 'a' }, ids: { 'was:a': '1', b: '2' } })).toEqual([
      '-:- > b:B',
      'a:A > a:-',
    ]);
    // A name that is gone is where nothing is.
    expect(shown([edit('a', 'A', null), edit('b', 'B', null)], { remembered: { b: 'a' } })).toEqual(['a:A > a:-', 'b:B > b:-']);
    // What says itself that it is where it was is no other one.
    expect(shown([edit('a', 'A', null), edit('b', 'B', 'x')], { remembered: { b: 'a' }, ids: { 'was:b': '2', b: '2' } })).toEqual([
      'a:A > a:-',
      'b:B > b:x',
    ]);
    expect(shown([edit('a', 'A', 'x'), edit('b', null, 'B')], { remembered: { b: 'a' }, ids: { 'was:a': '1', a: '1' } })).toEqual([
      '-:- > b:B',
      'a:A > a:x',
    ]);
    // One that was found elsewhere has not its own name, though its inode is there.
    const inodes = { 'was:a': 1n, a: 1n, 'was:b': 2n, b: 2n };
    expect(shown([edit('a', 'A', 'B2'), edit('b', 'B', 'A2')], { remembered: { a: 'b', b: 'a' }, inodes })).toEqual([
      'a:A > b:A2',
      'b:B > a:B2',
    ]);
  });

  it('may have gone over another one, which is gone then', () => {
    expect(shown([edit('a', 'A', null), edit('b', 'B', 'A')], { inodes: { 'was:a': 1n, b: 1n, 'was:b': 2n } })).toEqual([
      'a:A > a:-',
      'b:B > b:A',
    ]);
    expect(shown([edit('a', 'A', null), edit('b', 'B', 'x')], { ids: { 'was:a': '1', b: '1', 'was:b': '2' } })).toEqual([
      'a:A > b:x',
      'b:B > b:-',
    ]);
    expect(shown([edit('a', 'A', null), edit('b', 'B', 'A'), edit('c', null, 'B')])).toEqual(['a:A > b:A', 'b:B > c:B']);
    expect(shown([edit('a', 'A', 'Z'), edit('b', 'B', 'A'), edit('c', null, 'B')])).toEqual(['-:- > c:B', 'a:A > a:Z', 'b:B > b:A']);
  });

  it('are reported under both names', () => {
    const found = [
      { ...edit('b', 'A', 'A'), former: 'a' },
      edit('c', 'C', 'x'),
      edit('d', 'D', null),
      edit('e', null, 'E'),
      { ...edit('f', 'F', null), former: 'g' },
    ];
    expect([...movesAmong(found)]).toEqual([['b', 'a']]);
  });
});

describe('ids by which files are recognised', () => {
  const signs = { remembered: new Map<string, string>(), inodeBefore: () => undefined, inodeNow: () => undefined };
  const withIds = () => {
    const [asked, read] = [[] as (readonly string[])[], [] as string[]];
    const recognise = createMoveDetector((path, bytes) => {
      read.push(path);
      return /id=(\w+)/.exec(String(bytes))?.[1] ?? null;
    });
    const find = (edits: readonly Edit[], contents: Readonly<Record<string, string>> = {}) =>
      recognise(
        edits,
        async (hashes) => {
          asked.push(hashes);
          return new Map(hashes.flatMap((hash) => (contents[hash] === undefined ? [] : [[hash, Buffer.from(contents[hash])]])));
        },
        signs,
      );
    return { asked, read, find };
  };

  it('are looked for in what the store has, where a file here has one', async () => {
    const { asked, find } = withIds();
    const edits = [edit('a', 'A', null), edit('a two', 'A', null), edit('b', null, 'id=1')];
    expect((await find(edits, { A: 'id=1 and more' })).find(({ path }) => path === 'b')?.former).toBe('a');
    expect(asked).toEqual([['A']]);
    // Once.
    await find(edits);
    expect(asked.length).toBe(1);
    // One file with an id is enough.
    await find([edit('c', 'C', null), edit('d', null, 'no id'), edit('e', null, 'id=2')]);
    expect(asked).toEqual([['A'], ['C']]);
  });

  it('are not looked for where nothing can come of it', async () => {
    const { asked, read, find } = withIds();
    for (const edits of [[], [edit('a', 'A', null)], [edit('a', null, 'id=1')], [edit('a', 'A', 'id=1')]])
      expect(await find(edits)).toBe(edits);
    for (const edits of [
      [edit('a', 'A', null), edit('b', 'B', null)],
      [edit('a', null, 'id=1'), edit('b', null, 'id=2')],
    ])
      expect(await find(edits)).toBe(edits);
    expect([asked, read]).toEqual([[], []]);
    await find([edit('a', 'A', null), edit('b', null, 'no id')]);
    expect(asked).toEqual([]);
    expect(read).toEqual(['b']);
    expect((await find([edit('a', 'A', null), edit('b', 'B', null), edit('c', null, 'A')])).length).toBe(2);
  });

  it('of five hundred contents at once, and the last five thousand are remembered', async () => {
    const { asked, read, find } = withIds();
    const many = Array.from({ length: 501 }, (_, index) => edit(`${index}`, `h${index}`, null));
    await find([...many, edit('b', null, 'id=1')]);
    expect(asked[0]?.length).toBe(500);
    read.length = 0;
    const texts = Array.from({ length: 5_000 }, (_, index) => edit(`n${index}`, null, `t${index} id=${index}`));
    await find([edit('a', 'A', null), ...texts]);
    await find([edit('a', 'A', null), texts[0]!]);
    expect(read.filter((path) => path === 'n0').length).toBe(1);
    await find([edit('a', 'A', null), edit('one more', null, 'id=x')]);
    await find([edit('a', 'A', null), texts[0]!, texts[1]!]);
    expect([read.filter((path) => path === 'n0').length, read.filter((path) => path === 'n1').length]).toEqual([1, 2]);
  });
});

describe('looking at a folder', () => {
  const scene = () => {
    const files = memoryFolder({ 'a.md': '', 'sub/b.md': '', 'sub/deep/c.md': '', 'sub/.hidden/d.md': '' });
    files.set('pipe', { kind: 'other' });
    const [left, marks] = [[] as string[], [] as string[]];
    const stored = new Set<string>();
    const looking = createFolderScan(files, {
      dirty: { add: (folder, name = null) => void marks.push(`${folder}/${name}`) },
      onSkipped: (path, why) => void left.push(`${path}: ${why}`),
      isStored: (path) => stored.has(path),
    });
    const look = (more: Partial<DirtySet>): readonly string[] => [...looking.listCandidates(marked(more))].sort();
    return { files, looking, look, left, marks, stored };
  };
  const names = (...given: readonly string[]) => ({ names: new Set(given) });
  const folders = (...given: readonly string[]) => ({ folders: new Set(given) });

  it('finds every file, and later those that came and went', () => {
    const { files, look } = scene();
    expect(look({ isAll: true })).toEqual(['a.md', 'sub/b.md', 'sub/deep/c.md']);
    files.remove('sub/b.md');
    files.save('sub/new.md', '');
    files.save('sub/dir/e.md', '');
    expect(look(folders('sub'))).toEqual(['sub/b.md', 'sub/dir/e.md', 'sub/new.md']);
    files.remove('sub/deep');
    expect(look(folders('sub'))).toEqual(['sub/deep/c.md', 'sub/dir/e.md', 'sub/new.md'].filter((path) => path !== 'sub/dir/e.md'));
    files.remove('sub');
    expect(look(folders('sub'))).toEqual(['sub/dir/e.md', 'sub/new.md']);
    expect(look(folders('sub'))).toEqual([]);
  });

  it('looks at a name alone, and into it where it is or was a folder', () => {
    const { files, look, stored } = scene();
    expect(look(names('a.md', 'sub'))).toEqual(['a.md', 'sub/b.md', 'sub/deep/c.md']);
    expect(files.calls.filter((call) => call === 'list ')).toEqual([]);
    stored.add('sub');
    expect(look(names('sub'))).toEqual(['sub', 'sub/b.md', 'sub/deep/c.md']);
    files.remove('sub');
    files.save('sub', 'a file now');
    expect(look(names('sub'))).toEqual(['sub', 'sub/b.md', 'sub/deep/c.md']);
    expect(look(names(`${'x/'.repeat(101)}a`, 'never.md'))).toEqual(['never.md']);
  });

  it('lists a folder once, and of one under whose name another one may have come all that is below', () => {
    const { files, look } = scene();
    files.save('sub/deep/deeper/x.md', '');
    look({ isAll: true });
    files.calls.length = 0;
    files.save('sub/deep/new.md', '');
    files.save('sub/deep/deeper/new.md', '');
    const below = ['sub/b.md', 'sub/deep/c.md', 'sub/deep/deeper/new.md', 'sub/deep/deeper/x.md', 'sub/deep/new.md'];
    expect(look({ ...folders('sub', 'sub/deep'), ...names('sub') })).toEqual(below);
    const lists = (): readonly string[] => files.calls.filter((call) => call.startsWith('list ')).toSorted();
    expect(lists()).toEqual(['list sub', 'list sub/deep', 'list sub/deep/deeper']);
    files.calls.length = 0;
    expect(look(folders('sub'))).toEqual(['sub/b.md']);
    expect(lists()).toEqual(['list sub']);
    // A name that was heard of is known to have been there, and one that is gone is no folder any more.
    files.save('sub/heard.md', '');
    look(names('sub/heard.md'));
    files.remove('sub/heard.md');
    expect(look(folders('sub'))).toEqual(['sub/b.md', 'sub/heard.md']);
    files.remove('sub/deep');
    expect(look(names('sub/deep')).length).toBe(5);
    files.calls.length = 0;
    expect([look(names('sub/deep')), lists()]).toEqual([['sub/deep'], []]);
  });

  it('remembers what was reported of a folder that it knows', () => {
    const { files, looking, look } = scene();
    look({ isAll: true });
    looking.remember('sub/told.md', 'file');
    looking.remember('sub/told', 'folder');
    looking.remember('sub/none', undefined);
    looking.remember('unknown/x.md', 'file');
    files.calls.length = 0;
    // Both are not there: they count as gone.
    expect(look(folders('sub'))).toEqual(['sub/b.md', 'sub/told.md']);
    expect(files.calls.filter((call) => call.startsWith('list'))).toEqual(['list sub', 'list sub/told']);
  });

  it('counts what it has no right to look into as it was, says so, and looks again', () => {
    const { files, look, looking, left, marks } = scene();
    look({ isAll: true });
    files.failing = (call) => (/ sub(?:\/b\.md)?$/.test(call) ? Object.assign(new Error('EACCES'), { code: 'EACCES' }) : null);
    expect(look({ isAll: true })).toEqual(['a.md']);
    expect(marks).toEqual(['/sub']);
    expect(left).toEqual(['sub: this user has no right to look into it']);
    expect(look(names('sub/b.md'))).toEqual([]);
    expect(looking.hint('sub/b.md')).toBe('refused');
    expect(left.at(-1)).toBe('sub: this user has no right to look into it');
    files.failing = (call) => (call === 'list ' ? Object.assign(new Error('EACCES'), { code: 'EACCES' }) : null);
    look({ isAll: true });
    expect(marks.at(-1)).toBe('/null');
    files.failing = null;
    expect(look(folders('sub'))).toEqual(['sub/b.md']);
  });

  it('says what is behind a link', () => {
    const { files, looking } = scene();
    files.set('sub', { kind: 'link' });
    expect([
      looking.isBehindLink('sub/b.md'),
      looking.isBehindLink('sub'),
      looking.isBehindLink('a.md'),
      looking.isBehindLink('x/y'),
    ]).toEqual([true, false, false, false]);
  });
});

describe('names of which nothing was heard', () => {
  it('are those of files that nobody knows', () => {
    const files = memoryFolder({ 'a.md': '', 'b.md': '', '.hidden.md': '', 'sub/c.md': '', 'no/d.md': '' });
    files.set('pipe', { kind: 'other' });
    files.failing = (call) => (call === 'list no' ? Object.assign(new Error('EACCES'), { code: 'EACCES' }) : null);
    expect([...listUnreportedFiles(files, (path) => path === 'a.md')].sort()).toEqual(['b.md', 'sub/c.md']);
  });

  it('are those of the store that are gone, in folders that were looked into or are gone', () => {
    const base = new Map(['x/a', 'x/b', 'y/a', 'gone/a', 'n/a', 'n/b', 'there/a'].map((path) => [path, 'h']));
    const there = new Set(['x/b', 'there', 'y']);
    const asked: string[] = [];
    const hint = (path: string): object | null => {
      asked.push(path);
      return there.has(path) ? {} : null;
    };
    const found = listUnreportedRemovals(base, {
      dirty: marked({ folders: new Set(['x']), names: new Set(['n/b']) }),
      hint,
      isFound: (path) => path === 'n/b',
    });
    expect(found).toEqual(['x/a', 'gone/a', 'n/a']);
    expect(asked).toEqual(['x/a', 'x/b', 'y', 'gone', 'gone/a', 'n/a', 'there']);
    expect(
      listUnreportedRemovals(
        new Map([
          ['z/a', 'h'],
          ['z/b', 'h'],
        ]),
        { dirty: marked({}), hint, isFound: () => false },
      ),
    ).toEqual(['z/a', 'z/b']);
    expect(asked.filter((path) => path === 'z').length).toBe(1);
  });

  it('and are gone are brought back, but for one whose name another file has', () => {
    const found = planRestore([
      edit('a', 'A', null),
      edit('b', 'B', 'x'),
      edit('c', null, null),
      edit('d', 'D', null),
      { ...edit('d', null, 'x'), former: 'e' },
    ]);
    expect(found).toEqual([{ op: 'create', path: 'a', oldPath: null, before: null, hash: 'A', size: 0, event: [] }]);
    expect(asUnrestored({ change: found[0]!, why: 1 })).toEqual({ change: { ...found[0], op: 'update', before: 'A' }, why: 1 });
    const paths = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((path) => ({ path }));
    const begin = 'Files that were gone from the folder when it was opened are back from the store: a, b, c, d, e';
    expect([describeRestored([]), describeRestored(paths.slice(0, 5)), describeRestored(paths)]).toEqual([
      [],
      [`${begin}.`],
      [`${begin} and 2 more.`],
    ]);
  });
});

describe('what goes into the store', () => {
  it('of what people edited is what it was and what it is, with the contents that are new', () => {
    const [kept, renamed] = [
      { ...edit('b', 'same', 'same'), former: 'a' },
      { ...edit('d', 'C', 'D'), former: 'c' },
    ];
    const { changes, blobs } = editsToChanges([edit('n', null, 'new'), edit('e', 'E', 'changed'), edit('g', 'G', null), kept, renamed]);
    expect(changes.map(({ op, path, oldPath, before, hash, size }) => ({ op, path, oldPath, before, hash, size }))).toEqual([
      { op: 'create', path: 'n', oldPath: null, before: null, hash: 'new', size: 3 },
      { op: 'update', path: 'e', oldPath: null, before: 'E', hash: 'changed', size: 7 },
      { op: 'delete', path: 'g', oldPath: null, before: 'G', hash: null, size: 0 },
      { op: 'rename', path: 'b', oldPath: 'a', before: 'same', hash: 'same', size: 4 },
      { op: 'rename', path: 'd', oldPath: 'c', before: 'C', hash: 'D', size: 1 },
    ]);
    expect([...blobs.keys()]).toEqual(['new', 'changed', 'D']);
    const fields = changes.map(({ event }) => (event as { changes: unknown[] }[])[0]?.changes[0]);
    expect(fields).toEqual([
      { field: 'file', before: null, after: 'n' },
      { field: 'body', before: { file: expect.any(String) }, after: { file: expect.any(String), size: 7 } },
      { field: 'file', before: 'g', after: null },
      { field: 'path', before: 'a', after: 'b' },
      { field: 'path', before: 'c', after: 'd' },
    ]);
    expect(editToChange({ path: 'a', former: 'a', before: 'A', file: { hash: 'B', size: 1 } })).toMatchObject({
      event: [{ node: 'a', path: 'a', action: 'external' }],
    });
  });

  it('of a plan is each of its steps', () => {
    const events = [{ node: 'n', path: 'n', action: 'edited', changes: [], extra: 1 }];
    const image = Buffer.from('image');
    const steps = [
      { step: { kind: 'create', path: 'a', after: 'A' }, image, events },
      { step: { kind: 'replace', path: 'b', before: 'B', after: 'B2' }, image, events: [] },
      { step: { kind: 'remove', path: 'c', before: 'C' }, image: null, events },
      { step: { kind: 'move', path: 'd', from: 'd', to: 'e', before: 'D', after: 'D' }, image: null, events: [] },
      { step: { kind: 'move', path: 'f', from: 'f', to: 'F', before: 'F', after: 'F2' }, image, events: [] },
    ];
    const changes = [
      {},
      {},
      {},
      { kind: 'move', of: { bytes: Buffer.from('of d') } },
      { kind: 'move', of: { bytes: Buffer.from('of f') } },
    ];
    const plan = { id: 'batch', at: '2026-11-25T00:00:00Z', meta: { agent: 'ada' }, steps, prepared: { changes } } as never;
    const { changes: told, blobs } = planToChanges(plan);
    expect(told).toMatchObject([
      { op: 'create', path: 'a', oldPath: null, before: null, hash: 'A', size: 5, event: [{ node: 'n' }] },
      { op: 'update', path: 'b', oldPath: null, before: 'B', hash: 'B2', size: 5 },
      { op: 'delete', path: 'c', oldPath: null, before: 'C', hash: null, size: 0 },
      { op: 'rename', path: 'e', oldPath: 'd', before: 'D', hash: 'D', size: 4 },
      { op: 'rename', path: 'F', oldPath: 'f', before: 'F', hash: 'F2', size: 5 },
    ]);
    expect(told[0]?.event).toEqual([{ node: 'n', path: 'n', action: 'edited', changes: [] }]);
    expect([...blobs.keys()]).toEqual(['A', 'B2', 'F2']);
    const [first, second] = eventsOfPlan(plan, 7);
    expect([first?.seq, second?.seq, first?.batch, first?.agent, first?.timestamp]).toEqual([7, 8, 'batch', 'ada', '2026-11-25T00:00:00Z']);
    expect([first !== undefined && 'hash' in first, second !== undefined && 'hash' in second]).toEqual([true, false]);
  });

  it('and is in place is no edit', () => {
    const placed: unknown[] = [];
    const states = ['s0', 's1', null, 's3'] as never;
    recordStaged(
      { recordStaged: (...given) => void placed.push(given) },
      {
        steps: [
          { kind: 'create', path: 'a' },
          { kind: 'move', path: 'b', to: 'c' },
          { kind: 'create', path: 'd' },
          { kind: 'remove', path: 'e' },
        ].map((step) => ({ step })) as never,
      },
      { staged: states, hashes: ['A', 'C', 'D', null] },
    );
    expect(placed).toEqual([
      ['a', 'A', 's0'],
      ['c', 'C', 's1'],
    ]);
  });

  it('contents of the store are asked for up to 4 MB', async () => {
    const asked: unknown[] = [];
    const shared = {
      blobs: {
        async *getAll(...given: unknown[]) {
          asked.push(...given);
          yield { hash: 'A', bytes: Buffer.from('a') };
        },
      },
    };
    expect([...(await fetchContentsFrom(shared as never)(['A', 'B']))]).toEqual([['A', Buffer.from('a')]]);
    expect(asked).toEqual([['A', 'B'], { maxBytes: 4 * 1024 * 1024 }]);
  });
});

describe('the cache of a working copy', () => {
  const state = { size: 1, mtimeNs: 2n, ctimeNs: 3n, ino: 4n };
  const commits = [1, 2, 3].map((seq) => ({
    seq,
    batch: `b${seq}`,
    changes: [
      seq === 3
        ? { op: 'delete', path: 'b', oldPath: null, before: 'B', hash: null, size: 0 }
        : { op: 'update', path: `a`, oldPath: null, before: 'x', hash: `A${seq}`, size: 1 },
    ],
  }));
  const shared = {
    id: 'v',
    feed: { commitsAfter: async (seq: number, limit = 100) => commits.filter((commit) => commit.seq > seq).slice(0, limit) },
  } as never;
  const cache = (text: string | null = null) => {
    const own = {
      text,
      load: () => (own.text === null ? null : Buffer.from(own.text)),
      save: async (_: string, blocks: readonly Uint8Array[]) => void (own.text = Buffer.concat(blocks).toString()),
    };
    return own;
  };
  const editsOf = (uncachedReads: number, size = 2) => ({
    uncachedReads,
    base: new Map(
      Array.from({ length: size }, (_, index) => [index === 0 ? 'a' : index === 1 ? 'b' : `f${index}`, index === 0 ? 'A1' : 'B']),
    ),
    snapshot() {
      return { base: this.base, seen: [{ path: 'a', hash: 'A1', state: { ...state, birthNs: 5n } }] };
    },
  });
  const saved = async () => {
    const own = cache();
    await createStatCache(own as never).save(editsOf(1) as never, shared, { seq: 1, batch: 'b1' }, { isLast: true });
    return own;
  };

  it('is what the store had and what was seen, brought to where the folder stands', async () => {
    const own = await saved();
    const kept = createStatCache(own as never);
    const at = async (seq: number, batch: string | null) => {
      const found = await kept.load(shared, { seq, batch });
      return found && { base: Object.fromEntries(found.base), seen: found.seen };
    };
    const seen = [{ path: 'a', hash: 'A1', state: { ...state, birthNs: 5n } }];
    expect(await at(1, 'b1')).toEqual({ base: { a: 'A1', b: 'B' }, seen });
    expect(await at(2, 'b2')).toEqual({ base: { a: 'A2', b: 'B' }, seen });
    expect(await at(3, null)).toEqual({ base: { a: 'A2' }, seen });
    expect(await at(1, null)).toEqual({ base: { a: 'A1', b: 'B' }, seen });
    // Of a later commit, another vault, or another line.
    expect(await at(0, null)).toBe(null);
    expect(await createStatCache(own as never).load({ ...(shared as object), id: 'other' } as never, { seq: 1, batch: 'b1' })).toBe(null);
    own.text = own.text!.replace('"b1"', '"other"');
    expect(await at(2, 'b2')).toBe(null);
    expect(await at(1, 'b1')).toBe(null);
    own.text = '{';
    expect(await at(1, 'b1')).toBe(null);
    own.text = '{"format":2}';
    expect(await at(1, 'b1')).toBe(null);
    own.text = null;
    expect(await at(1, 'b1')).toBe(null);
  });

  it('is not brought further than two thousand commits', async () => {
    const own = await saved();
    const many = {
      id: 'v',
      feed: { commitsAfter: async (seq: number) => (seq === 0 ? commits : [{ seq: 9_999, batch: 'x', changes: [] }]) },
    } as never;
    expect(await createStatCache(own as never).load(many, { seq: 2_001, batch: 'x' })).not.toBe(null);
    expect(await createStatCache(own as never).load(many, { seq: 2_002, batch: 'x' })).toBe(null);
  });

  it('is written where enough of it is new, or at the end where anything is', async () => {
    const isSaved = async (uncachedReads: number, size: number, how: { isLast?: boolean } = {}, batch: string | null = 'b1') => {
      const own = cache();
      const edits = editsOf(uncachedReads, size);
      await createStatCache(own as never).save(
        edits as never,
        shared,
        { seq: batch === null ? 7 : 1, batch: batch === '?' ? null : batch },
        how,
      );
      expect(edits.uncachedReads).toBe(own.text === null ? uncachedReads : 0);
      return own.text !== null;
    };
    expect(await isSaved(0, 2, { isLast: true })).toBe(false);
    expect(await isSaved(1, 2, { isLast: true })).toBe(true);
    expect(await isSaved(200, 2)).toBe(false);
    expect(await isSaved(201, 2)).toBe(true);
    expect(await isSaved(400, 20_000)).toBe(false);
    expect(await isSaved(401, 20_000)).toBe(true);
    expect(await isSaved(1, 2, { isLast: true }, '?')).toBe(true);
    expect(await isSaved(1, 2, { isLast: true }, null)).toBe(false);
  });

  it('of a file whose birth is not known says nothing of it', async () => {
    const own = cache();
    const edits = {
      ...editsOf(1),
      snapshot: () => ({
        base: new Map([
          ['a', 'A'],
          ['b', 'B'],
        ]),
        seen: [{ path: 'a', hash: 'A', state }],
      }),
    };
    await createStatCache(own as never).save(edits as never, shared, { seq: 1, batch: 'b1' }, { isLast: true });
    expect(JSON.parse(own.text!)).toEqual({
      format: 1,
      vault: 'v',
      seq: 1,
      batch: 'b1',
      files: [
        ['a', 'A', { size: 1, mtimeNs: '2', ctimeNs: '3', ino: '4' }],
        ['b', 'B', null],
      ],
    });
  });
});
