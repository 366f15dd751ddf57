import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config.ts';
import type { OpenFileSystem } from '../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../src/store/folder/node-file-system.ts';
import { openVault } from '../../src/vault/open-vault.ts';
import { openReady, withOpen } from '../support/open.ts';
import { withVault } from '../support/vault.ts';
import { vaultsNamed } from '../support/vaults.ts';
import { wrapFiles } from '../support/wrap-files.ts';

const still = { isFollowing: false } as const;
const isRoot = process.getuid?.() === 0;
const open = (root: string, openFileSystem?: OpenFileSystem) =>
  openReady(root, { ...still, ...(openFileSystem === undefined ? {} : { openFileSystem }) });

/** The real file system with some paths that fail. */
const failing =
  (fails: (path: string) => string | null): OpenFileSystem =>
  (root) => {
    const guard = (path: string): void => {
      const code = fails(path);
      if (code !== null) throw Object.assign(new Error(`${code}: ${path}`), { code });
    };
    return wrapFiles(openNodeFileSystem(root), (files) => ({
      list: (folder) => (guard(folder), files.list(folder)),
      read: (path, range) => (guard(path), files.read(path, range)),
    }));
  };

describe('opening a vault', () => {
  it('refuses what is not there with a remedy', async () => {
    await expect(open('/nowhere/at/all')).rejects.toMatchObject({
      code: 'VAULT_NOT_FOUND',
      message: '/nowhere/at/all does not exist; give the folder that holds your notes.',
    });
  });

  it('refuses a file', () =>
    withVault({ 'a.md': '' }, async (files) => {
      await expect(open(files.path('a.md'))).rejects.toMatchObject({
        code: 'VAULT_NOT_FOUND',
        message: expect.stringContaining('is not a folder'),
      });
    }));

  it('refuses a folder that cannot be listed', () =>
    withVault({}, async (files) => {
      const failingFiles = failing((path) => (path === '' ? 'EACCES' : null));
      await expect(open(files.root, failingFiles)).rejects.toMatchObject({
        code: 'VAULT_NOT_FOUND',
        message: expect.stringContaining('cannot be read'),
      });
    }));

  it('serves a note before the first scan is done', () =>
    withVault({ 'a.md': 'text' }, async (files) => {
      const { settings, ports } = await withOpen(files.root, (vault) => vault, still);
      const vault = openVault({ root: files.root, config: settings.config, ports, ...still });
      expect((await vault.notes.read('a.md'))?.note.text).toBe('text');
      await vault.health.ready;
      expect(vault.graph.size).toBe(1);
      await vault.close();
    }));

  it('opens through a symbolic link under its real path', () =>
    withVault({ 'a.md': '' }, (files) =>
      withVault({}, (other) => {
        symlinkSync(files.root, other.path('link'));
        return withOpen(other.path('link'), (vault) => expect([vault.settings.root, vault.graph.size]).toEqual([files.root, 1]), still);
      }),
    ));

  it('is empty for an empty folder', () =>
    withVault({}, (files) => withOpen(files.root, (vault) => expect([vault.graph.size, vault.health.warnings()]).toEqual([0, []]), still)));

  it('closes while it is still being scanned', () =>
    withVault(Object.fromEntries(Array.from({ length: 300 }, (_, number) => [`${number}.md`, `# ${number}`])), async (files) => {
      const { settings, ports } = await withOpen(files.root, (vault) => vault, still);
      await openVault({ root: files.root, config: settings.config, ports }).close();
      expect(files.files()).toHaveLength(300);
    }));

  it('never writes into a vault whose folder has no write permission', () =>
    withVault('library', async (files) => {
      chmodSync(files.root, 0o555);
      try {
        await withOpen(files.root, (vault) => expect(vault.graph.size).toBe(24));
        expect(files.exists('.roux')).toBe(false);
      } finally {
        chmodSync(files.root, 0o755);
      }
    }));

  for (const { name, root, isThere } of vaultsNamed('kepano')) {
    it.skipIf(!isThere)(`never writes into ${name}, whose folder is somebody else's`, () =>
      withOpen(root, (vault) => {
        expect(vault.graph.size).toBe(103);
        expect(existsSync(`${vault.settings.root}/.roux`)).toBe(false);
      }),
    );
  }
});

