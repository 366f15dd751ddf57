import { describe, expect, it } from 'vitest';
import { compareFolders } from '../../../../src/vault/sync/compare-folders.ts';
import { memoryFolder } from './memory-folder.ts';
import { forget, openMemorySync } from './memory-sync.ts';

const SOURCE = { 'a.md': 'A', 'b.md': 'B', 'pic.png': '', 'sub/c.md': 'C', 'sub/d.png': '', 'sub/deep/e.md': 'E', 'sub2/f.md': 'F' };
const inside = (path: string) => ({ kind: 'link', leadsTo: { kind: 'inside', path } }) as const;

describe('the first comparison', () => {
  it('finds every note, attachment and folder, and reads each note once', async () => {
    const memory = await openMemorySync(SOURCE, { isUnread: true });
    await memory.sync.reconcile();
    expect(memory.paths()).toEqual(['a.md', 'b.md', 'sub/c.md', 'sub/deep/e.md', 'sub2/f.md']);
    expect([...memory.graph.attachments()].sort()).toEqual(['pic.png', 'sub/d.png']);
    expect(memory.told.fresh.sort()).toEqual(['', 'sub', 'sub/deep', 'sub2']);
    expect(memory.told.gone).toEqual([]);
    expect(memory.sync.counters).toEqual({ filesRead: 5, notesParsed: 5 });
    expect(memory.told.changed.length).toBe(7);
  });

  it('and a second one reads nothing and says nothing', async () => {
    const memory = await openMemorySync(SOURCE);
    await memory.sync.reconcile();
    expect(memory.looks().filter((call) => call.startsWith('read'))).toEqual([]);
    expect(memory.told).toEqual({ changed: [], gone: [], fresh: [], waits: [], saved: [], moved: [] });
  });
});

describe('names that events told', () => {
  it('of a note that was saved: it alone is read, and no folder is listed', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('sub/c.md', 'C2');
    await memory.flush(['sub', 'c.md'], ['', 'a.md'], ['', 'pic.png']);
    expect(memory.looks()).toEqual(['read sub/c.md']);
    expect(memory.told.changed).toEqual(['sub/c.md']);
  });

  it('of what was never known and is gone again: nothing is listed', async () => {
    const memory = await openMemorySync(SOURCE);
    await memory.flush(['', 'a.md.tmp'], ['', 'new']);
    expect(memory.looks()).toEqual([]);
    expect(memory.files.calls).toEqual([]);
  });

  it.each<[what: string, change: (memory: Awaited<ReturnType<typeof openMemorySync>>) => void, name: string, changed: readonly string[]]>([
    ['a new note', ({ files }) => files.save('sub/new.md', ''), 'new.md', ['sub/new.md']],
    ['a note that is gone', ({ files }) => files.remove('sub/c.md'), 'c.md', ['sub/c.md']],
    ['an attachment that is gone', ({ files }) => files.remove('sub/d.png'), 'd.png', ['sub/d.png']],
    ['a folder that is gone', ({ files }) => files.remove('sub/deep'), 'deep', ['sub/deep/e.md']],
    ['a folder in the place of a note', ({ files }) => files.set('sub/c.md', { kind: 'folder' }), 'c.md', ['sub/c.md']],
    ['a folder that holds something else', ({ files }) => files.save('sub/deep/g.md', ''), 'deep', ['sub/deep/g.md']],
  ])('of %s: the folder is listed', async (_, change, name, changed) => {
    const memory = await openMemorySync(SOURCE);
    change(memory);
    await memory.flush(['sub', name]);
    expect(memory.looks()).toContain('list sub');
    expect(memory.told.changed).toEqual(changed);
  });

  it('of a name that was skipped and is gone: the folder is listed', async () => {
    const files = memoryFolder(SOURCE);
    files.set('sub/pipe.md', { kind: 'other' });
    const memory = await openMemorySync(files);
    expect([...(memory.sync.inventory.folders.get('sub')?.skipped.keys() ?? [])]).toEqual(['pipe.md']);
    files.remove('sub/pipe.md');
    await memory.flush(['sub', 'pipe.md']);
    expect(memory.looks()).toEqual(['list sub']);
    expect(memory.sync.inventory.folders.get('sub')?.skipped.size).toBe(0);
  });

  it('in a folder that is another one by now: it is listed, and counts as gone and new', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.set('sub', { kind: 'folder', ino: 99n });
    await memory.flush(['sub', 'c.md']);
    expect(memory.looks()).toEqual(['list sub', 'list sub/deep']);
    expect(memory.told).toMatchObject({ gone: ['sub'], fresh: ['sub'], changed: [] });
  });

  it('in a folder that could not be listed before: it is listed again', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.failing = (call) => (call === 'list sub' ? new Error('EACCES') : null);
    await memory.flush(['sub', null]);
    expect(memory.sync.inventory.folders.get('sub')?.unreadable).toBe('EACCES');
    expect(memory.paths()).toContain('sub/c.md');
    memory.files.failing = null;
    forget(memory);
    await memory.flush(['sub', 'c.md']);
    expect(memory.looks()).toEqual(['list sub']);
    expect(memory.sync.inventory.folders.get('sub')?.unreadable).toBe(null);
  });

  it('that cannot be looked at one by one: the folder is listed', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.failing = (call) => (call === 'stat sub/c.md' ? new Error('EIO') : null);
    await memory.flush(['sub', 'c.md']);
    expect(memory.looks()).toEqual(['list sub']);
  });

  it('up to a hundred of one folder are looked at one by one, more by listing it', async () => {
    const notes = Array.from({ length: 101 }, (_, index) => `${index}.md`);
    const memory = await openMemorySync(Object.fromEntries(notes.map((name) => [name, ''])));
    await memory.flush(...notes.slice(1).map((name) => ['', name] as const));
    expect(memory.looks()).toEqual([]);
    await memory.flush(...notes.map((name) => ['', name] as const));
    expect(memory.looks()).toEqual(['list ']);
  });

  it('of a folder, in a folder that is listed: what is known below it is not compared', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('new.md', '');
    await memory.flush(['', 'new.md'], ['', 'sub']);
    expect(memory.looks()).toEqual(['list ', 'list sub', 'read new.md']);
  });

  it('say nothing of the others in the folder, which are not looked at', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('a.md', 'A2');
    memory.files.save('b.md', 'B2');
    memory.files.save('new.md', '');
    await memory.flush(['', 'b.md'], ['', 'new.md']);
    expect(memory.told.changed.sort()).toEqual(['b.md', 'new.md']);
    await memory.flush(['', null]);
    expect(memory.told.changed).toContain('a.md');
  });
});

