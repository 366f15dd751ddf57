import { describe, expect, it } from 'vitest';
import { hashOf, MAX_FILE_BYTES } from '../../../../src/store/folder/hash.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { memoryFolder } from './memory-folder.ts';
import type { MemoryFolder } from './memory-folder.ts';
import { forget, openMemorySync } from './memory-sync.ts';
import type { MemorySync } from './memory-sync.ts';

const LONG = 'A text of some length.';
const tags = ({ graph }: MemorySync, path: string): readonly string[] | undefined => graph.get(path)?.tags;

describe('a note that is being saved', () => {
  it.each([
    ['emptied just now', '', 0, true],
    ['emptied almost a second ago', '', 999, true],
    ['emptied a second ago', '', 1_000, false],
    ['emptied in the future', '', -1, false],
    ['shortened just now', '#b', 49, true],
    ['shortened a moment ago', '#b', 50, false],
    ['of the same length, just now', `#b${LONG.slice(2)}`, 0, false],
  ])('%s: what was known is served until it is whole', async (_, text, age, isWaiting) => {
    const memory = await openMemorySync({ 'a.md': LONG, 'b.md': '' });
    memory.files.save('a.md', text, { mtimeMs: memory.files.time - age });
    await memory.flush(['', 'a.md']);
    expect(memory.told.changed).toEqual(isWaiting ? [] : ['a.md']);
    expect(memory.sync.hasMarks).toBe(isWaiting || age < 50);
    expect(memory.told.waits).toEqual(isWaiting ? [60] : age < 50 ? [1_000] : []);
  });

  it('is read at once where nothing was known of it, or roux wrote it', async () => {
    const memory = await openMemorySync({ 'a.md': LONG });
    memory.files.save('new.md', '', { mtimeMs: memory.files.time });
    memory.files.save('a.md', '', { mtimeMs: memory.files.time });
    await memory.flush(['', 'new.md']);
    memory.sync.look(['a.md'], { isOwn: true });
    expect(memory.told.changed.sort()).toEqual(['a.md', 'new.md']);
  });

  it('whose bytes are not as many as its size says is looked at again', async () => {
    const memory = await openMemorySync({ 'a.md': LONG });
    memory.files.save('a.md', '#torn', { size: 99 });
    await memory.flush(['', 'a.md']);
    expect(memory.told).toMatchObject({ changed: [], waits: [60] });
    memory.files.save('a.md', '#whole');
    await memory.sync.flush();
    expect(tags(memory, 'a.md')).toEqual(['whole']);
    expect(memory.sync.hasMarks).toBe(false);
  });

  it('is waited for by whoever asks for everything, which is compared once', async () => {
    const memory = await openMemorySync({ 'a.md': LONG, 'sub/b.md': '' });
    memory.files.save('a.md', '', { mtimeMs: memory.files.time });
    const done = memory.sync.reconcile();
    setTimeout(() => memory.files.save('a.md', '#done'), 20);
    await done;
    expect(tags(memory, 'a.md')).toEqual(['done']);
    expect(memory.looks().filter((call) => call === 'list sub')).toHaveLength(1);
    expect(memory.sync.hasMarks).toBe(false);
  });

  it('for ever is not waited for longer than twenty times', () =>
    inSimulatedTime(async () => {
      const memory = await openMemorySync({ 'a.md': LONG });
      memory.files.save('a.md', '', { mtimeMs: memory.files.time });
      const since = performance.now();
      await memory.sync.reconcile();
      expect(performance.now() - since).toBe(20 * 60);
    }));

  it('and has gone when it is to be read is dropped, if it was known', async () => {
    const memory = await openMemorySync({ 'a.md': LONG, 'b.md': '' });
    const { files } = memory;
    for (const name of ['a.md', 'new.md']) files.save(name, 'changed');
    files.failing = (call) => {
      if (/^read (?:a|new)\.md$/.test(call)) files.remove(call.slice(5));
      return null;
    };
    await memory.flush(['', null]);
    expect([memory.paths(), memory.told.changed]).toEqual([['b.md'], ['a.md']]);
    expect(memory.sync.inventory.note('a.md')).toBe(null);
  });
});