describe('what is in a vault', () => {
  it('knows notes and attachments, and leaves out what is nobody’s content', () =>
    withVault(
      {
        'A.MD': '',
        'b.md': '',
        'dir.md/c.md': '',
        'pic.png': '',
        'sub/board.canvas': '',
        '.git/x.md': '',
        '.obsidian/y.md': '',
        '.trash/z.md': '',
        '.roux/r.md': '',
        'node_modules/p/readme.md': '',
        '.hidden.md': '',
        'draft.md~': '',
      },
      (files) =>
        withOpen(
          files.root,
          async (vault) => {
            expect([...vault.graph.entries()].map(({ path }) => path)).toEqual(['A.MD', 'b.md', 'dir.md/c.md']);
            expect([...vault.graph.attachments()]).toEqual(['pic.png', 'sub/board.canvas']);
            expect(vault.health.warnings()).toEqual(['dir.md is a folder, not a note; it is not served.']);
            expect(await vault.notes.read('.git/x.md')).toBe(null);
            expect(await vault.notes.read('node_modules/p/readme.md')).toBe(null);
          },
          still,
        ),
    ));

  it('hides what the configuration and Obsidian’s settings name, and still resolves it', () =>
    withVault(
      {
        'a.md': '[[draft]] [[t]] [[p]]',
        'drafts/draft.md': '',
        'Templates/t.md': '',
        'x/private-1.md': '',
        'p.md': '',
        // A back-tracking engine would be at it for years.
        [`x/${'a'.repeat(60)}b.md`]: '',
        [`y/${'a'.repeat(60)}`]: '',
        '.obsidian/app.json': JSON.stringify({
          userIgnoreFilters: ['Templates/', '/private-\\d/', '/^x\\/(a+)+b/', '/^x\\/(a+)+$/', 7, '/[/', '/(?=secret)/'],
        }),
      },
      (files) =>
        withOpen(
          files.root,
          (vault) => {
            expect([...vault.graph.entries()].map(({ path }) => path)).toEqual(['a.md', 'p.md']);
            expect(vault.graph.unresolved()).toEqual([]);
            expect(vault.health.warnings()).toEqual([
              expect.stringContaining('/[/ of .obsidian/app.json is no regular expression'),
              expect.stringContaining('/(?=secret)/ of .obsidian/app.json is no regular expression'),
            ]);
          },
          { ...still, config: configSchema.parse({ ignore: ['drafts/', '!p.md'] }) },
        ),
    ));

  it('ignores settings of Obsidian that are broken, and says so', () =>
    withVault({ 'a.md': '', '.obsidian/app.json': '{' }, (files) =>
      withOpen(
        files.root,
        (vault) => expect(vault.health.warnings()).toEqual([expect.stringContaining('.obsidian/app.json is not readable')]),
        still,
      ),
    ));

  it('F28 skips links out of the vault, loops, pipes and sockets, each with a reason', () =>
    withVault({ 'a.md': 'in', 'sub/b.md': 'b' }, (files) =>
      withVault({ 'secret.md': 'out', 'dir/deep.md': 'out' }, async (outside) => {
        symlinkSync(outside.path('secret.md'), files.path('out.md'));
        symlinkSync(outside.path('dir'), files.path('outdir'));
        symlinkSync('.', files.path('loop'));
        symlinkSync('self.md', files.path('self.md'));
        symlinkSync('nothing.md', files.path('dangling.md'));
        symlinkSync('sub/b.md', files.path('inside.md'));
        symlinkSync('.git/config', files.path('config.md'));
        mkdirSync(files.path('.git'));
        writeFileSync(files.path('.git/config'), 'hidden');
        linkSync(files.path('a.md'), files.path('hard.md'));
        execFileSync('mkfifo', [files.path('pipe.md')]);
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(files.path('socket.md'), resolve));
        try {
          await withOpen(
            files.root,
            async (vault) => {
              expect([...vault.graph.entries()].map(({ path }) => path)).toEqual(['a.md', 'hard.md', 'inside.md', 'sub/b.md']);
              expect([...vault.graph.attachments()]).toEqual([]);
              expect(vault.health.warnings()).toEqual([
                'config.md is a symbolic link to a name that roux does not read; it is not served.',
                'dangling.md is a symbolic link to nothing; it is not served.',
                'loop is a symbolic link to a folder of this vault; it is not served.',
                'out.md is a symbolic link out of the vault; it is not served.',
                'outdir is a symbolic link out of the vault; it is not served.',
                'pipe.md is a pipe, socket or device, not a file; it is not served.',
                expect.stringMatching(/^self\.md is a symbolic link that leads to itself/),
                'socket.md is a pipe, socket or device, not a file; it is not served.',
              ]);
              const paths = [
                'out.md',
                'outdir/deep.md',
                'loop/a.md',
                'self.md',
                'dangling.md',
                'config.md',
                'pipe.md',
                '../x.md',
                '/etc/x.md',
              ];
              for (const path of paths) expect(await vault.notes.read(path), path).toBe(null);
              expect((await vault.notes.read('inside.md'))?.note.text).toBe('b');
            },
            still,
          );
        } finally {
          server.close();
        }
      }),
    ));

  it.skipIf(isRoot)('F28 says which file and folder it may not read', () =>
    withVault({ 'a.md': '', 'b.md': '', 'c/d.md': '' }, async (files) => {
      chmodSync(files.path('b.md'), 0);
      chmodSync(files.path('c'), 0);
      await withOpen(files.root, (vault) => expect(vault.health.warnings()).toHaveLength(2), still);
      chmodSync(files.path('c'), 0o755);
    }),
  );

  it('F28 never reads an unreadable folder or file as deletion', () =>
    withVault({ 'a.md': '[[b]]', 'x/b.md': '#kept', 'x/y/c.md': '#kept' }, async (files) => {
      let broken: string | null = null;
      const failingFiles = failing((path) => (broken !== null && path.startsWith(broken) ? 'EACCES' : null));
      const vault = await open(files.root, failingFiles);
      broken = 'x';
      await vault.refresh('strict');
      expect(vault.graph.size).toBe(3);
      expect(vault.graph.facets.byTag('kept')).toHaveLength(2);
      expect(vault.health.warnings()).toEqual([expect.stringMatching(/^The folder x cannot be read: EACCES.*kept\.$/)]);
      await expect(vault.notes.read('x/b.md')).rejects.toThrow('x/b.md cannot be read');
      broken = '';
      await vault.refresh('strict');
      expect(vault.graph.size).toBe(3);
      broken = null;
      await vault.refresh('strict');
      expect([vault.graph.size, vault.health.warnings()]).toEqual([3, []]);
      await vault.close();
    }));

  it('F28 keeps everything when the vault itself goes away, and follows when it is back', () =>
    withVault({ 'v/a.md': '#one', 'v/b.md': '' }, async (files) => {
      const vault = await open(files.path('v'));
      execFileSync('mv', [files.path('v'), files.path('w')]);
      await vault.refresh('strict');
      expect(vault.graph.size).toBe(2);
      expect(vault.health.warnings().join()).toContain('(the vault itself) cannot be read');
      execFileSync('mv', [files.path('w'), files.path('v')]);
      files.write('v/a.md', '#two');
      await vault.refresh('strict');
      expect(vault.graph.get('a.md')?.tags).toEqual(['two']);
      await vault.close();
    }));

  it('F29 serves or flags empty, binary, invalid and huge notes', () =>
    withVault(
      {
        'empty.md': '',
        'binary.md': Buffer.from([0, 1, 2, 255, 254, 0]),
        'latin.md': Buffer.from('caf\xe9 [[empty]]', 'latin1'),
        'cr.md': 'one\r#tag\r[[empty]]',
        'line.md': `#start ${'x'.repeat(3_000_000)} #end`,
        'huge.md': `# Start\n${'word [[empty]] '.repeat(1_500_000)}\n#late`,
      },
      (files) =>
        withOpen(
          files.root,
          async (vault) => {
            const codes = (path: string) => vault.graph.get(path)?.problems.map(({ code }) => code);
            expect(codes('empty.md')).toEqual([]);
            expect(codes('binary.md')).toEqual(['invalid-utf8']);
            expect(codes('latin.md')).toEqual(['invalid-utf8']);
            expect(vault.graph.backlinks('empty.md').map(({ from }) => from)).toEqual(expect.arrayContaining(['latin.md', 'cr.md']));
            expect(codes('cr.md')).toEqual([]);
            expect(codes('line.md')).toContain('too-large');
            expect(codes('huge.md')).toContain('too-large');
            expect(vault.graph.get('huge.md')?.tags).toEqual([]);
            expect(vault.graph.get('line.md')?.tags).toEqual(['start']);
            // Too large to be written: it is read at its beginning, and on in pieces.
            expect((await vault.notes.read('huge.md'))?.isPartial).toBe(true);
            const pieces: string[] = [];
            for await (const piece of vault.notes.readInChunks('huge.md')) pieces.push(piece);
            expect(pieces.join('')).toHaveLength(files.readBytes('huge.md').length);
            expect((await vault.notes.read('latin.md'))?.note.problems.map(({ code }) => code)).toEqual(['invalid-utf8']);
          },
          still,
        ),
    ));

  it('F32 serves names that differ by case or Unicode form, and reports them', () =>
    withVault({ 'Note.md': 'upper', 'note.md': 'lower', 'caf\u00e9.md': 'nfc', 'cafe\u0301.md': 'nfd' }, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          expect(vault.graph.size).toBe(4);
          expect((await vault.notes.read('cafe\u0301.md'))?.note.text).toBe('nfd');
          expect(vault.health.warnings()).toHaveLength(2);
          expect(vault.health.warnings().every((warning) => warning.includes('differ only by case or Unicode form'))).toBe(true);
        },
        still,
      ),
    ));

  it('F31 serves names of every script, and says of those that no tool could name', () =>
    withVault({ '日本語 ノート.md': '[[🌱 emoji]]', '🌱 emoji.md': '', 'مرحبا.md': '', [`${'n'.repeat(240)}.md`]: '' }, (files) => {
      writeFileSync(files.path('back\\slash.md'), '');
      writeFileSync(files.path('line\nbreak.md'), '');
      writeFileSync(Buffer.concat([Buffer.from(`${files.root}/`), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]), '');
      return withOpen(
        files.root,
        (vault) => {
          expect(vault.graph.size).toBe(4);
          expect(vault.graph.links('日本語 ノート.md')[0]?.target).toEqual({ kind: 'note', path: '🌱 emoji.md' });
          expect(vault.health.warnings()).toHaveLength(3);
        },
        still,
      );
    }));
});

