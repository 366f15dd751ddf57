import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config.ts';
import { answersOf, withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { vaultsInTurn } from '../../support/vaults.ts';

const still = { isFollowing: false } as const;
const answers = (root: string, isCaching: boolean) =>
  withOpen(root, (vault) => ({ answers: answersOf(vault.graph, { withStamps: true }), counters: { ...vault.counters } }), {
    ...still,
    ...(isCaching ? { program: 'test' } : {}),
  });

/** Files older than the grain of time, so that nothing needs a second look. */
function grow(files: TestVault): void {
  const when = new Date(Date.now() - 60_000);
  for (const file of files.files()) utimesSync(files.path(file), when, when);
}

const notes = {
  'a.md':
    '---\nid: t_1\ntitle: "A\\tB"\naliases: [first, "second one"]\ntags: [x/y]\nup: "[[b]]"\nrev: 3\nnested: {deep: [1, "1"]}\n---\n# One\n\n## Two ^not\n\ntext ^block [[b#One|shown]] ![[pic.png]] [m](b.md) #inline\n',
  'b.md': '---\nbroken: [\n---\n[[A]] [[missing]] [[a#Two]]\n\n[ref]: a.md\n',
  'dir/Über – 笔记.md': '[[a]] [[ b ]] #日记\r\n',
  'dir/pic.png': 'png',
  'empty.md': '',
};

describe('warm start', () => {
  for (const { name, root, isThere } of vaultsInTurn(2)) {
    it.skipIf(!isThere)(`answers every question about ${name} as a cold start does, without parsing a note`, () =>
      withVault(root, async (files) => {
        grow(files);
        const cold = await answers(files.root, false);
        await answers(files.root, true);
        const warm = await answers(files.root, true);
        expect(warm.counters).toEqual({ filesRead: 0, notesParsed: 0 });
        expect(warm.answers).toEqual(cold.answers);
      }),
    );
  }

  it('keeps everything the graph knows of a note', () =>
    withVault(notes, async (files) => {
      grow(files);
      const cold = await answers(files.root, true);
      const warm = await answers(files.root, true);
      expect(cold.counters.notesParsed).toBe(4);
      expect(warm.counters.notesParsed).toBe(0);
      expect(warm.answers).toEqual(cold.answers);
    }));

  it('stores what it took over and nobody asked for as it was, beside what changed', () =>
    withVault(
      { ...notes, 'k/index.md': '---\nokf_version: "0.2"\n---\n', 'k/__proto__.md': '---\ntags: [__proto__, x]\n---\n' },
      async (files) => {
        symlinkSync('../a.md', files.path('k/link.md'));
        grow(files);
        await answers(files.root, true);
        files.write('new.md', '---\ntags: [x]\n---\n[[a]]');
        files.remove('b.md');
        await answers(files.root, true);
        const again = await answers(files.root, true);
        expect(again.counters.notesParsed).toBeLessThanOrEqual(1);
        expect(again.answers).toEqual((await answers(files.root, false)).answers);
      },
    ));

  it('reads again only what changed, came, went or moved meanwhile', () =>
    withVault(notes, async (files) => {
      grow(files);
      await answers(files.root, true);
      files.write('b.md', '[[new]]');
      files.write('new.md', '#new');
      files.remove('empty.md');
      renameSync(files.path('a.md'), files.path('dir/a.md'));
      const warm = await answers(files.root, true);
      expect(warm.counters.notesParsed).toBe(3);
      expect(warm.answers).toEqual((await answers(files.root, false)).answers);
    }));

  it('is of the settings at the time of saving, not of those at the start', () =>
    withVault({ 'k/a.md': '[b](/b.md)', 'k/b.md': '', 'b.md': '' }, async (files) => {
      grow(files);
      const caching = { ...still, program: 'test' };
      const inBundle = configSchema.parse({ okf: { bundles: ['k'] } });
      await withOpen(files.root, (vault) => vault.settings.configure(inBundle), caching);
      expect((await answers(files.root, true)).answers).toEqual((await answers(files.root, false)).answers);
      const target = (config = configSchema.parse({})) =>
        withOpen(files.root, (vault) => vault.graph.links('k/a.md')[0]?.target, { ...caching, config });
      expect([await target(), await target(inBundle)]).toMatchObject([{ path: 'b.md' }, { path: 'k/b.md' }]);
    }));

  it('forgets folders that went meanwhile, with all below them', () =>
    withVault({ 'keep/a.md': '[[c]]', 'gone/b.md': 'b', 'gone/deep/c.md': 'c' }, async (files) => {
      grow(files);
      await answers(files.root, true);
      files.remove('gone');
      const warm = await answers(files.root, true);
      expect(warm.counters.notesParsed).toBe(0);
      expect(warm.answers).toEqual((await answers(files.root, false)).answers);
    }));

  it('finds a change of the same size with the time put back', () =>
    withVault({ 'a.md': '#one' }, async (files) => {
      grow(files);
      const { mtime } = statSync(files.path('a.md'));
      await answers(files.root, true);
      writeFileSync(files.path('a.md'), '#two');
      utimesSync(files.path('a.md'), mtime, mtime);
      await withOpen(files.root, (vault) => expect(vault.graph.get('a.md')?.tags).toEqual(['two']), still);
    }));

  it('reads a note again that was saved just before the cache was', () =>
    withVault({ 'a.md': '#one' }, async (files) => {
      files.write('a.md', '#two');
      // Young, however long this machine takes to come to the reading of it.
      const soon = new Date(Date.now() + 60_000);
      utimesSync(files.path('a.md'), soon, soon);
      await answers(files.root, true);
      expect((await answers(files.root, true)).counters.filesRead).toBe(1);
    }));

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 10)],
    ['with one bit turned', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 20 ? byte ^ 1 : byte)))],
    ['of another format', (bytes: Buffer) => Buffer.concat([Buffer.from('roux-cache-0 '), bytes])],
    ['that is empty', () => Buffer.alloc(0)],
    ['that is garbage', () => Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256))],
  ])('ignores a cache %s', (_what, spoil) =>
    withVault(notes, async (files) => {
      grow(files);
      const cold = await answers(files.root, true);
      const cache = files.path('.roux/cache/notes');
      writeFileSync(cache, spoil(readFileSync(cache)));
      const again = await answers(files.root, true);
      expect(again.counters.notesParsed).toBe(4);
      expect(again.answers).toEqual(cold.answers);
      expect((await answers(files.root, true)).counters.notesParsed).toBe(0);
    }),
  );

  it('applies what is hidden as it is configured now', () =>
    withVault(notes, async (files) => {
      grow(files);
      await answers(files.root, true);
      const config = configSchema.parse({ ignore: ['dir/'] });
      await withOpen(
        files.root,
        (vault) => expect([...vault.graph.entries()].map(({ path }) => path)).toEqual(['a.md', 'b.md', 'empty.md']),
        {
          ...still,
          config,
        },
      );
    }));

  it('F10 a vault moved or restored with an old .roux answers for the files that are there', () =>
    withVault(notes, (files) =>
      withVault({}, async (other) => {
        grow(files);
        await answers(files.root, true);
        rmSync(other.root, { recursive: true });
        renameSync(files.root, other.root);
        const warm = await answers(other.root, true);
        expect(warm.answers).toEqual((await answers(other.root, false)).answers);
        rmSync(other.path('.roux'), { recursive: true });
        expect((await answers(other.root, true)).answers).toEqual(warm.answers);
      }),
    ));
});

describe('what reading leaves behind', () => {
  it('adds nothing to a vault but .roux, with a .gitignore for the cache', () =>
    withVault(notes, async (files) => {
      const before = files.files().map((file) => [file, files.readBytes(file)]);
      await answers(files.root, true);
      expect(files.files().map((file) => [file, files.readBytes(file)])).toEqual(before);
      expect(readdirSync(files.root).filter((name) => name.startsWith('.'))).toEqual(['.roux']);
      expect(files.read('.roux/.gitignore')).toContain('cache/');
      expect(readdirSync(files.path('.roux/cache'))).toEqual(['notes']);
    }));

  it('F11 writes nothing into a vault that is read-only, by configuration or by its permissions', () =>
    withVault(notes, async (files) => {
      await withOpen(files.root, () => undefined, { ...still, config: configSchema.parse({ readOnly: true }) });
      expect(existsSync(files.path('.roux'))).toBe(false);
    }));
});
