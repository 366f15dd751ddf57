import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readSync, renameSync, rmSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../../src/config.ts';
import type { SearchRequest } from '../../../../src/graph/search/search.ts';
import { openNodeFileSystem } from '../../../../src/store/folder/node-file-system.ts';
import type { OpenFileSystem } from '../../../../src/store/folder/file-system.ts';
import { openVault } from '../../../../src/vault/open-vault.ts';
import type { CountedVault } from '../../../../src/vault/open-vault.ts';
import { testPorts } from '../../../support/test-ports.ts';
import { withVault } from '../../../support/vault.ts';
import { wrapFiles } from '../../../support/wrap-files.ts';

/** Longer than the first scan goes on without yielding. */
const SLOW_MS = 12;
const SLOW_READS = 3;

type Ask = (query: string, more?: Partial<SearchRequest>) => Promise<{ readonly paths: readonly string[]; readonly total: number }>;

/** Opens a vault and runs as soon as the first of its notes are read, while the first scan has the others before it. */
async function whileReading<T>(
  root: string,
  run: (vault: CountedVault, ask: Ask) => Promise<T>,
  { config = {}, fails = () => false }: { readonly config?: object; readonly fails?: (path: string) => boolean } = {},
): Promise<T> {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let reads = 0;
  const openFileSystem: OpenFileSystem = (folder) =>
    wrapFiles(openNodeFileSystem(folder), (files) => ({
      read(path, range) {
        if (path.startsWith('.')) return files.read(path, range);
        if (fails(path)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
        begin();
        for (const end = performance.now() + SLOW_MS; reads < SLOW_READS && performance.now() < end;);
        reads += 1;
        return files.read(path, range);
      },
      glance: (path) => (fails(path) ? null : (files.glance?.(path) ?? null)),
    }));
  const vault = openVault({ root, config: configSchema.parse(config), ports: testPorts(), isFollowing: false, openFileSystem });
  try {
    await begun;
    return await run(vault, async (query, more = {}) => {
      const found = await vault.search.search({ query, mode: 'keyword', limit: 50, snippetLength: 100, ...more });
      return { paths: found.hits.map(({ path }) => path), total: found.total };
    });
  } finally {
    await vault.close();
  }
}

const fill = (length: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length }, (_, at) => [`f/${at}.md`, `# Filler ${at}\n\nNothing to see in number ${at}.\n`]));

const filler = fill(60);

const notes = {
  ...filler,
  'a/Heron.md': 'A wading bird of the reed beds.',
  'b/named.md': '---\ntitle: The grey heron\n---\nText.',
  'b/escaped.md': '---\ntitle: "Gr\\u00e9y h\\u0065ron"\n---\nText.',
  'b/other.md': '---\naliases: [Reiher, heron bird]\n---\nText.',
  'c/accents.md': 'Le HÉRON est là. Don’t ask.',
  'c/words.md': 'heron heron heron, gull',
  'c/tags.md': '---\ntags: [Birds/Wading]\n---\n#sea/deep heron',
  'd/中文.md': '自定义域名很有用',
  'd/小さい.md': '毎日の記録を続ける',
  'e/phrase.md': 'The old **grey\nheron** stood still.',
  'e/task.md': '- [ ] feed the heron\n- [x] feed the gull',
  'e/typed.md': '---\ntype: Person\nrating: 4\n---\nA heron watcher',
  'hidden/heron.md': 'heron heron',
  'e/heron (conflicted copy 2024-01-01).md': 'heron',
  'g/marked.md': '\ufeff---\ntitle: Heron marked\naliases: [1e3]\n---\nText.',
  'g/marked body.md': '\ufeffheron',
  // Of it a megabyte is parsed.
  'g/huge.md': `${'Nothing é.\n'.repeat(100_000)}# tern\n\nheron #sea`,
  'g/long.md': `${'Nothing to see. '.repeat(20_000)}heron`,
};

/** What is not UTF-8, in part. */
const notUtf8: Readonly<Record<string, Buffer>> = {
  'g/latin.md': Buffer.from('h\u00e9ron and heron', 'latin1'),
  'g/cut.md': Buffer.from('tern 域名').subarray(0, -1),
  'g/between.md': Buffer.concat([
    Buffer.from('her'),
    Buffer.from([0xc3]),
    Buffer.from('on, gr'),
    Buffer.from([0x65, 0xcc]),
    Buffer.from('y'),
  ]),
  'g/values.md': Buffer.concat([Buffer.from('---\ntitle: "h'), Buffer.from([0xff]), Buffer.from('\\u0065ron"\n---\nText.')]),
};