describe('a note that was saved a moment ago', () => {
  it.each([
    ['49 ms', { age: 49, isWhole: false }, true],
    ['50 ms', { age: 50, isWhole: false }, false],
    ['2,099 ms, where times are whole seconds', { age: 2_099, isWhole: true }, true],
    ['2,100 ms, where times are whole seconds', { age: 2_100, isWhole: true }, false],
  ])('%s: is read again, as a second save may have the same times', async (_, { age, isWhole }, isRacy) => {
    const memory = await openMemorySync({ 'a.md': LONG });
    const { files } = memory;
    files.time = 36_000_000 + age;
    const time = isWhole ? { mtimeNs: 36_000_000_000_000n } : { mtimeMs: 36_000_000 };
    files.save('a.md', '#one of the same length', time);
    await memory.flush(['', 'a.md']);
    expect([...memory.sync.racy]).toEqual(isRacy ? ['a.md'] : []);
    files.save('a.md', '#two of the same length', time);
    files.time += 60_000;
    await memory.flush();
    expect(tags(memory, 'a.md')).toEqual([isRacy ? 'two' : 'one']);
    expect([...memory.sync.racy]).toEqual([]);
  });

  it('is forgotten as such when it is gone', async () => {
    const memory = await openMemorySync({ 'a.md': LONG, 'b.md': '' });
    memory.files.save('a.md', '#one, which is long enough', { mtimeMs: memory.files.time });
    await memory.flush(['', 'a.md']);
    memory.files.remove('a.md');
    await memory.flush();
    expect([...memory.sync.racy]).toEqual([]);
    expect(memory.paths()).toEqual(['b.md']);
  });
});

describe('bytes that were read', () => {
  it('and are the same under newer times are parsed again, those of known times are not', async () => {
    const memory = await openMemorySync({ 'a.md': LONG });
    const { notesParsed } = memory.sync.counters;
    memory.sync.look(['a.md']);
    expect(memory.sync.counters.notesParsed).toBe(notesParsed);
    expect(memory.told.changed).toEqual([]);
    memory.files.save('a.md', LONG, { mtimeMs: memory.files.time - 1_000 });
    memory.sync.look(['a.md']);
    expect(memory.sync.counters.notesParsed).toBe(notesParsed + 1);
  });

  it('are read and parsed again once they were forgotten', async () => {
    const memory = await openMemorySync({ 'a.md': LONG });
    const { filesRead, notesParsed } = memory.sync.counters;
    memory.sync.forget(['a.md', 'never.md']);
    memory.sync.look(['a.md']);
    expect(memory.sync.counters).toEqual({ filesRead: filesRead + 1, notesParsed: notesParsed + 1 });
    expect(memory.sync.inventory.note('a.md')?.hash).toBe(hashOf(LONG));
    expect(memory.sync.inventory.note('never.md')).toBe(null);
  });

  it('of a note of more than a megabyte are indexed up to there', async () => {
    const memory = await openMemorySync({ 'a.md': `#first ${'x'.repeat(1024 * 1024)} #last` });
    expect(tags(memory, 'a.md')).toEqual(['first']);
  });

  it('cannot be read: it is said why, and what was known is served', async () => {
    const memory = await openMemorySync({ 'a.md': '#known' });
    memory.files.save('a.md', '#changed');
    memory.files.failing = (call) => (call === 'read a.md' ? new Error('EACCES') : null);
    await memory.flush(['', 'a.md']);
    expect([...memory.sync.unreadable]).toEqual([['a.md', 'EACCES']]);
    expect(tags(memory, 'a.md')).toEqual(['known']);
    memory.files.failing = null;
    await memory.flush(['', 'a.md']);
    expect(memory.sync.unreadable.size).toBe(0);
    memory.files.save('a.md', '#again');
    memory.files.failing = (call) => (call === 'read a.md' ? new Error('EACCES') : null);
    await memory.flush(['', 'a.md']);
    memory.files.failing = null;
    memory.files.remove('a.md');
    await memory.flush(['', 'a.md']);
    expect(memory.sync.unreadable.size).toBe(0);
  });

  it('of a note that held roux before are not parsed, and it is said why', async () => {
    const held = new Map([[hashOf('#slow'), { path: 'a.md', hash: hashOf('#slow'), seconds: 2 }]]);
    const memory = await openMemorySync({ 'a.md': '#slow', 'b.md': '#b' }, { held });
    expect(memory.paths()).toEqual(['b.md']);
    expect(memory.sync.unreadable.get('a.md')).toContain('reading it held roux for 2 s or more');
    memory.files.save('a.md', '#quick');
    await memory.flush(['', null]);
    expect(memory.paths()).toEqual(['a.md', 'b.md']);
    expect(memory.sync.unreadable.size).toBe(0);
  });

  it('are those that roux wrote, as long as they stand in the file', async () => {
    const memory = await openMemorySync({ 'a.md': LONG });
    const { files, sync } = memory;
    const write = (text: string, change: (state: { ino: bigint; mtimeNs: bigint; birthNs: bigint }) => object = () => ({})) => {
      files.save('a.md', text);
      const { ino, mtimeNs, birthNs } = files.stat('a.md')!;
      const state = { ino, mtimeNs, birthNs };
      forget(memory);
      const bytes = Buffer.from(text);
      sync.look(['a.md'], { isOwn: true, own: new Map([['a.md', { bytes, hash: hashOf(bytes), state: { ...state, ...change(state) } }]]) });
      return memory.looks();
    };
    const { filesRead } = sync.counters;
    expect(write('#one of some length')).toEqual([]);
    expect(sync.counters.filesRead).toBe(filesRead);
    expect(tags(memory, 'a.md')).toEqual(['one']);
    expect(sync.isOwn('a.md', hashOf('#one of some length'))).toBe(true);
    expect(write('#two of some length', ({ ino }) => ({ ino: ino + 1n }))).toEqual(['read a.md']);
    expect(write('#three of some length', ({ mtimeNs }) => ({ mtimeNs: mtimeNs + 1n }))).toEqual(['read a.md']);
    files.save('a.md', 'more than that');
    forget(memory);
    const { ino, mtimeNs, birthNs } = files.stat('a.md')!;
    sync.look(['a.md'], {
      isOwn: true,
      own: new Map([['a.md', { bytes: Buffer.from('#x'), hash: hashOf('#x'), state: { ino, mtimeNs, birthNs } }]]),
    });
    expect(memory.looks()).toEqual(['read a.md']);
  });

  it('of a large note are its beginning, and its hash stands for its size and time', async () => {
    const files = memoryFolder({ 'large.md': '#large' });
    files.save('large.md', '#large', { size: MAX_FILE_BYTES + 1 });
    const memory = await openMemorySync(files);
    files.save('whole.md', '#whole', { size: MAX_FILE_BYTES });
    await memory.flush(['', 'whole.md']);
    expect(tags(memory, 'large.md')).toEqual(['large']);
    expect(memory.graph.get('large.md')?.problems.map(({ code }) => code)).toEqual(['too-large-to-write']);
    expect(memory.sync.inventory.note('large.md')?.hash).not.toBe(hashOf('#large'));
    // Fewer bytes than its size says.
    expect(memory.graph.get('whole.md')).toBe(null);
  });
});

