import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isLong } from '../../support/effort.ts';
import { answersOf, countWatches, withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const expectFresh = async (root: string, vault: { graph: Parameters<typeof answersOf>[0] }): Promise<void> => {
  await withOpen(
    root,
    (fresh) => expect(answersOf(vault.graph, { withStamps: true })).toEqual(answersOf(fresh.graph, { withStamps: true })),
    {
      isFollowing: false,
    },
  );
};

const saves: Record<string, (vault: TestVault, text: string) => void> = {
  'writing in place': (vault, text) => vault.write('a.md', text),
  'a temporary file renamed over it': (vault, text) => {
    vault.write('.a.md.tmp', text);
    renameSync(vault.path('.a.md.tmp'), vault.path('a.md'));
  },
  'a visible temporary file renamed over it': (vault, text) => {
    vault.write('sedAbc123', text);
    renameSync(vault.path('sedAbc123'), vault.path('a.md'));
  },
  'a backup beside it, as vim does': (vault, text) => {
    vault.write('4913', '');
    vault.remove('4913');
    renameSync(vault.path('a.md'), vault.path('a.md~'));
    vault.write('a.md', text);
    vault.remove('a.md~');
  },
  'deleting and creating it': (vault, text) => {
    vault.remove('a.md');
    vault.write('a.md', text);
  },
  'truncating it and writing late': (vault, text) => {
    writeFileSync(vault.path('a.md'), '');
    setTimeout(() => appendFileSync(vault.path('a.md'), text), 120);
  },
  'writing it piece by piece': (vault, text) => {
    writeFileSync(vault.path('a.md'), text.slice(0, 10));
    setTimeout(() => appendFileSync(vault.path('a.md'), text.slice(10)), 30);
  },
};

/** No comparison on a timer: what is found is found by events. */
const BY_EVENTS = { pace: { idle: 3_600_000 } };

describe('following saves', () => {
  for (const [way, save] of Object.entries(saves)) {
    it(`S2-33 sees a note saved by ${way}`, () =>
      withVault({ 'a.md': 'one [[b]] '.repeat(20), 'b.md': 'two' }, (files) =>
        withOpen(files.root, async (vault) => {
          save(files, 'now to [[c]]');
          await waitFor(() => vault.graph.unresolved().some(({ linkpath }) => linkpath === 'c'), { what: 'the new link' });
          expect(vault.graph.backlinks('b.md')).toEqual([]);
          expect(vault.graph.size).toBe(2);
          expect((await vault.notes.read('a.md'))?.note.text).toBe('now to [[c]]');
        }),
      ));
  }

  it('S2-34 parses a note once that was saved twice within a debounce, and not at all when the bytes are the same', () =>
    withVault({ 'a.md': 'one' }, (files) =>
      withOpen(files.root, async (vault) => {
        files.write('a.md', 'two');
        files.write('a.md', 'three');
        await waitFor(() => vault.graph.get('a.md')?.stamp.size === 5, { what: 'the second save' });
        await waitFor(() => statSync(files.path('a.md')).mtimeMs < Date.now() - 1_200, { what: 'the file growing old' });
        await vault.refresh('strict');
        const { notesParsed } = vault.counters;
        await vault.refresh('strict');
        expect(vault.counters.notesParsed).toBe(notesParsed);
      }),
    ));

  it('F23 ends with the last of two saves a few milliseconds apart', () =>
    withVault({ 'a.md': '0' }, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          for (let round = 1; round <= (isLong ? 30 : 10); round++) {
            files.write('a.md', `#r${round}a`);
            await new Promise((resolve) => setTimeout(resolve, round % 10));
            files.write('a.md', `#r${round}b`);
            expect(await waitFor(() => vault.graph.get('a.md')?.tags[0] === `r${round}b`, { what: `save ${round}` })).toBe(true);
          }
        },
        BY_EVENTS,
      ),
    ));

  it('F22 never serves what editors and sync tools leave behind', () =>
    withVault({ 'a.md': 'one' }, (files) =>
      withOpen(files.root, async (vault) => {
        for (const name of [
          '.a.md.swp',
          'a.md~',
          '4913',
          '.#a.md',
          '#a.md#',
          'a.md.save',
          'a.md.tmp',
          'a.md.part',
          '.~lock.a.md#',
          'sedXyZ123',
          'a.md.crdownload',
        ])
          files.write(name, '[[ghost]]');
        files.write('last.md', 'x');
        await waitFor(() => vault.graph.get('last.md'));
        await vault.refresh('strict');
        expect([...vault.graph.entries()].map(({ path }) => path)).toEqual(['a.md', 'last.md']);
        expect([...vault.graph.attachments()]).toEqual([]);
      }),
    ));
});