describe('folders', () => {
  it('that are marked are compared by themselves: what is known below them is not', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('sub/deep/e.md', 'E2');
    await memory.flush(['sub', null]);
    expect(memory.looks()).toEqual(['list sub']);
    expect(memory.told.changed).toEqual([]);
  });

  it('that are new are gone through, each once', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('x/y/z.md', '');
    await memory.flush(['x', null], ['', null]);
    expect(memory.looks()).toEqual(['list ', 'list x', 'list x/y', 'read x/y/z.md']);
    expect(memory.told.fresh).toEqual(['x', 'x/y']);
    expect(memory.paths()).toContain('x/y/z.md');
  });

  it('that are gone take all below them along, and none that only begins like them', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.remove('sub');
    await memory.flush(['sub', null]);
    expect(memory.paths()).toEqual(['a.md', 'b.md', 'sub2/f.md']);
    expect([...memory.graph.attachments()]).toEqual(['pic.png']);
    expect(memory.told.gone.sort()).toEqual(['sub', 'sub/deep']);
    expect([...memory.sync.inventory.folders.keys()].sort()).toEqual(['', 'sub2']);
    expect([...(memory.sync.inventory.folders.get('')?.folders ?? [])]).toEqual(['sub2']);
  });

  it('under the root that is gone: nothing is taken for deleted', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.remove('');
    memory.files.nodes.clear();
    await memory.flush(['', null]);
    expect(memory.paths().length).toBe(5);
    expect(memory.sync.inventory.folders.get('')?.unreadable).toBe('it is not there');
  });

  it('whose identity was forgotten are watched anew, and are no other folders for that', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.sync.forgetFolders();
    await memory.flush(['sub', null]);
    expect(memory.told.gone).toEqual([]);
    expect(memory.told.fresh.sort()).toEqual(['sub', 'sub/deep']);
  });
});