describe('a note that is gone here and new there', () => {
  const moved = async (
    source: Readonly<Record<string, string>>,
    change: (memory: MemorySync) => void,
  ): Promise<{ moved: readonly string[]; paths: readonly string[] }> => {
    const memory = await openMemorySync(source);
    change(memory);
    await memory.flush(['', null], ...[...memory.sync.inventory.folders.keys()].map((folder) => [folder, null] as const));
    return { moved: memory.told.moved.sort(), paths: memory.paths() };
  };
  const withId = (id: string, text = ''): string => `---\nid: ${id}\n---\n${text}`;

  it('has moved where it has the same id, be it another file with other text', async () => {
    expect(
      await moved({ 'a.md': withId('one', 'A'), 'b.md': 'B' }, ({ files }) => {
        files.remove('a.md');
        files.save('x/z.md', withId('one', 'Z'), { ino: 500n });
      }),
    ).toEqual({ moved: ['a.md to x/z.md'], paths: ['b.md', 'x/z.md'] });
  });

  it('has not moved where two had that id', async () => {
    expect(
      await moved({ 'a.md': withId('one', 'A'), 'b.md': withId('one', 'B') }, ({ files }) => {
        files.remove('a.md');
        files.remove('b.md');
        files.save('z.md', withId('one', 'Z'), { ino: 500n });
      }),
    ).toEqual({ moved: [], paths: ['z.md'] });
  });

  it('has moved where it has the same text, and of several the one with its inode, or else its name', async () => {
    expect(
      await moved({ 'a.md': LONG }, ({ files }) => {
        files.remove('a.md');
        files.save('z.md', LONG, { ino: 500n });
      }),
    ).toMatchObject({ moved: ['a.md to z.md'] });
    expect(
      await moved({ 'a.md': LONG, 'b.md': LONG }, ({ files }) => {
        files.remove('a.md');
        files.move('b.md', 'z.md');
      }),
    ).toMatchObject({ moved: ['b.md to z.md'] });
    expect(
      await moved({ 'x/a.md': LONG, 'x/b.md': LONG }, ({ files }) => {
        files.remove('x');
        files.save('b.md', LONG, { ino: 500n });
      }),
    ).toMatchObject({ moved: ['x/b.md to b.md'] });
    expect(
      await moved({ 'x/a.md': LONG, 'x/b.md': LONG }, ({ files }) => {
        files.remove('x');
        files.save('z.md', LONG, { ino: 500n });
      }),
    ).toMatchObject({ moved: [] });
  });

  it('each only once', async () => {
    expect(
      await moved({ 'a.md': LONG }, ({ files }) => {
        files.remove('a.md');
        files.save('y.md', LONG, { ino: 500n });
        files.save('z.md', LONG, { ino: 501n });
      }),
    ).toEqual({ moved: ['a.md to y.md'], paths: ['y.md', 'z.md'] });
  });

  it('leaves its old name to nobody, and both names are told', async () => {
    const memory = await openMemorySync({ 'a.md': LONG });
    memory.files.move('a.md', 'z.md');
    await memory.flush(['', null]);
    expect(memory.told.changed.sort()).toEqual(['a.md', 'z.md']);
    expect(memory.sync.inventory.note('a.md')).toBe(null);
  });

  it('is no loss, however many move', async () => {
    const source = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x/${index}.md`, `#n${index}`]));
    const memory = await openMemorySync(source);
    memory.files.move('x', 'y');
    await memory.flush(['', null]);
    expect([memory.told.moved.length, memory.sync.isShrunk]).toEqual([20, false]);
  });

  it('of two with one text, the one that is left after the other was found is it', async () => {
    expect(
      await moved({ 'a.md': LONG, 'b.md': LONG }, ({ files }) => {
        files.move('a.md', 'y.md');
        files.remove('b.md');
        files.save('z.md', LONG, { ino: 500n });
      }),
    ).toMatchObject({ moved: ['a.md to y.md', 'b.md to z.md'] });
  });

  it('has not moved where both are empty, as many notes are', async () => {
    expect(
      await moved({ 'a.md': '' }, ({ files }) => {
        files.remove('a.md');
        files.save('z.md', '', { ino: 500n });
      }),
    ).toMatchObject({ moved: [] });
  });

  it('has moved where it is the same file of the same name in another folder, with other text', async () => {
    const change =
      (to: string) =>
      ({ files }: MemorySync): void => {
        files.move('x/a.md', to);
        files.save(to, 'Another text.');
      };
    expect(await moved({ 'x/a.md': LONG }, change('y/a.md'))).toMatchObject({ moved: ['x/a.md to y/a.md'] });
    expect(await moved({ 'x/a.md': LONG }, change('y/b.md'))).toMatchObject({ moved: [] });
  });

  it('has not moved where there was a note already', async () => {
    expect(
      await moved({ 'a.md': LONG, 'b.md': 'B' }, ({ files }) => {
        files.remove('a.md');
        files.save('b.md', LONG);
      }),
    ).toEqual({ moved: [], paths: ['b.md'] });
  });

  it('and is back when it is to leave the graph: it stays', async () => {
    const memory = await openMemorySync({ 'a.md': LONG, 'b.md': 'B' });
    const { files } = memory;
    const node = files.nodes.get('a.md')!;
    files.remove('a.md');
    files.failing = (call) => {
      if (call === 'stat a.md') files.nodes.set('a.md', node);
      return null;
    };
    await memory.flush(['', null]);
    expect(memory.paths()).toEqual(['a.md', 'b.md']);
    expect(memory.told.changed).toEqual([]);
  });

  it('and is back with another text, or emptied, when it is to leave the graph: it is read as any other', async () => {
    for (const [text, waits] of [
      ['#other', []],
      ['', [60]],
    ] as const) {
      const memory = await openMemorySync({ 'a.md': '#known', 'b.md': 'B' });
      const { files } = memory;
      files.remove('a.md');
      files.failing = (call) => {
        if (call === 'stat a.md') files.save('a.md', text, text === '' ? { mtimeMs: files.time } : {});
        return null;
      };
      await memory.flush(['', null]);
      expect([tags(memory, 'a.md'), memory.told.waits]).toEqual([text === '' ? ['known'] : ['other'], waits]);
    }
  });

  it('a folder that is back in the middle of a comparison has lost nothing', async () => {
    const notes = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x/${index}.md`, `#n${index}`]));
    const memory = await openMemorySync({ ...notes, 'x/a.png': '' });
    const { files } = memory;
    const nodes = [...files.nodes].filter(([path]) => path.startsWith('x'));
    files.remove('x');
    files.failing = (call) => {
      if (call === 'stat x') for (const [path, node] of nodes) files.nodes.set(path, node);
      return null;
    };
    // The last one that was marked comes first.
    await memory.flush(['x', null], ['', null]);
    expect([memory.paths().length, [...memory.graph.attachments()]]).toEqual([20, ['x/a.png']]);
    expect(memory.sync.isShrunk).toBe(false);
  });

  it('an attachment in a folder that is another one now stays, and goes with it', async () => {
    const memory = await openMemorySync({ 'x/a.png': '' });
    memory.files.set('x', { kind: 'folder', ino: 400n });
    await memory.flush(['', null]);
    expect([...memory.graph.attachments()]).toEqual(['x/a.png']);
    memory.files.remove('x');
    await memory.flush(['', null]);
    expect([...memory.graph.attachments()]).toEqual([]);
    expect(memory.told.changed).toEqual(['x/a.png']);
  });
});

