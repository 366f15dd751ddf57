import { describe, expect, it } from 'vitest';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import { readAhead } from '../../../../src/vault/sync/first/read-ahead.ts';
import { createSlice, runInSlices } from '../../../../src/store/slices.ts';
import { memoryFolder } from './memory-folder.ts';
import { forget, openMemorySync } from './memory-sync.ts';

const manyNotes = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${String(index).padStart(4, '0')}.md`, `#n${index}`]));

describe('the first reading', () => {
  it('says how far it is', async () => {
    const memory = await openMemorySync(manyNotes(40), { isUnread: true });
    const { sync, files } = memory;
    expect(sync.firstScan.progress()).toEqual({ read: 0, total: null, isBefore: true });
    // What is asked about by name meanwhile is none of it.
    sync.look(['0001.md']);
    const seen: unknown[] = [];
    files.failing = (call) => {
      if (/^read 00[13]0/.test(call)) seen.push(sync.firstScan.progress());
      return null;
    };
    await sync.reconcile();
    expect(seen).toEqual([
      { read: 9, total: 39, isBefore: false },
      { read: 29, total: 39, isBefore: false },
    ]);
    expect(sync.firstScan.progress()).toBe(null);
  });

  it('names what it has yet to come to among the names that somebody asks about', async () => {
    const memory = await openMemorySync({ 'a.md': '', 'b.md': '', 'x/c.md': '', 'x/d.md': '' }, { isUnread: true });
    const { sync, files } = memory;
    const unread = (): readonly string[] => {
      const steps = sync.firstScan.findUnread(new Set(['a', 'c', 'd']));
      for (;;) {
        const step = steps.next();
        if (step.done === true) return step.value;
      }
    };
    expect(unread()).toEqual([]);
    let found: readonly string[] = [];
    files.failing = (call) => {
      if (call === 'read x/c.md') found = unread();
      return null;
    };
    await sync.reconcile();
    expect(found).toEqual(['x/c.md', 'x/d.md']);
    expect(unread()).toEqual([]);
  });

  it('gives way after every five hundred names', async () => {
    for (const [count, expected] of [
      [999, 1],
      [1_000, 2],
    ] as const) {
      const memory = await openMemorySync(manyNotes(count), { isUnread: true });
      let yields = 0;
      memory.files.failing = (call) => {
        if (call === 'read 0998.md') for (const _ of memory.sync.firstScan.findUnread(new Set())) yields++;
        return null;
      };
      await memory.sync.reconcile();
      expect(yields).toBe(expected);
    }
  });

  it('has come to all that it could read once it is done', async () => {
    const memory = await openMemorySync({ 'a.md': '', 'b.md': '' }, { isUnread: true });
    const { sync, files } = memory;
    const unread = (): unknown => sync.firstScan.findUnread(new Set(['a', 'new'])).next().value;
    files.failing = (call) => (call === 'read a.md' ? new Error('EACCES') : null);
    await sync.reconcile();
    expect(unread()).toEqual([]);
    files.save('new.md', 'torn', { size: 99 });
    await memory.flush(['', null]);
    expect(unread()).toEqual([]);
  });

  it('reads a note out of turn with those that its links name', async () => {
    const notes = { 'a.md': '[[x/C]] [[nobody]] [[a]]', 'b.md': '', 'x/c.md': 'C', 'x/d.md': '' };
    const memory = await openMemorySync(notes, { isUnread: true });
    const { sync, graph, files } = memory;
    let ahead: Promise<boolean> | null = null;
    let seen: readonly string[] = [];
    files.failing = (call) => {
      if (call === 'read b.md' && ahead === null) ahead = readAhead({ graph, sync, path: 'x/d.md' });
      return null;
    };
    expect(await readAhead({ graph, sync, path: 'never.md' })).toBe(false);
    expect(await readAhead({ graph, sync, path: 'a.png' })).toBe(false);
    await sync.reconcile();
    expect(await Promise.resolve(ahead)).toBe(true);
    files.failing = null;
    const again = await openMemorySync(notes, { isUnread: true });
    again.files.failing = (call) => {
      if (call === 'stat x') {
        again.sync.look(['a.md']);
        seen = again.paths();
      }
      return null;
    };
    await again.sync.reconcile();
    expect(seen).toEqual(['a.md']);
    forget(again);
    expect(await readAhead({ graph: again.graph, sync: again.sync, path: 'a.md' })).toBe(true);
    // All is read: nothing is read again.
    expect(again.looks()).toEqual([]);
  });

  it('reads along what its links name, up to a hundred notes, and resolves them', async () => {
    const memory = await openMemorySync({ 'a.md': '[[x/C#part|c]] [[nobody]]', ...manyNotes(101) }, { isUnread: true });
    const { sync, graph, files } = memory;
    const asked: string[] = [];
    const findUnread = function* (keys: ReadonlySet<string>): Generator<void, readonly string[]> {
      asked.push(...keys);
      yield;
      return Object.keys(manyNotes(101));
    };
    let resolved = 0;
    const resolve = graph.resolvePending.bind(graph);
    graph.resolvePending = function* () {
      resolved += 1;
      yield* resolve();
    };
    let turns = 0;
    const turn = (): void => void (turns++ < 1_000 && setImmediate(turn));
    turn();
    const ahead = { inventory: sync.inventory, look: (paths: readonly string[]) => sync.look(paths), firstScan: { findUnread } };
    expect(await readAhead({ graph, sync: ahead, path: 'a.md' })).toBe(true);
    expect(asked).toEqual(['c', 'nobody']);
    expect(memory.paths()).toEqual(['a.md', ...Object.keys(manyNotes(100))].sort());
    // Each lets others work.
    expect(turns).toBeGreaterThan(100);
    expect([resolved, files.calls.includes('read 0100.md')]).toEqual([1, false]);
  });
});