describe('following moves', () => {
  it('S2-34 tells a renamed note as one change with both sides', () =>
    withVault({ 'a.md': 'the same text', 'b.md': '[[a]]' }, (files) =>
      withOpen(files.root, async (vault) => {
        const moves: (readonly [string | undefined, string | undefined])[] = [];
        vault.graph.onChange?.((changes) => moves.push(...changes.map(({ before, after }) => [before?.path, after?.path] as const)));
        mkdirSync(files.path('sub'));
        renameSync(files.path('a.md'), files.path('sub/c.md'));
        await waitFor(() => vault.graph.get('sub/c.md'));
        await waitFor(() => vault.graph.get('a.md') === null);
        expect(moves).toContainEqual(['a.md', 'sub/c.md']);
        await expectFresh(files.root, vault);
      }),
    ));

  it('F25 follows a folder renamed there and back, removed, recreated and moved in', () =>
    withVault({ 'x/1.md': '[[2]]', 'x/deep/2.md': 'two', 'other.md': '[[1]]' }, (files) =>
      withOpen(files.root, async (vault) => {
        const settled = (path: string) => waitFor(() => vault.graph.get(path), { what: path });
        renameSync(files.path('x'), files.path('y'));
        await settled('y/deep/2.md');
        await waitFor(() => vault.graph.get('x/1.md') === null);
        await expectFresh(files.root, vault);
        renameSync(files.path('y'), files.path('x'));
        await settled('x/deep/2.md');
        files.write('x/deep/2.md', '#edited after the way back');
        await waitFor(() => vault.graph.get('x/deep/2.md')?.tags[0] === 'edited', { what: 'an edit in a folder that came back' });
        rmSync(files.path('x'), { recursive: true });
        mkdirSync(files.path('x'));
        files.write('x/3.md', 'three');
        await settled('x/3.md');
        files.write('x/3.md', '#again');
        await waitFor(() => vault.graph.get('x/3.md')?.tags[0] === 'again', { what: 'an edit in a folder made anew' });
        await withVault({ 'm/4.md': 'four', 'm/n/5.md': 'five' }, async (outside) => {
          renameSync(outside.path('m'), files.path('m'));
          await settled('m/n/5.md');
          files.write('m/n/5.md', '#inside');
          await waitFor(() => vault.graph.get('m/n/5.md')?.tags[0] === 'inside', { what: 'an edit in a folder moved in' });
        });
        await vault.refresh('strict');
        expect(vault.graph.size).toBe(4);
        await expectFresh(files.root, vault);
      }),
    ));

  it('F25 sees edits in both of two folders that changed names', () =>
    withVault({ 'x/1.md': 'one', 'y/2.md': 'two' }, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          renameSync(files.path('x'), files.path('t'));
          renameSync(files.path('y'), files.path('x'));
          renameSync(files.path('t'), files.path('y'));
          await waitFor(() => vault.graph.get('x/2.md') && vault.graph.get('y/1.md'), { what: 'the exchange' });
          for (const [path, tag] of [
            ['x/2.md', 'ex'],
            ['y/1.md', 'why'],
          ] as const) {
            files.write(path, `#${tag}`);
            expect(await waitFor(() => vault.graph.get(path)?.tags[0] === tag, { what: `an edit of ${path}` })).toBe(true);
          }
        },
        BY_EVENTS,
      ),
    ));

  it('F24 a strict read finds two notes swapped with equal times, and a change with a restored time', () =>
    withVault({ 'a.md': '#aaa', 'b.md': '#bbb', 'c.md': '#ccc' }, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          const when = new Date(Date.now() - 60_000);
          for (const name of ['a.md', 'b.md', 'c.md']) utimesSync(files.path(name), when, when);
          await vault.refresh('strict');
          renameSync(files.path('a.md'), files.path('t'));
          renameSync(files.path('b.md'), files.path('a.md'));
          renameSync(files.path('t'), files.path('b.md'));
          files.write('c.md', '#ddd');
          utimesSync(files.path('c.md'), when, when);
          await vault.refresh('strict');
          expect(['a.md', 'b.md', 'c.md'].map((path) => vault.graph.get(path)?.tags[0])).toEqual(['bbb', 'aaa', 'ddd']);
        },
        { isFollowing: false },
      ),
    ));
});