const QUERIES = [
  'heron',
  'HÉRON',
  'grey heron',
  'dont ask',
  'gull -heron',
  '"grey heron"',
  'her',
  '1000',
  'heron OR 域名',
  '域名',
  '記録',
  'tag:birds heron',
  'tag:sea',
  'tern',
  'path:b/ heron',
  'file:heron',
  'type:person',
  '[rating:>3]',
  'task-todo:heron',
  'line:(feed gull)',
  'reiher',
  'nothing heron',
  'the',
  'xyzzyplugh',
] as const;

describe('H-16 a search while a vault is read for the first time', () => {
  it('H-16 finds what it finds once all notes are read, in the same order', () =>
    withVault(notes, (files) => {
      for (const [path, bytes] of Object.entries(notUtf8)) writeFileSync(files.path(path), bytes);
      return whileReading(
        files.root,
        async (vault, ask) => {
          expect(vault.search.findsUnread()).toBe(true);
          const asked = Promise.all(QUERIES.map(async (query) => ({ query, ...(await ask(query)) })));
          const exact = await ask('HERON bird', { mode: 'exact' });
          const early = await asked;
          await vault.health.ready;
          expect(vault.search.findsUnread()).toBe(false);
          const late = [];
          for (const query of QUERIES) late.push({ query, ...(await ask(query)) });
          expect(early).toEqual(late);
          expect(early.filter(({ total }) => total === 0).map(({ query }) => query)).toEqual(['gull -heron', 'xyzzyplugh']);
          expect(exact).toEqual(await ask('HERON bird', { mode: 'exact' }));
        },
        { config: { ignore: ['hidden/'] } },
      );
    }));

  it.skipIf(process.platform === 'win32')('H-16 what is no file any more by the time of its turn is not read', () =>
    withVault({ ...fill(300), 'a/one.md': 'heron', 'a/two.md': 'heron', 'a/three.md': 'heron', 'a/four.md': 'heron' }, (files) =>
      whileReading(files.root, async (_, ask) => {
        for (const name of ['a/two.md', 'a/three.md', 'a/four.md']) rmSync(files.path(name));
        mkdirSync(files.path('a/two.md'));
        symlinkSync('one.md', files.path('a/three.md'));
        execFileSync('mkfifo', [files.path('a/four.md')]);
        const pipe = openSync(files.path('a/four.md'), 'r+');
        writeSync(pipe, 'heron');
        expect((await ask('heron')).paths).toEqual(['a/one.md']);
        expect(readSync(pipe, Buffer.alloc(10))).toBe(5);
        closeSync(pipe);
      }),
    ),
  );

  it('H-16 has read what it shows, and leaves the rest to the scan', () =>
    withVault({ ...notes, ...fill(1_500) }, (files) =>
      whileReading(files.root, async (vault, ask) => {
        const { paths } = await ask('wading reed');
        expect(paths[0]).toBe('a/Heron.md');
        expect(vault.graph.get('a/Heron.md')?.hash).toMatch(/^[0-9a-f]{64}$/);
        expect(vault.graph.size).toBeLessThan(750);
        await vault.health.ready;
        expect(vault.graph.size).toBe(1_500 - 60 + Object.keys(notes).length);
      }),
    ));

  it('H-16 leaves out the reserved files of a bundle, and what leads out of the vault, and follows links inside', () =>
    withVault(
      { ...filler, 'z/okf/index.md': '---\nokf_version: "0.1"\n---\nheron', 'z/okf/log.md': 'heron', 'z/log.md': 'heron' },
      (files) =>
        withVault({ 'secret.md': 'heron' }, (other) => {
          mkdirSync(files.path('z/links'));
          symlinkSync(other.path('secret.md'), files.path('z/links/out.md'));
          symlinkSync('../log.md', files.path('z/links/in.md'));
          return whileReading(files.root, async (vault, ask) => {
            const { paths } = await ask('heron');
            expect([...paths].sort()).toEqual(['z/links/in.md', 'z/log.md']);
            expect(vault.graph.get('z/links/in.md')).not.toBe(null);
            await vault.health.ready;
            expect((await ask('heron')).paths).toEqual(paths);
          });
        }),
    ));

  it('H-16 a link that leads elsewhere, or nowhere, by the time of its turn is followed again, also where it was read ahead', () =>
    withVault({ ...fill(300), 'a/one.md': 'heron', 'a/two.md': 'gull' }, (files) => {
      const links = ['a/ahead.md', 'a/later.md', 'a/ahead gone.md', 'a/later gone.md'] as const;
      for (const link of links) symlinkSync('one.md', files.path(link));
      return whileReading(files.root, async (vault, ask) => {
        for (const link of links.filter((each) => each.startsWith('a/ahead'))) await vault.notes.readAhead(link);
        expect(links.map((link) => vault.graph.get(link) !== null)).toEqual([true, false, true, false]);
        for (const link of links) {
          rmSync(files.path(link));
          symlinkSync(link.includes('gone') ? 'none.md' : 'two.md', files.path(link));
        }
        expect((await ask('gull')).paths.toSorted()).toEqual(['a/ahead.md', 'a/later.md', 'a/two.md']);
        await vault.health.ready;
        const hashes = ['a/two.md', ...links].map((path) => vault.graph.get(path)?.hash);
        expect(hashes).toEqual([hashes[0], hashes[0], hashes[0], undefined, undefined]);
        // What is asked for by its path is looked at again, too.
        rmSync(files.path('a/later.md'));
        symlinkSync('one.md', files.path('a/later.md'));
        expect((await vault.notes.read('a/later.md'))?.note.text).toBe('heron');
        expect(vault.graph.get('a/later.md')?.hash).toBe(vault.graph.get('a/one.md')?.hash);
      });
    }));

  it('H-16 finds what was made and moved after its folder was listed', () =>
    withVault({ ...fill(300), 'a/one.md': 'heron', 'a/two.md': 'heron' }, (files) =>
      whileReading(files.root, async (vault, ask) => {
        renameSync(files.path('a/two.md'), files.path('a/moved.md'));
        for (const path of ['f/new.md', 'new/deep/new.md']) files.write(path, 'heron');
        symlinkSync('one.md', files.path('a/link.md'));
        symlinkSync('none.md', files.path('a/nowhere.md'));
        const found = ['a/link.md', 'a/moved.md', 'a/one.md', 'f/new.md', 'new/deep/new.md'];
        expect((await ask('heron')).paths.toSorted()).toEqual(found);
        await vault.health.ready;
        await vault.refresh('strict');
        expect((await ask('heron')).paths.toSorted()).toEqual(found);
        expect(vault.graph.size).toBe(300 + found.length);
      }),
    ));

  it('H-16 knows what was saved or removed after it was read', () =>
    withVault({ ...fill(300), 'a/saved.md': '#gull', 'a/removed.md': '#heron', 'a/moved.md': '#heron' }, (files) =>
      whileReading(files.root, async (vault, ask) => {
        for (const path of ['a/saved.md', 'a/removed.md', 'a/moved.md']) await vault.notes.readAhead(path);
        files.write('a/saved.md', '---\ntitle: A wading bird\n---\nNow it is a #heron');
        files.remove('a/removed.md');
        renameSync(files.path('a/moved.md'), files.path('a/again.md'));
        expect((await ask('tag:heron')).paths.toSorted()).toEqual(['a/again.md', 'a/saved.md']);
        expect((await ask('tag:gull')).paths).toEqual([]);
        expect(vault.graph.get('a/saved.md')?.title).toBe('A wading bird');
        expect(await vault.notes.readAhead('a/removed.md')).toBe(false);
      }),
    ));

  it('H-16 is answered without a note that cannot be read', () =>
    withVault(notes, (files) =>
      whileReading(
        files.root,
        async (vault, ask) => {
          const early = await ask('heron');
          expect(early.paths).not.toContain('a/Heron.md');
          await vault.health.ready;
          expect(await ask('heron')).toEqual(early);
        },
        { fails: (path) => path === 'a/Heron.md' },
      ),
    ));

  it('H-16 however many searches come, reading ends', () =>
    withVault(notes, (files) =>
      whileReading(files.root, async (vault, ask) => {
        let isReady = false;
        void vault.health.ready.then(() => (isReady = true));
        let asked = 0;
        while (!isReady) await Promise.all(Array.from({ length: 4 }, () => ask(`heron ${(asked += 1)}`)));
        expect(vault.graph.size).toBe(Object.keys(notes).length);
      }),
    ));
});
