import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OpenFileSystem } from '../../../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../../../src/store/folder/node-file-system.ts';
import { openFolderWatch } from '../../../../src/store/folder/watch.ts';
import type { FolderWatch, OpenWatch } from '../../../../src/store/folder/watch.ts';
import { sample, upTo } from '../../../support/effort.ts';
import { answersOf, withOpen } from '../../../support/open.ts';
import { withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { wrapFiles } from '../../../support/wrap-files.ts';

const NOTES = {
  'a.md': 'A [[b]] [[e]]\n',
  'b.md': 'B\n',
  'c/d.md': 'D [[a]]\n',
  'c/e.md': '---\nid: e_1\n---\nE\n',
  'f/g/h.md': 'H [[d]] ![[p.png]]\n',
  'f/p.png': 'png',
};

/** What another program does to the vault while it is opened. */
const CHANGES: Readonly<Record<string, (files: TestVault) => void>> = {
  'a save': (files) => files.write('b.md', 'B, longer than it was. #saved [[h]]\n'),
  'a save below': (files) => files.write('f/g/h.md', 'H, longer than it was. #saved [[b]] [[missing]]\n'),
  'a new note': (files) => files.write('c/new.md', 'New. #new [[a]]\n'),
  'a removal': (files) => files.remove('c/e.md'),
  'a move': (files) => renameSync(files.path('c/d.md'), files.path('f/g/d2.md')),
  'a move to the top': (files) => renameSync(files.path('f/g/h.md'), files.path('h.md')),
  'a new folder': (files) => files.write('n/m/x.md', 'X [[b]]\n'),
  'a moved folder': (files) => renameSync(files.path('c'), files.path('f/c2')),
  'a folder that replaces another': (files) => {
    rmSync(files.path('c'), { recursive: true });
    mkdirSync(files.path('c'));
    files.write('c/d.md', 'Another D. #other\n');
  },
};

/** The real file system. `onLook` is called after each look at a file or folder of the vault, with its path. */
function watchedFiles(onLook: (path: string) => void): OpenFileSystem {
  const after = <T>(path: string, answer: T): T => {
    if (!path.startsWith('.')) onLook(path);
    return answer;
  };
  return (root) =>
    wrapFiles(openNodeFileSystem(root), (real) => ({
      stat: (path) => after(path, real.stat(path)),
      hint: (path) => after(path, real.hint(path)),
      list: (folder) => after(folder, real.list(folder)),
      read: (path, range) => after(path, real.read(path, range)),
    }));
}

/** Runs in a vault whose notes are older than the grain of time and, for a warm start, in its cache. */
function prepared<T>(start: string, notes: Readonly<Record<string, string>>, run: (files: TestVault) => Promise<T>): Promise<T> {
  return withVault(notes, async (files) => {
    const when = new Date(Date.now() - 60_000);
    for (const file of files.files()) utimesSync(files.path(file), when, when);
    if (start === 'warm') await withOpen(files.root, () => undefined, { program: 'test', isFollowing: false });
    return run(files);
  });
}

/** Starts while this happens at a look. Gives the answers of the graph as soon as a call has come up to date, those of the files, and how many looks it took. */
async function startWith(
  start: string,
  change: (files: TestVault) => void,
  at: number,
  openWatch: OpenWatch = openFolderWatch,
): Promise<{ readonly known: unknown; readonly now: unknown; readonly looks: number }> {
  return prepared(start, NOTES, (files) => {
    let [looks, isStarting] = [0, true];
    const openFileSystem = watchedFiles(() => {
      // Some starts take a look less than others: what happens after the first answer need not be in it.
      if (looks++ === at && isStarting) change(files);
    });
    return withOpen(
      files.root,
      async (vault) => {
        const taken = looks;
        isStarting = false;
        await vault.refresh('changed');
        return { known: answersOf(vault.graph), now: await answersNow(files), looks: taken };
      },
      { openFileSystem, openWatch, program: 'test' },
    );
  });
}

const answersNow = (files: TestVault): Promise<unknown> => withOpen(files.root, (vault) => answersOf(vault.graph), { isFollowing: false });

/** A watch that says nothing and cannot promise to. */
const deafWatch: OpenWatch = () => ({
  add: () => undefined,
  drop: () => undefined,
  close: async () => undefined,
});

/** A watch that has no place for one of the folders. */
const fullWatch =
  (code: string): OpenWatch =>
  (listener) => {
    const watch: FolderWatch = openFolderWatch(listener);
    const fail = (): void => listener.onError(Object.assign(new Error(`${code}: watch`), { code }));
    return { ...watch, add: (folders) => folders.forEach((folder) => (folder.endsWith('/c') ? fail() : watch.add([folder]))) };
  };

describe.each(['cold', 'warm'])('a %s start', (start) => {
  it.each(Object.entries(CHANGES))('H-16 knows of %s at any of its looks when it gives its first answer', async (_, change) => {
    const { looks } = await startWith(start, () => undefined, -1);
    for (const at of sample(upTo(looks), 2, Object.values(CHANGES).indexOf(change))) {
      const { known, now } = await startWith(start, change, at);
      expect(known, `changed at look ${at}`).toEqual(now);
    }
  });

  it.each([
    ['no folder', deafWatch],
    ['not every folder', fullWatch('ENOSPC')],
  ])('F27 knows of a save when it gives its first answer where %s could be watched', async (_, openWatch) => {
    const save = (files: TestVault): void => files.write('c/d.md', 'D, longer than it was. #saved [[b]]\n');
    const { looks } = await startWith(start, () => undefined, -1, openWatch);
    for (const at of upTo(looks)) {
      const { known, now } = await startWith(start, save, at, openWatch);
      expect(known, `changed at look ${at}`).toEqual(now);
    }
  });

  it('F27 finds by itself what happened during it where no watch tells of it', () =>
    prepared(start, NOTES, (files) => {
      let isRead = false;
      const openFileSystem = watchedFiles((path) => {
        if (path !== 'f/g/h.md' || isRead) return;
        isRead = true;
        files.write('a.md', 'A, longer than it was. #saved\n');
      });
      return withOpen(
        files.root,
        async (vault) => expect(await waitFor(() => vault.graph.get('a.md')?.tags[0], { what: 'the save' })).toBe('saved'),
        {
          openFileSystem,
          openWatch: deafWatch,
          pace: { idle: 3_600_000 },
          program: 'test',
        },
      );
    }));

  it('looks at each note once at most, and watches each folder once', () =>
    prepared(start, Object.fromEntries(upTo(60).map((at) => [`${at % 3}/${at % 2}/n${at}.md`, `Note ${at}.\n`])), async (files) => {
      let hints = 0;
      let isFollowing = false;
      const watched: string[] = [];
      const openFileSystem: OpenFileSystem = (root) =>
        wrapFiles(openNodeFileSystem(root), (real) => ({
          hint(path) {
            if (path.endsWith('.md')) hints++;
            return real.hint(path);
          },
          stat(path) {
            if (path === '.git') isFollowing = true;
            return real.stat(path);
          },
        }));
      const openWatch: OpenWatch = (listener) => {
        const watch = openFolderWatch(listener);
        return { ...watch, add: (folders) => (watched.push(...folders), watch.add(folders)) };
      };
      await withOpen(
        files.root,
        async (vault) => {
          await waitFor(() => isFollowing, { what: 'following' });
          await vault.refresh('changed');
          // Those that were read for the first time have told their state by that.
          expect(hints).toBe(start === 'warm' ? 60 : 0);
          const folders = ['', ...[0, 1, 2].flatMap((folder) => [`/${folder}`, `/${folder}/0`, `/${folder}/1`])];
          expect(watched.toSorted()).toEqual(folders.map((folder) => `${files.root}${folder}`).toSorted());
        },
        { openFileSystem, openWatch, program: 'test' },
      );
    }));

  it.each(['ENOSPC', 'EMFILE'])('F27 compares again and again where not all folders could be watched (%s)', (code) =>
    prepared(start, NOTES, (files) => {
      return withOpen(
        files.root,
        async (vault) => {
          for (const tag of ['one', 'two']) {
            files.write('c/e.md', `E, longer than it was. #${tag}\n`);
            await waitFor(() => vault.graph.get('c/e.md')?.tags[0] === tag, { what: tag });
          }
          expect(vault.health.warnings()).toEqual([expect.stringContaining(`(${code}), so changes are found by comparing every`)]);
        },
        { openWatch: fullWatch(code), pace: { polling: 50 }, program: 'test' },
      );
    }),
  );
});