describe('what a note linked to before it was saved', () => {
  it('is told with what it links to now', async () => {
    const memory = await openMemorySync({ 'a.md': '[[b]] and [[c#Part|c]] and [[nobody]]', 'b.md': 'B', 'c.md': 'C' });
    memory.files.save('a.md', '[[c]] and [[d]]');
    await memory.flush(['', 'a.md']);
    expect(memory.told.saved).toEqual([{ path: 'a.md', before: { b: 'b.md', c: 'c.md' }, after: ['c', 'd'] }]);
    memory.told.saved.length = 0;
    memory.files.remove('a.md');
    await memory.flush(['', 'a.md']);
    expect(memory.told.saved).toEqual([{ path: 'a.md', before: { c: 'c.md' }, after: [] }]);
  });

  it('is not told where it linked to nothing, is new, or roux wrote it', async () => {
    const memory = await openMemorySync({ 'a.md': '[[nobody]]', 'b.md': '[[a]]', 'c.md': 'C' });
    memory.files.save('a.md', 'no link any more');
    memory.files.save('new.md', '[[a]]');
    memory.files.save('b.md', 'no link');
    memory.sync.look(['b.md'], { isOwn: true });
    memory.files.remove('c.md');
    await memory.flush(['', null]);
    expect(memory.told.saved).toEqual([]);
  });

  it('is told of up to a hundred notes at once: more are a checkout', async () => {
    for (const count of [100, 101]) {
      const names = Array.from({ length: count }, (_, index) => `${index}.md`);
      const memory = await openMemorySync({ 'to.md': '', ...Object.fromEntries(names.map((name) => [name, '[[to]]'])) });
      for (const name of names.slice(1)) memory.files.save(name, 'changed');
      memory.files.remove('0.md');
      await memory.flush(['', null]);
      expect(memory.told.saved.length).toBe(count === 100 ? 100 : 0);
    }
  });
});