describe('folders whose names changed since they were listed', () => {
  it('are compared again, and those that were too young to tell', async () => {
    const folder = memoryFolder({ 'a.md': 'A', 'old/b.md': 'B', 'moved/c.md': 'C', 'young/d.md': 'D', 'gone/e.md': 'E' });
    folder.set('young', { kind: 'folder', mtimeMs: folder.time - 10 });
    const memory = await openMemorySync(folder);
    folder.move('moved/c.md', 'moved/new.md');
    folder.set('moved', { kind: 'folder', mtimeMs: folder.time });
    folder.remove('gone');
    memory.sync.markChanged();
    await memory.sync.flush();
    expect(
      memory
        .looks()
        .filter((look) => look.startsWith('list'))
        .toSorted(),
    ).toEqual(['list moved', 'list young']);
    expect(memory.paths()).toEqual(['a.md', 'moved/new.md', 'old/b.md', 'young/d.md']);
  });
});

describe('comparisons', () => {
  it('come one after the other: a change is found once', async () => {
    const memory = await openMemorySync({ 'a.md': '', 'b.md': '' });
    const { sync, files } = memory;
    files.save('a.md', 'changed');
    sync.mark('', null);
    await Promise.all([sync.flush(), sync.reconcile()]);
    expect(files.calls.filter((call) => call === 'list ').length).toBe(2);
    expect(memory.told.changed).toEqual(['a.md']);
  });

  it('that take long let others work, but no other comparison', async () => {
    const memory = await openMemorySync({ 'a.md': '', 'b.md': '' });
    const { sync, files } = memory;
    for (const name of ['a.md', 'b.md']) files.save(name, 'changed');
    files.failing = (call) => {
      const end = performance.now() + 10;
      // Longer than a slice.
      while (call.startsWith('read') && performance.now() < end);
      return null;
    };
    sync.mark('', null);
    await Promise.all([sync.flush(), sync.reconcile()]);
    expect(memory.looks()).toEqual(['list ', 'read a.md', 'read b.md', 'list ']);
  });

  it('leave no link to be resolved', async () => {
    const { graph, ...memory } = await openMemorySync({ 'a.md': '' });
    let resolved = 0;
    graph.resolvePending = function* () {
      resolved += 1;
      yield;
    };
    await memory.flush(['', null]);
    expect(resolved).toBe(1);
  });

  it('of nothing look at nothing', async () => {
    const memory = await openMemorySync({ 'a.md': '' });
    expect(memory.sync.hasMarks).toBe(false);
    await memory.sync.flush();
    expect(memory.files.calls).toEqual([]);
    memory.sync.mark('', 'a.md');
    expect(memory.sync.hasMarks).toBe(true);
    await memory.sync.reconcile();
    expect(memory.sync.hasMarks).toBe(false);
  });

  it('of a whole folder take in whatever was named in it, in any order', async () => {
    for (const marks of [
      [null, 'a.md'],
      ['a.md', null],
    ]) {
      const memory = await openMemorySync({ 'a.md': '' });
      memory.files.save('new.md', '');
      await memory.flush(...marks.map((name) => ['', name] as const));
      expect(memory.told.changed).toEqual(['new.md']);
      expect(memory.looks()).toEqual(['list ', 'read new.md']);
    }
  });

  it('look first at what was named, then at whole folders', async () => {
    const memory = await openMemorySync({ 'x/a.md': '', 'y/b.md': '' });
    memory.files.save('y/b.md', 'changed');
    memory.files.save('x/a.md', 'changed');
    await memory.flush(['x', null], ['y', 'b.md']);
    expect(memory.looks()).toEqual(['read y/b.md', 'list x', 'read x/a.md']);
  });

  it('tell of nothing where nothing came of them', async () => {
    const memory = await openMemorySync({ 'a.md': '' });
    let calls = 0;
    memory.sync.listen({ onChanged: () => calls++, onFolders: () => calls++, onBeingSaved: () => calls++ });
    await memory.sync.reconcile();
    memory.sync.look(['a.md']);
    expect(calls).toBe(0);
  });

  it('name the notes that are hidden', async () => {
    const memory = await openMemorySync({ 'a.md': '', 'b.md': '' }, { isHidden: (path) => path === 'b.md' });
    expect([...memory.graph.entries()].map(({ path }) => path)).toEqual(['a.md']);
    expect(memory.paths()).toEqual(['a.md', 'b.md']);
  });
});