describe('folders that are compared', () => {
  it('in the place of another one are gone through to the last', async () => {
    const memory = await openMemorySync({ ...SOURCE, 'sub/deep/more/g.md': 'G' });
    memory.files.set('sub', { kind: 'folder', ino: 99n });
    memory.files.save('sub/deep/more/g.md', 'G2');
    await memory.flush(['sub', null]);
    expect(memory.told.changed).toEqual(['sub/deep/more/g.md']);
  });

  it('with all that is below them, where everything is compared', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('sub/deep/e.md', 'E2');
    await memory.sync.reconcile();
    expect(memory.told.changed).toEqual(['sub/deep/e.md']);
  });

  it('that are gone are told of by themselves too', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.remove('sub2');
    await memory.flush(['', null]);
    expect(memory.told).toMatchObject({ gone: ['sub2'], fresh: [] });
  });

  it('an attachment that is gone is told of once', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.remove('pic.png');
    await memory.flush(['', null]);
    await memory.flush(['', null]);
    expect(memory.told.changed).toEqual(['pic.png']);
  });

  it('a note that cannot be looked at is read, which says why', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.failing = (call) => (/^(?:hint|read) a\.md$/.test(call) ? new Error('EACCES') : null);
    await memory.sync.reconcile();
    expect([...memory.sync.unreadable]).toEqual([['a.md', 'EACCES']]);
    expect(memory.told.changed).toEqual([]);
  });

  it('give way after the listing, and after every twenty notes', async () => {
    const count = async (notes: number, named: readonly string[] | null): Promise<number> => {
      const source = Object.fromEntries(Array.from({ length: notes }, (_, index) => [`${index}.md`, '']));
      const { files, sync } = await openMemorySync(source);
      const folders = new Map([['', named === null ? null : new Set(named)]]);
      const steps = compareFolders({ files, inventory: sync.inventory, racy: new Set() }, folders, false);
      let yields = 0;
      while (steps.next().done !== true) yields += 1;
      return yields;
    };
    expect([await count(19, null), await count(20, null), await count(40, null)]).toEqual([2, 3, 4]);
    expect(await count(1, ['0.md'])).toBe(1);
  });
});

describe('links and second names', () => {
  it('a link is looked at where it leads: where nothing changed there, it is not read again', async () => {
    const files = memoryFolder(SOURCE);
    files.set('link.md', inside('sub/c.md'));
    const memory = await openMemorySync(files);
    await memory.sync.reconcile();
    expect(memory.looks().filter((call) => call.startsWith('read'))).toEqual([]);
    // Beside a link, a note that did not change is no reason to list its folder.
    await memory.flush(['', 'a.md']);
    expect(memory.looks()).toEqual([]);
  });

  it('a link that is gone, or a file now, is none any more', async () => {
    for (const change of ['save', 'remove'] as const) {
      const files = memoryFolder(SOURCE);
      files.set('link.md', inside('sub/c.md'));
      const memory = await openMemorySync(files);
      files[change]('link.md', 'a file');
      await memory.flush(['', 'link.md']);
      forget(memory);
      files.save('a.md', 'A2');
      await memory.flush(['', 'a.md']);
      expect(memory.looks()).toEqual(['read a.md']);
    }
  });

  it('a link to a file that was renamed leads to its new name', async () => {
    const files = memoryFolder(SOURCE);
    files.set('link.md', inside('sub/c.md'));
    const memory = await openMemorySync(files);
    files.move('sub/c.md', 'sub/renamed.md');
    files.set('link.md', inside('sub/renamed.md'));
    await memory.flush(['', null]);
    memory.sync.look(['link.md']);
    expect(memory.sync.inventory.note('link.md')?.linkedTo).toBe('sub/renamed.md');
    expect([memory.paths().includes('link.md'), memory.told.changed]).toEqual([true, []]);
  });

  it('a link is read where it leads, and is followed when that is saved', async () => {
    const files = memoryFolder(SOURCE);
    files.set('link.md', inside('sub/c.md'));
    files.set('link.png', inside('sub/d.png'));
    const memory = await openMemorySync(files);
    expect(memory.sync.inventory.note('link.md')?.linkedTo).toBe('sub/c.md');
    expect([...memory.graph.attachments()]).toContain('link.png');
    files.save('sub/c.md', 'C2');
    // Of `b.md` something is told: the link beside it may show it.
    await memory.flush(['', 'b.md'], ['', 'link.md']);
    expect(memory.looks()).toEqual(['list ', 'read sub/c.md']);
    expect(memory.told.changed).toEqual(['link.md']);
    files.save('sub/c.md', 'C, again');
    files.save('a.md', 'A3');
    await memory.flush(['', 'a.md']);
    expect(memory.told.changed.sort()).toEqual(['a.md', 'link.md', 'link.md']);
  });

  it('a link to nothing is named as skipped, until it leads somewhere', async () => {
    const files = memoryFolder(SOURCE);
    files.set('link.md', { kind: 'link', leadsTo: { kind: 'nothing' } });
    const memory = await openMemorySync(files);
    const skipped = () => Object.fromEntries(memory.sync.inventory.folders.get('')?.skipped ?? []);
    expect(skipped()).toEqual({ 'link.md': 'is a symbolic link to nothing' });
    files.set('link.md', inside('a.md'));
    await memory.flush(['', null]);
    expect(skipped()).toEqual({});
    expect(memory.paths()).toContain('link.md');
  });

  it('a file with a second name is remembered as one, until it has none', async () => {
    const memory = await openMemorySync(SOURCE);
    const { hardLinked } = memory.sync.inventory;
    const node = memory.files.nodes.get('sub/c.md')!;
    memory.files.nodes.set('sub/c.md', { ...node, links: 2 });
    await memory.flush(['sub', null]);
    expect([...hardLinked]).toEqual(['sub/c.md']);
    memory.files.nodes.set('sub/c.md', node);
    await memory.flush(['sub', null]);
    expect([...hardLinked]).toEqual([]);
    memory.files.save('sub/c.md', 'C2', { links: 2 });
    await memory.flush(['sub', 'c.md']);
    expect([...hardLinked]).toEqual(['sub/c.md']);
    memory.files.remove('sub');
    await memory.flush(['', null]);
    expect([...hardLinked]).toEqual([]);
    memory.files.save('a.md', 'A2', { links: 2 });
    await memory.flush(['', 'a.md']);
    memory.files.remove('a.md');
    await memory.flush(['', 'a.md']);
    expect([...hardLinked]).toEqual([]);
  });
});