describe('a disk that ignores case', () => {
  /** Lists all names in lower case, and finds them in any. */
  function folding(files: MemoryFolder): MemoryFolder {
    return {
      ...files,
      stat: (path) => files.stat(path.toLowerCase()),
      hint: (path) => files.hint(path.toLowerCase()),
      read: (path, range) => files.read(path.toLowerCase(), range),
    };
  }

  it('has a note once that was asked for by another name', async () => {
    const memory = await openMemorySync(folding(memoryFolder({ 'note.md': 'N' })));
    memory.sync.look(['Note.md']);
    expect(memory.paths()).toEqual(['note.md']);
  });

  it.each([
    ['before', ['new.md', 'New.md']],
    ['after', ['New.md', 'new.md']],
  ])('has a note once that roux made, where events tell of it %s roux does', async (_, order) => {
    const memory = await openMemorySync(folding(memoryFolder({ 'note.md': 'N' })));
    memory.files.save('new.md', '[[note]]');
    for (const path of order) {
      if (path === 'New.md') memory.sync.look([path], { isOwn: true });
      else await memory.flush(['', path]);
    }
    await memory.sync.flush();
    expect(memory.paths()).toEqual(['new.md', 'note.md']);
    expect(memory.graph.backlinks('note.md')).toHaveLength(1);
    expect(memory.sync.hasMarks).toBe(false);
  });

  it('but not a hard link, which is a name of its own', async () => {
    const memory = await openMemorySync({ 'a.md': 'A' });
    memory.files.set('b.md', { ...memory.files.nodes.get('a.md')!, links: 2 });
    memory.sync.look(['b.md']);
    await memory.sync.reconcile();
    expect(memory.paths()).toEqual(['a.md', 'b.md']);
  });
});