describe('what roux wrote', () => {
  it('is known by its bytes, until somebody else wrote there', async () => {
    const memory = await openMemorySync({ 'a.md': '#one' });
    const { sync, files } = memory;
    expect(sync.isOwn('a.md', hashOf('#one'))).toBe(false);
    sync.look(['a.md'], { isOwn: true });
    expect(sync.isOwn('a.md', hashOf('#one'))).toBe(true);
    expect(sync.isOwn('a.md', hashOf('#two'))).toBe(false);
    files.save('a.md', '#three');
    sync.look(['a.md']);
    expect(sync.isOwn('a.md', hashOf('#three'))).toBe(false);
    sync.look(['a.md'], { isOwn: true });
    files.remove('a.md');
    sync.look(['a.md'], { isOwn: true });
    expect(sync.isOwn('a.md', hashOf('#three'))).toBe(false);
  });

  it('is remembered of the last thousand writes', async () => {
    const memory = await openMemorySync(manyNotes(1_001));
    const paths = Object.keys(manyNotes(1_001));
    memory.sync.look(paths.slice(0, 1_000), { isOwn: true });
    expect(memory.sync.isOwn('0000.md', hashOf('#n0'))).toBe(true);
    memory.sync.look(paths.slice(1_000), { isOwn: true });
    expect(memory.sync.isOwn('0000.md', hashOf('#n0'))).toBe(false);
    expect(memory.sync.isOwn('0001.md', hashOf('#n1'))).toBe(true);
    expect(memory.sync.isOwn('1000.md', hashOf('#n1000'))).toBe(true);
  });
});

describe('more than half of the notes vanish at once', () => {
  const lose = async (change: (memory: Awaited<ReturnType<typeof openMemorySync>>) => void | Promise<void>): Promise<boolean> => {
    const memory = await openMemorySync({ ...manyNotes(20), 'x/keep.md': '' });
    await change(memory);
    for (let index = 0; index < 15; index++) memory.files.remove(`${String(index).padStart(4, '0')}.md`);
    await memory.flush(['', null]);
    return memory.sync.isShrunk;
  };

  it('is an alarm, until they are back', async () => {
    const memory = await openMemorySync(manyNotes(20));
    const nodes = new Map(memory.files.nodes);
    for (const path of nodes.keys()) if (path !== '' && path < '0015.md') memory.files.remove(path);
    await memory.flush(['', null]);
    expect(memory.sync.isShrunk).toBe(true);
    for (const [path, node] of nodes) memory.files.nodes.set(path, node);
    await memory.flush(['', null]);
    expect(memory.sync.isShrunk).toBe(false);
  });

  it('is none where roux took them away or somebody meant it, and is one where they are asked about by name', async () => {
    expect(await lose(() => undefined)).toBe(true);
    expect(await lose(({ sync }) => sync.excuse(Object.keys(manyNotes(15))))).toBe(false);
    expect(await lose((memory) => void (memory.meantSince = Infinity))).toBe(false);
    const asked = await openMemorySync(manyNotes(20));
    const paths = Object.keys(manyNotes(15));
    for (const path of paths) asked.files.remove(path);
    asked.sync.look(paths);
    expect(asked.paths().length).toBe(5);
    expect(asked.sync.isShrunk).toBe(true);
    const own = await openMemorySync(manyNotes(20));
    // A comparison in the middle of the write sees them go; then roux tells that it was its own.
    for (const path of paths) own.files.remove(path);
    await own.flush(['', null]);
    expect(own.sync.isShrunk).toBe(true);
    own.sync.look(paths, { isOwn: true });
    expect(own.sync.isShrunk).toBe(false);
    const others = await openMemorySync(manyNotes(20));
    for (const path of paths) others.files.remove(path);
    await others.flush(['', null]);
    others.sync.look(Object.keys(manyNotes(20)).slice(15), { isOwn: true });
    expect(others.sync.isShrunk).toBe(true);
  });

  it('is one where roux had written or made them a moment before', async () => {
    const memory = await openMemorySync(manyNotes(10));
    const { files, sync } = memory;
    const paths = Object.keys(manyNotes(20));
    for (const path of paths) files.save(path, '#written');
    sync.look(paths, { isOwn: true });
    for (const path of paths.slice(0, 15)) files.remove(path);
    await memory.flush(['', null]);
    expect(sync.isShrunk).toBe(true);
  });

  it('is none before the first look', async () => {
    const memory = await openMemorySync(manyNotes(20), { isUnread: true });
    memory.sync.look(Object.keys(manyNotes(20)));
    for (const path of Object.keys(manyNotes(15))) memory.files.remove(path);
    await memory.sync.reconcile();
    expect(memory.paths().length).toBe(5);
    expect(memory.sync.isShrunk).toBe(false);
  });

  it('a loss is counted again after a look by name', async () => {
    expect(await lose(({ sync }) => sync.look(['x/keep.md']))).toBe(true);
  });
});