describe('following bursts', () => {
  const burst = isLong ? 2_000 : 500;
  it(`S18 F26 follows ${burst} new files, and their removal`, () =>
    withVault({ 'a.md': '[[n7]]' }, (files) =>
      withOpen(files.root, async (vault) => {
        for (let number = 0; number < burst; number++) files.write(`f${number % 20}/n${number}.md`, `# N ${number}\n[[n${number + 1}]]`);
        await waitFor(() => vault.graph.size === burst + 1, { what: 'the new notes' });
        await expectFresh(files.root, vault);
        for (let folder = 0; folder < 20; folder++) rmSync(files.path(`f${folder}`), { recursive: true });
        await waitFor(() => vault.graph.size === 1, { what: 'their removal' });
        expect(vault.graph.unresolved().map(({ linkpath }) => linkpath)).toEqual(['n7']);
      }),
    ));

  it('F26 follows git checkout, stash and a merge with conflict markers', () =>
    withVault({ 'a.md': '[[b]]', 'b.md': '[[a]]' }, (files) => {
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main', ...args], {
          cwd: files.root,
          stdio: 'pipe',
        });
      git('init');
      for (let number = 0; number < 300; number++) files.write(`f${number % 7}/n${number}.md`, `#old [[n${number + 1}]]`);
      git('add', '.');
      git('commit', '-m', 'one');
      git('checkout', '-b', 'other');
      for (let number = 0; number < 300; number += 2) files.write(`f${number % 7}/n${number}.md`, `#new [[n${number + 2}]]`);
      git('mv', 'f1', 'g1');
      git('commit', '-am', 'two');
      return withOpen(files.root, async (vault) => {
        const tagged = (tag: string) => vault.graph.facets.byTag(tag).length;
        expect(tagged('new')).toBe(150);
        git('checkout', 'main');
        await waitFor(() => tagged('old') === 300 && vault.graph.get('f1/n1.md'), { what: 'the main branch' });
        await expectFresh(files.root, vault);
        files.write('a.md', 'work in progress #stashed');
        await waitFor(() => tagged('stashed') === 1);
        git('stash');
        await waitFor(() => tagged('stashed') === 0, { what: 'the stash' });
        files.write('f0/n0.md', '#mine');
        git('commit', '-am', 'three');
        expect(() => git('merge', 'other')).toThrow('Command failed');
        await waitFor(() => tagged('mine') === 1 && vault.graph.get('g1/n1.md') && vault.graph.get('f1/n1.md') === null, {
          what: 'the merge',
        });
        await vault.refresh('changed');
        await expectFresh(files.root, vault);
      });
    }));

  it('F30 says so when more than half of the notes vanish', () =>
    withVault(Object.fromEntries(Array.from({ length: 40 }, (_, number) => [`f${number % 2}/n${number}.md`, `n${number}`])), (files) =>
      withOpen(files.root, async (vault) => {
        expect(vault.health.warnings()).toEqual([]);
        cpSync(files.path('f0'), files.path('.f0'), { recursive: true });
        for (let number = 1; number < 40; number += 2) unlinkSync(files.path(`f1/n${number}.md`));
        rmSync(files.path('f0'), { recursive: true });
        await waitFor(() => vault.graph.size === 0, { what: 'the loss' });
        expect(vault.health.warnings().join()).toContain('More than half of the notes vanished');
        renameSync(files.path('.f0'), files.path('f0'));
        await waitFor(() => vault.health.warnings().length === 0, { what: 'the return' });
        expect(vault.graph.size).toBe(20);
      }),
    ));
});

describe('what a watch costs', () => {
  it.skipIf(process.platform !== 'linux')('watches grow with folders, not with files', () =>
    withVault(Object.fromEntries(Array.from({ length: 500 }, (_, number) => [`f${number % 5}/n${number}.md`, ''])), async (files) => {
      const before = countWatches();
      await withOpen(files.root, async (vault) => {
        await waitFor(() => countWatches() >= before + 6, { what: 'the watches' });
        for (let number = 0; number < 500; number++) files.write(`f1/m${number}.md`, '');
        await waitFor(() => vault.graph.size === 1_000);
        expect(countWatches() - before).toBe(6);
        mkdirSync(files.path('g'));
        await waitFor(() => countWatches() - before === 7, { what: 'a watch on the new folder' });
        rmSync(files.path('g'), { recursive: true });
        await waitFor(() => countWatches() - before === 6, { what: 'the watch to go' });
      });
      expect(countWatches()).toBe(before);
    }),
  );

  it('an unchanged vault is compared without reading a file', () =>
    withVault({ 'a.md': 'x', 'b/c.md': 'y' }, (files) => {
      const when = new Date(Date.now() - 60_000);
      for (const name of ['a.md', 'b/c.md']) utimesSync(files.path(name), when, when);
      return withOpen(
        files.root,
        async (vault) => {
          const { filesRead } = vault.counters;
          await vault.refresh('strict');
          await vault.refresh('changed');
          expect([filesRead, vault.counters.filesRead]).toEqual([2, 2]);
        },
        { isFollowing: false },
      );
    }));

  it('follows a link to a note when the note behind it changes', () =>
    withVault({ 'real/a.md': '#one' }, (files) => {
      symlinkSync('real/a.md', files.path('linked.md'));
      return withOpen(files.root, async (vault) => {
        expect(vault.graph.get('linked.md')?.tags).toEqual(['one']);
        files.write('real/a.md', '#two');
        await waitFor(() => vault.graph.get('real/a.md')?.tags[0] === 'two');
        await vault.refresh('strict');
        expect(vault.graph.get('linked.md')?.tags).toEqual(['two']);
      });
    }));
});
