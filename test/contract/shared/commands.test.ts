import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { change, filesOf, write } from '../../support/postgres/commits.ts';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { hashesOf, withHomes } from '../../support/sharing/home.ts';
import type { Home } from '../../support/sharing/home.ts';

const DAY = { 'one.md': '# One\n[[two]]\n', 'sub/two.md': 'Two\n', 'sub/empty.md': '', 'pic.png': Buffer.alloc(300_000, 7) };

function fill(home: Home, name: string, files: Readonly<Record<string, string | Uint8Array>> = DAY) {
  const folder = home.folder(name);
  for (const [file, text] of Object.entries(files)) folder.write(file, text);
  return folder;
}

/** Whether the file system takes names for two that differ by case. */
function keepsCases(): boolean {
  return !existsSync(tmpdir().toUpperCase()) || tmpdir().toUpperCase() === tmpdir();
}

/** What the user keeps about folders that follow a store. */
const links = (home: Home): readonly string[] => {
  const folder = join(home.root, 'state/roux/shared');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe.skipIf(!hasPostgres)('a vault in a store, by commands', () => {
  const store = useStore();
  const with1 = <T>(run: (home: Home) => Promise<T>) => withHomes({ count: 1, password: PASSWORD }, run);
  const with2 = <T>(run: (a: Home, b: Home) => Promise<T>) => withHomes({ count: 2, password: PASSWORD }, run);
  const at = (vault: string): string => store.url(vault, { password: null });

  it('P-01 share, clone, status and unshare take one command each, and said again say that it is so', () =>
    with2(async (a, b) => {
      const [notes, url] = [fill(a, 'notes'), at('commands')];
      const shared = await a.run(['share', url, 'notes']);
      expect(shared).toMatchObject({ status: 0, stderr: '' });
      expect(shared.stdout).toContain(`4 files of ${notes.root} are in the vault commands`);
      expect(await a.run(['share', url, 'notes'])).toMatchObject({ status: 0, stdout: expect.stringContaining('is shared already') });
      expect(await filesOf(await store.open('commands', { user: 'writer' }))).toEqual(hashesOf(notes));

      expect(await b.run(['clone', url])).toMatchObject({ status: 0, stdout: expect.stringContaining('4 files of the vault commands') });
      const copy = b.folder('commands');
      expect(hashesOf(copy)).toEqual(hashesOf(notes));
      expect(await b.run(['clone', url])).toMatchObject({ status: 0, stdout: expect.stringContaining('already') });

      copy.write('three.md', 'Three\n');
      const status = JSON.parse((await b.run(['share', '--status', 'commands', '--json'])).stdout) as object;
      expect(status).toMatchObject({
        shared: true,
        seq: 1,
        store: { seq: 1, files: 4, differences: [{ path: 'three.md', kind: 'waits' }] },
      });
      const ended = await b.run(['unshare', 'commands']);
      expect(ended).toMatchObject({ status: 0, stdout: expect.stringContaining('no more') });
      expect(Object.keys(await filesOf(await store.open('commands', { user: 'writer' })))).toContain('three.md');
      expect(copy.files()).toContain('three.md');
      expect(links(b)).toEqual([]);
      expect(await b.run(['unshare', 'commands'])).toMatchObject({ status: 0, stdout: expect.stringContaining('follows no store') });
      expect(await b.run(['share', '--status', 'commands'])).toMatchObject({ status: 0, stdout: expect.stringContaining('no store') });
    }));

  it('P-01 two folders of one machine follow one vault, each for itself', () =>
    with1(async (home) => {
      const notes = fill(home, 'notes');
      await home.prepare(['share', at('twice'), 'notes']);
      await home.inside(['clone', at('twice'), 'second']);
      home.folder('second').write('new.md', 'New\n');
      expect(await home.inside(['create', 'Made', '--vault', 'second'])).toMatchObject({ status: 0 });
      expect(await home.inside(['create', 'Too', '--vault', 'notes'])).toMatchObject({ status: 0 });
      expect(notes.files()).toEqual(expect.arrayContaining(['new.md', 'made.md', 'too.md']));
    }));

  it('P-01 what cannot be done is refused clearly, and leaves nothing half shared', () =>
    with2(async (a, b) => {
      fill(a, 'notes');
      await a.prepare(['share', at('taken'), 'notes']);
      const before = links(a).length;
      const refused = async (home: Home, args: readonly string[], status: number, why: RegExp) => {
        const result = await home.inside(args);
        expect(result.stderr).toMatch(why);
        expect(result.status).toBe(status);
        expect(result.stdout).toBe('');
      };
      const other = fill(b, 'other', { 'x.md': 'X\n' });
      await refused(b, ['share', at('taken'), 'other'], 3, /has a vault "taken" already/);
      await refused(b, ['clone', at('taken'), 'other'], 3, /not empty/);
      await refused(b, ['clone', at('nothing-there')], 3, /has no vault "nothing-there".*It has .*"taken"/);
      await refused(b, ['clone', store.url('taken', { password: null, database: 'nowhere' })], 3, /no database "nowhere"/);
      await refused(b, ['clone', store.url('taken', { password: null, port: 1 })], 3, /cannot be reached now/);
      await refused(b, ['share', store.url('taken', { password: null, database: 'nowhere' }), 'other'], 3, /no database/);
      await refused(b, ['share', 'http://somewhere', 'other'], 2, /no URL of a store/);
      await refused(b, ['share'], 2, /needs the URL/);
      b.folder('own').write('.rouxrc.json', '{}');
      await refused(b, ['clone', at('taken'), 'own/inside'], 2, /inside of the vault/);
      await refused(a, ['share', at('elsewhere'), 'notes'], 3, /is shared already, with .*taken/);
      expect(links(b)).toEqual([]);
      expect(other.list('')).toEqual(['x.md']);
      expect(existsSync(b.folder('nothing-there').root)).toBe(false);
      expect(links(a).length).toBe(before);
      // A store that is away may have made it: the same words go on later.
      await refused(b, ['share', store.url('away', { password: null, port: 1 }), 'other'], 3, /cannot be reached now/);
      expect(await b.inside(['share', at('away'), 'other'])).toMatchObject({ status: 0 });
    }));

  it('P-01 a vault whose files are not all in yet is cloned by nobody', () =>
    with2(async (a, b) => {
      const { createSharedVault } = await import('../../../src/store/shared/database/open-shared-vault.ts');
      const { parseStoreUrl } = await import('../../../src/store/shared/store-url.ts');
      const { testPorts } = await import('../../support/test-ports.ts');
      const vault = await createSharedVault(parseStoreUrl(store.url('half')), 'maker', { ports: testPorts(), machine: 'a' });
      await vault.close();
      expect(await b.inside(['clone', at('half')])).toMatchObject({ status: 3, stderr: expect.stringContaining('still being put in') });
      expect(existsSync(b.folder('half').root)).toBe(false);
      expect(links(a)).toEqual([]);
    }));

  it.skipIf(!keepsCases())('P-08 names that differ by case alone stay on their machine, and are told', () =>
    with2(async (a, b) => {
      const notes = fill(a, 'notes', { 'Name.md': 'upper\n', 'name.md': 'lower\n', 'b.md': 'B\n' });
      const { status, stderr } = await a.inside(['share', at('case'), 'notes']);
      expect(status).toBe(1);
      expect(stderr).toContain('name.md: Name.md differs only by case or Unicode form');
      await b.inside(['clone', at('case')]);
      expect(b.folder('case').files()).toEqual(['Name.md', 'b.md']);
      const { stdout } = await a.inside(['doctor', 'notes']);
      expect(stdout).toContain('name.md stays on this machine alone');
      expect(notes.read('name.md')).toBe('lower\n');
    }),
  );

  it('P-08 a name of the store that leads out of the folder or into a hidden one is left out', () =>
    with1(async (home) => {
      const vault = await store.open('names');
      const bad = ['../out.md', '.git/hooks/post-checkout', 'a/../../out.md', 'a\\b.md', '.obsidian/plugins/x.js'];
      await write(vault, [change('fine.md', null, 'fine\n'), ...bad.map((path) => change(path, null, 'bad\n'))]);
      await vault.markComplete();
      const { status, stderr } = await home.inside(['clone', at('names')]);
      expect(status).toBe(1);
      for (const path of bad) expect(stderr).toContain(path);
      expect(home.holding('bad\n')).toEqual([]);
      expect(home.folder('names').files()).toEqual(['fine.md']);
      // Not that a server takes them in: none does.
      await write(vault, [change('../later.md', null, 'bad\n'), change('con.md', null, 'a person made it\n')]);
      expect(await home.inside(['create', 'Made', '--vault', 'names'])).toMatchObject({ status: 0 });
      expect(home.folder('names').files()).toEqual(['con.md', 'fine.md', 'made.md']);
      const { stdout: checked } = await home.inside(['fsck', 'names']);
      const { stdout: doctor } = await home.inside(['doctor', 'names']);
      for (const said of [checked, doctor]) {
        for (const path of ['../later.md', '.git/hooks/post-checkout'])
          expect(said).toContain(`${path} is in the store and cannot be put here: no vault may have a file of this name`);
        expect(said).not.toMatch(/takes it in|comes back/);
      }
      expect((await home.inside(['share', '--status', 'names'])).stdout).toContain('Blocked 6 files of the store');
      expect(home.holding('bad\n')).toEqual([]);
    }));

  it('P-14 H-22 a working copy that was moved goes on following, and its edits are merged; unlike what came in its place', () =>
    with2(async (a, b) => {
      const notes = fill(a, 'notes');
      await a.prepare(['share', at('moved'), 'notes']);
      await b.prepare(['clone', at('moved'), 'copy']);
      renameSync(b.folder('copy').root, b.folder('elsewhere').root);
      const moved = b.folder('elsewhere');
      moved.write('one.md', '# One\n[[two]]\nmoved\n');
      notes.write('one.md', 'from a\n# One\n[[two]]\n');
      expect(await a.inside(['create', 'Meanwhile', '--vault', 'notes'])).toMatchObject({ status: 0 });
      // What belongs to a folder goes with it, wherever it is moved (H-22).
      expect((await b.inside(['doctor', 'elsewhere'])).stdout).toContain('The folder is 2 commits behind the store');
      expect(await b.inside(['create', 'After', '--vault', 'elsewhere'])).toMatchObject({ status: 0 });
      expect(moved.read('one.md')).toBe('from a\n# One\n[[two]]\nmoved\n');
      expect(await filesOf(await store.open('moved', { user: 'writer' }))).toEqual(hashesOf(moved));

      // Another folder under the name of the first: nothing of it goes anywhere.
      await b.prepare(['clone', at('moved'), 'copy']);
      rmSync(b.folder('copy').root, { recursive: true });
      fill(b, 'copy', { 'diary.md': 'private\n' });
      expect(await b.inside(['create', 'Note', '--vault', 'copy'])).toMatchObject({ status: 0 });
      const stored = Object.keys(await filesOf(await store.open('moved', { user: 'writer' })));
      expect(stored).not.toContain('diary.md');
      expect(stored).not.toContain('note.md');
      expect(b.folder('copy').files()).toEqual(['diary.md', 'note.md']);
    }));

  it('P-14 doctor holds the folder against the store by hash', () =>
    with2(async (a, b) => {
      const notes = fill(a, 'notes');
      await a.prepare(['share', at('doctor'), 'notes']);
      await b.prepare(['clone', at('doctor'), 'copy']);
      const copy = b.folder('copy');
      expect((await a.inside(['doctor', 'notes', '--json'])).stdout).not.toContain('"store"');
      copy.write('one.md', 'mine\n');
      copy.write('new.md', 'new\n');
      copy.remove('pic.png');
      const vault = await store.open('doctor', { user: 'writer' });
      await write(vault, [
        change('one.md', DAY['one.md'], 'theirs\n'),
        change('sub/two.md', DAY['sub/two.md'], 'newer\n'),
        change('more.md', null, 'more\n'),
      ]);
      const { status, stdout } = await b.inside(['doctor', 'copy', '--json']);
      expect(status).toBe(1);
      const { store: found } = JSON.parse(stdout) as { store: readonly { kind: string; path: string | null }[] };
      expect(found.map(({ kind, path }) => [kind, path])).toEqual([
        ['store', null],
        ['store-comes', 'more.md'],
        ['store-waits', 'new.md'],
        ['store-both', 'one.md'],
        ['store-missing', 'pic.png'],
        ['store-comes', 'sub/two.md'],
      ]);
      expect((await b.inside(['doctor', 'copy'])).stdout).toContain('pic.png is in the store and gone here');
      expect(notes.read('one.md')).toBe(DAY['one.md']);
    }));

  it('P-11 a conflict copy that is made when a folder ends following goes out with the rest', () =>
    with2(async (a, b) => {
      fill(a, 'notes');
      await a.prepare(['share', at('last'), 'notes']);
      await b.prepare(['clone', at('last'), 'copy']);
      const copy = b.folder('copy');
      copy.write('one.md', 'mine\n');
      const vault = await store.open('last', { user: 'writer' });
      await write(vault, [change('one.md', DAY['one.md'], 'theirs\n')]);
      expect(await b.inside(['unshare', 'copy'])).toMatchObject({ status: 0 });
      expect(copy.files().filter((path) => path.startsWith('one.sync-conflict-'))).toHaveLength(1);
      expect(await filesOf(vault)).toEqual(hashesOf(copy));
    }));

  it('P-11 without its store a folder ends following only by force, and keeps what it has', () =>
    with1(async (home) => {
      const notes = fill(home, 'notes');
      await home.prepare(['share', at('lost'), 'notes']);
      notes.write('waiting.md', 'not pushed\n');
      await store.cluster.stop('fast');
      try {
        const refused = await home.inside(['unshare', 'notes']);
        expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining('--force') });
        expect(links(home)).toHaveLength(1);
        expect(await home.inside(['share', '--status', 'notes'])).toMatchObject({
          status: 3,
          stdout: expect.stringContaining('cannot be reached'),
        });
        expect(await home.inside(['unshare', 'notes', '--force'])).toMatchObject({
          status: 1,
          stderr: expect.stringContaining('cannot be reached'),
        });
        expect(links(home)).toEqual([]);
        expect(notes.read('waiting.md')).toBe('not pushed\n');
        expect(await home.inside(['create', 'Alone', '--vault', 'notes'])).toMatchObject({ status: 0 });
      } finally {
        await store.cluster.start();
      }
    }));

  it('a folder where a store is named in place of one is refused without a word of its password', () =>
    with1(async (home) => {
      for (const args of [
        ['serve', store.url('x')],
        ['doctor', store.url('x')],
        ['get', 'a', '--vault', store.url('x')],
      ]) {
        const { status, stdout, stderr } = await home.inside(args);
        expect(status).toBe(2);
        expect(stderr).toContain('not the URL of a store');
        expect(stdout + stderr).not.toContain('s3cret');
      }
    }));
});