describe('what the last start kept', () => {
  it('is taken over, and only what changed since is read', async () => {
    const before = await openMemorySync({ 'a.md': '#a', 'b.md': '#b', 'x/c.png': '' });
    const packing = before.graph.pack();
    let step = packing.next();
    while (step.done !== true) step = packing.next();
    const graph = step.value;
    const notes = graph.entries.map(({ path }) => ({ path, ...before.sync.inventory.note(path) }));
    const after = await openMemorySync(before.files, { isUnread: true });
    // oxlint-disable-next-line require-yield
    await after.sync.fill(function* () {
      return { graph, notes } as never;
    });
    expect(after.paths()).toEqual(['a.md', 'b.md']);
    expect([...after.graph.attachments()]).toEqual(['x/c.png']);
    before.files.save('b.md', '#changed');
    forget(after);
    await after.sync.reconcile();
    expect(after.looks().filter((call) => call.startsWith('read'))).toEqual(['read b.md']);
    expect(after.told.changed).toEqual(['b.md']);
  });

  it('may lack what was seen of a note, which is read then', async () => {
    const before = await openMemorySync({ 'a.md': '#a', 'b.md': '#b' });
    const packing = before.graph.pack();
    let step = packing.next();
    while (step.done !== true) step = packing.next();
    const graph = step.value;
    const after = await openMemorySync(before.files, { isUnread: true });
    // oxlint-disable-next-line require-yield
    await after.sync.fill(function* () {
      return { graph, notes: [{ path: 'b.md', ...before.sync.inventory.note('b.md') }] } as never;
    });
    forget(after);
    await after.sync.reconcile();
    expect(after.looks()).toEqual(['list ', 'read a.md']);
  });

  it('may be nothing', async () => {
    const memory = await openMemorySync(memoryFolder({ 'a.md': '' }), { isUnread: true });
    // oxlint-disable-next-line require-yield
    await memory.sync.fill(function* () {
      return null;
    });
    expect(memory.paths()).toEqual([]);
  });
});

describe('slices', () => {
  it('steps are done one after the other as long as the slice lasts; then others come', async () => {
    let [left, begun, others] = [0, 0, 0];
    const slice = {
      begin() {
        begun += 1;
        left = 3;
      },
      isOver: () => (left -= 1) <= 0,
    };
    const immediate = (): void => void (others++ < 100 && setImmediate(immediate));
    immediate();
    const result = await runInSlices(
      slice,
      (function* () {
        for (let step = 0; step < 7; step++) yield;
        return 'done';
      })(),
    );
    expect(result).toBe('done');
    expect(begun).toBe(3);
    expect(others).toBeGreaterThan(1);
  });

  it('last as long as they were opened for, each anew', () => {
    const long = createSlice(3_600_000);
    expect(long.isOver()).toBe(true);
    long.begin();
    expect(long.isOver()).toBe(false);
    const none = createSlice(0);
    none.begin();
    expect(none.isOver()).toBe(true);
  });
});
