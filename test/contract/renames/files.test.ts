import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { filesIn, refused, renamed, withFiles } from './vault-files.ts';

const canvas = '{"nodes":[{"id":"1","type":"file","file":"img/old.png"},{"id":"2","type":"text","text":"![[old.png]] a"}]}\n';

const mixed = {
  'in/Soil.md': '---\ntags: [garden, old/deep]\n---\n# Soil\n\n## Feeding\n\nText ^fact\n',
  'in/tea.md': '[[Soil#Feeding]] ![[Soil#^fact]] ![[old.png|300]] #old\n',
  'far/x.md': 'A [[in/Soil]].\n',
  'img/old.png': 'PNG',
  'board.canvas': canvas,
};
const mixedChanges = {
  'far/': 'near/by/',
  Soil: 'Earth',
  tea: 'drinks/',
  'old.png': 'new.png',
  'Soil#Feeding': 'Food',
  'Soil#^fact': '^claim',
  '#old': '#new',
};

describe('E-14 rename', () => {
  it('E-14 takes any mix as one write, which undo takes back', async () => {
    const { after, answer } = await renamed(mixed, mixedChanges);
    expect(answer).toEqual({
      renamed: [
        { from: 'far/', to: 'near/by/', files: 1 },
        { from: 'in/Soil.md', to: 'in/Earth.md' },
        { from: 'in/tea.md', to: 'drinks/tea.md' },
        { from: 'img/old.png', to: 'img/new.png' },
        { from: 'in/Soil.md#Feeding', to: 'in/Earth.md#Food' },
        { from: 'in/Soil.md#^fact', to: 'in/Earth.md#^claim' },
        { from: '#old', to: '#new', files: 2 },
      ],
      links_rewritten_in: 3,
      batch: expect.any(String),
    });
    expect(after).toEqual({
      'in/Earth.md': '---\ntags: [garden, new/deep]\n---\n# Soil\n\n## Food\n\nText ^claim\n',
      'drinks/tea.md': '[[Earth#Food]] ![[Earth#^claim]] ![[new.png|300]] #new\n',
      'near/by/x.md': 'A [[in/Earth]].\n',
      'img/new.png': 'PNG',
      'board.canvas': canvas.replaceAll('old.png', 'new.png'),
    });
  });

  it('E-14 dry_run shows the difference, writes nothing, and stays short', () =>
    withFiles(
      { ...mixed, ...Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n/${at}.md`, `${'long '.repeat(40)}[[Soil]]\n`])) },
      async ({ ask, call }, vault) => {
        const before = filesIn(vault);
        const changes = Object.entries(mixedChanges).map(([from, to]) => ({ from, to }));
        const dry = await ask('rename', { changes, dry_run: true });
        expect(dry).toMatchObject({ dry_run: true, renamed: { length: 7 }, links_rewritten_in: 303 });
        expect(dry.diff).toContain('+## Food');
        expect(dry.diff).toMatch(/… \d+ more characters of this diff are not shown\.\n$/);
        expect(dry.batch).toBeUndefined();
        expect(filesIn(vault)).toEqual(before);
        const answer = await call('rename', {
          changes: [{ from: 'n/', to: 'm/' }, ...[...Array(300).keys()].map((at) => ({ from: `n/${at}`, to: `${'x'.repeat(150)} ${at}` }))],
        });
        expect(JSON.stringify(answer).length).toBeLessThan(40_000);
        expect(vault.list('m')).toHaveLength(300);
      },
    ));

  it('E-14 one change that cannot be leaves all others undone', async () => {
    const error = await refused(mixed, { ...mixedChanges, 'no such note': 'x' });
    expect(error).toMatchObject({ code: 'NODE_NOT_FOUND' });
  });

  it.each([
    ['a note onto itself', { 'a/N': 'a/N.md' }, 'INVALID_PARAMS', 'called that already'],
    ['a note onto its title', { 'a/N': 'N' }, 'INVALID_PARAMS', 'called that already'],
    ['a folder into itself', { 'a/': 'a/b/' }, 'INVALID_PARAMS', 'into itself'],
    ['a folder onto itself', { 'a/': 'a/' }, 'INVALID_PARAMS', 'two different folders'],
    ['two changes that want one name', { 'a/N': 'b/X.md', M: 'b/x.md' }, 'INVALID_PARAMS', 'cannot both become'],
    ['a folder and a note that want one name', { 'a/': 'c/', M: 'c/N.md' }, 'INVALID_PARAMS', 'cannot both become'],
    ['a name that is taken', { M: 'a/N.md' }, 'NODE_EXISTS', 'is there already'],
    ['a folder that is there', { 'a/': 'b/' }, 'NODE_EXISTS', 'merge: true'],
    ['a note that is not there', { Q: 'R' }, 'NODE_NOT_FOUND', 'no note "Q"'],
    ['a folder that is not there', { 'q/': 'r/' }, 'NODE_NOT_FOUND', 'no folder q'],
    ['a folder without its slash', { a: 'c' }, 'NODE_NOT_FOUND', 'name it "a/"'],
    ['a file that is there twice', { 'i.png': 'j.png' }, 'AMBIGUOUS', 'a/i.png, b/i.png'],
    ['a path out of the vault', { M: '../M.md' }, 'INVALID_PARAMS', 'cannot be used'],
    ['a path from the root of the machine', { M: '/etc/M.md' }, 'INVALID_PARAMS', 'not relative to the vault'],
    ['a hidden folder', { M: '.obsidian/' }, 'INVALID_PARAMS', 'cannot be used'],
    ['another kind of file', { 'a/i.png': 'i.md' }, 'INVALID_PARAMS', 'keeps its kind'],
    ['a path that links cannot hold', { M: 'a/b|c' }, 'INVALID_PARAMS', 'cannot be used'],
  ])('E-14 refuses %s', async (_, changes, code, message) => {
    const files = { 'a/N.md': '[[M]]\n', 'b/x y.md': '', 'M.md': '[[N]]\n', 'a/i.png': 'A', 'b/i.png': 'B' };
    const error = await refused(files, changes);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  it('E-14 refuses a file that is named twice', async () => {
    const twice = [
      { from: 'N', to: 'X' },
      { from: 'N.md', to: 'Y' },
    ];
    expect((await refused({ 'N.md': '' }, twice)).message).toContain('renamed twice');
  });
});

describe('E-16 chains and swaps', () => {
  it('E-16 W52 two notes swap their names, and each link follows its note', async () => {
    const { after } = await renamed({ 'A.md': 'is A\n', 'B.md': 'is B, [[A]]\n', 'x.md': '[[A]] [[B]]\n' }, { A: 'B', B: 'A' });
    expect(after).toEqual({ 'A.md': 'is B, [[B]]\n', 'B.md': 'is A\n', 'x.md': '[[B]] [[A]]\n' });
  });

  it('E-16 a chain of notes, of folders and of tags moves on by one', async () => {
    const files = {
      'A.md': 'is A #a\n',
      'B.md': 'is B #b\n',
      'f/x.md': '[[A]] [[g/y]]\n',
      'g/y.md': '[[B]] [[f/x]]\n',
      'z.md': '---\ntags: [a, b]\n---\n#a #b\n',
    };
    const { after } = await renamed(files, { A: 'B', B: 'C', 'f/': 'g/', 'g/': 'f/', '#a': '#b', '#b': '#a' });
    expect(after).toEqual({
      'B.md': 'is A #b\n',
      'C.md': 'is B #a\n',
      'g/x.md': '[[B]] [[f/y]]\n',
      'f/y.md': '[[C]] [[g/x]]\n',
      'z.md': '---\ntags: [b, a]\n---\n#b #a\n',
    });
  });

  it('E-16 the history follows each of two notes through a swap, and an earlier write can be undone after it', () =>
    withFiles({ 'x.md': '[[A]] [[B]]\n' }, async ({ ask }, vault) => {
      const made = await ask('create_node', { title: 'A', content: 'is A\n' });
      await ask('create_node', { title: 'B', content: 'is B\n' });
      await ask('rename', {
        changes: [
          { from: 'A', to: 'B' },
          { from: 'B', to: 'A' },
        ],
      });
      expect(made.path).toBe('A.md');
      await ask('update_node', { id: 'B.md', properties: { of: 'A' } });
      const trail = async (file: string) => (await cli(['history', file, '--json', '--vault', vault.root])).stdout;
      const events = JSON.parse(await trail('B.md')).events as { action: string; path: string; changes: { field: string }[] }[];
      expect(events.map(({ action, path }) => `${action} ${path}`)).toEqual(['updated B.md', 'renamed B.md', 'created A.md']);
      expect(await cli(['undo', '--by', 'roux-test', '--vault', vault.root])).toMatchObject({ status: 0 });
      expect(filesIn(vault)).toEqual({ 'x.md': '[[A]] [[B]]\n' });
    }));

  it('E-16 a former name leads to the note that had it, also where others took names in the same write', () =>
    withFiles({ 'a/One.md': 'one\n', 'a/Two.md': 'two\n' }, async ({ ask }) => {
      await ask('rename', {
        changes: [
          { from: 'a/One', to: 'a/Two.md' },
          { from: 'a/Two', to: 'a/Three.md' },
        ],
      });
      expect((await ask('get_node', { id: 'a/One.md' })).path).toBe('a/Two.md');
      expect((await ask('get_node', { id: 'a/Two.md' })).content).toBe('one\n');
    }));

  it('E-16 a call that is repeated with its key renames nothing twice', () =>
    withFiles({ 'A.md': '', 'B.md': '', 'f/x.md': '' }, async ({ ask }, vault) => {
      const call = {
        changes: [
          { from: 'f/', to: 'g/' },
          { from: 'A', to: 'h/A.md' },
          { from: 'f/x', to: 'y' },
        ],
        idempotency_key: 'k',
      };
      const first = await ask('rename', call);
      const after = filesIn(vault);
      expect(await ask('rename', call)).toEqual(first);
      expect(filesIn(vault)).toEqual(after);
    }));
});