describe('single paths', () => {
  it('are looked at without any other', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('a.md', 'A2');
    memory.files.save('b.md', 'B2');
    memory.files.save('new.md', '');
    memory.files.remove('pic.png');
    memory.files.remove('sub/c.md');
    memory.files.save('new.png', '');
    memory.sync.look(['a.md', 'new.md', 'pic.png', 'new.png', 'sub/c.md', 'never.md', '.hidden.md', '../out.md', 'x/.b/c.md']);
    expect(memory.looks()).toEqual(['read a.md', 'read new.md']);
    expect(memory.told.changed.sort()).toEqual(['a.md', 'new.md', 'new.png', 'pic.png', 'sub/c.md']);
    expect([...memory.graph.attachments()].sort()).toEqual(['new.png', 'sub/d.png']);
    expect(memory.files.calls).not.toContain('stat .hidden.md');
    const seen = memory.sync.inventory.folders.get('')!;
    expect([...seen.attachments]).toEqual(['new.png']);
    // Both sides agree: the comparison that comes next has nothing to add.
    memory.files.save('b.md', 'B');
    memory.told.changed.length = 0;
    await memory.flush(['', 'new.png'], ['', 'pic.png']);
    expect(memory.told.changed).toEqual([]);
  });

  it('a link is read where it led before', async () => {
    const files = memoryFolder(SOURCE);
    files.set('link.md', inside('sub/c.md'));
    const memory = await openMemorySync(files);
    files.save('sub/c.md', 'C2');
    memory.sync.look(['link.md']);
    expect(memory.looks()).toEqual(['read sub/c.md']);
    expect(memory.sync.inventory.note('link.md')?.linkedTo).toBe('sub/c.md');
  });

  it('the new name of a renamed note is recognised as one', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.move('a.md', 'z.md');
    memory.sync.look(['z.md']);
    expect(memory.told.moved).toEqual(['a.md to z.md']);
    expect(memory.paths()).not.toContain('a.md');
  });

  it('a new note is none of those that are gone', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.remove('a.md');
    memory.files.save('z.md', 'Z');
    memory.sync.look(['z.md']);
    expect(memory.paths()).toContain('a.md');
  });

  it('several new notes come into the graph at once', async () => {
    const memory = await openMemorySync(SOURCE);
    for (const name of ['x', 'y', 'z']) memory.files.save(`${name}.md`, '');
    const changes: number[] = [];
    memory.graph.onChange((some) => void changes.push(some.length));
    memory.sync.look(['x.md', 'y.md', 'z.md']);
    expect(changes).toEqual([3]);
  });

  it('a copy, and what roux wrote itself, are no renames', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('z.md', 'A', { ino: memory.files.nodes.get('a.md')!.ino });
    memory.sync.look(['z.md']);
    expect(memory.paths()).toContain('a.md');
    memory.files.move('b.md', 'y.md');
    memory.sync.look(['y.md'], { isOwn: true });
    expect(memory.paths()).toContain('b.md');
  });

  it('in a folder that nobody has listed yet: those above it are compared next', async () => {
    const memory = await openMemorySync(SOURCE);
    memory.files.save('x/y/z.md', '');
    memory.files.save('x/other.md', '');
    memory.sync.look(['x/y/z.md']);
    expect(memory.paths()).toContain('x/y/z.md');
    expect(memory.sync.hasMarks).toBe(true);
    await memory.sync.flush();
    expect(memory.told.fresh.sort()).toEqual(['x', 'x/y']);
    expect(memory.paths()).toContain('x/other.md');
    memory.sync.look(['sub/deep/e.md']);
    expect(memory.sync.hasMarks).toBe(false);
  });
});