describe('reading one note', () => {
  it('tells hash, rev and times, and null for what is not there', () =>
    withVault({ 'a.md': '---\nrev: 4\n---\nbody', 'b.md': '---\nrev: "4"\n---\n' }, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          const note = await vault.notes.read('a.md');
          expect(note).toMatchObject({ rev: 4, hash: vault.graph.get('a.md')?.hash });
          expect(note?.createdMs).toBeLessThanOrEqual(note?.modifiedMs ?? 0);
          expect((await vault.notes.read('b.md'))?.rev).toBe(0);
          for (const path of ['c.md', 'a.txt', '']) expect(await vault.notes.read(path)).toBe(null);
        },
        still,
      ),
    ));

  it('brings the graph up to date for the note it read', () =>
    withVault({ 'a.md': '#one', 'b.md': '' }, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          const told: string[] = [];
          vault.notes.onChange((paths) => told.push(...paths));
          files.write('a.md', '#two');
          expect((await vault.notes.read('a.md'))?.note.tags).toEqual(['two']);
          expect(vault.graph.get('a.md')?.tags).toEqual(['two']);
          files.remove('b.md');
          expect(await vault.notes.read('b.md')).toBe(null);
          expect(vault.graph.get('b.md')).toBe(null);
          files.write('new/c.md', '#three');
          expect((await vault.notes.read('new/c.md'))?.note.text).toBe('#three');
          expect(vault.graph.facets.byTag('three')).toHaveLength(1);
          expect(told).toEqual(['a.md', 'b.md', 'new/c.md']);
        },
        still,
      ),
    ));

  it('F20 never gives an empty or half note while it is saved in place', () =>
    withVault({ 'a.md': 'start' }, async (vault) => {
      const text = (round: number): string => `round ${round} ${'x'.repeat(20_000)} end`;
      // Each look at the file meets the next moment of the save, however slow this machine is: emptied, half, whole from then on.
      let moments: string[] = [];
      const openFileSystem: OpenFileSystem = (root) =>
        wrapFiles(openNodeFileSystem(root), (real) => ({
          read(path, range) {
            const moment = path === 'a.md' ? moments.shift() : undefined;
            if (moment !== undefined) writeFileSync(vault.path('a.md'), moment);
            return real.read(path, range);
          },
        }));
      await withOpen(
        vault.root,
        async (open) => {
          for (let round = 0; round < 10; round++) {
            moments = ['', text(round).slice(0, 9000), text(round)];
            expect((await open.notes.read('a.md'))?.note.text).toBe(text(round));
            expect(moments).toEqual([]);
          }
        },
        { openFileSystem },
      );
    }));
});
