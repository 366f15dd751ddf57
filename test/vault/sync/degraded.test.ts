import { describe, expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import type { OpenWatch, WatchListener } from '../../../src/store/folder/watch.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

/** A watch that says only what the test makes it say. */
function deafWatch(): { openWatch: OpenWatch; tell: () => WatchListener; watched: Set<string> } {
  let listener: WatchListener | null = null;
  const watched = new Set<string>();
  return {
    watched,
    tell: () => {
      if (listener === null) throw new Error('The vault does not watch yet.');
      return listener;
    },
    openWatch: (given) => {
      listener = given;
      return {
        add: (folders) => folders.forEach((folder) => watched.add(folder)),
        drop: (folder) => void watched.delete(folder),
        close: () => Promise.resolve(),
      };
    },
  };
}

const failure = (code: string): Error => Object.assign(new Error(`${code}: watch`), { code });

describe('when events fail', () => {
  it.each(['EMFILE', 'ENOSPC'])('F27 S2-34 %s: polls, and says so with the limit to raise', (code) =>
    withVault({ 'a.md': '#one' }, (files) => {
      const watch = deafWatch();
      return withOpen(
        files.root,
        async (vault) => {
          await waitFor(() => watch.watched.size === 1, { what: 'the watch' });
          watch.tell().onError(failure(code));
          watch.tell().onError(failure(code));
          expect(vault.health.warnings()).toEqual([expect.stringContaining(`(${code}), so changes are found by comparing every`)]);
          for (const tag of ['two', 'three']) {
            files.write('a.md', `#${tag}`);
            await waitFor(() => vault.graph.get('a.md')?.tags[0] === tag, { what: tag });
          }
        },
        { openWatch: watch.openWatch, pace: { polling: 50 } },
      );
    }),
  );

  it.each([
    ['an error of the watch', (listener: WatchListener) => listener.onError(failure('EIO'))],
    [
      'a burst in which events may be lost',
      (listener: WatchListener, root: string) => {
        for (let event = 0; event < 2_500; event++) listener.onEvent(`${root}/elsewhere`, 'x.md');
      },
    ],
    ['a move of HEAD', (listener: WatchListener, root: string) => listener.onEvent(`${root}/.git`, 'HEAD')],
  ] as const)('compares everything after %s', (_what, happen) =>
    withVault({ 'a.md': '#one', 'elsewhere/b.md': '' }, (files) => {
      const watch = deafWatch();
      return withOpen(
        files.root,
        async (vault) => {
          await waitFor(() => watch.watched.size === 2, { what: 'the watch' });
          files.write('a.md', '#two');
          happen(watch.tell(), files.root);
          await waitFor(() => vault.graph.get('a.md')?.tags[0] === 'two', { what: 'the silent change' });
          expect(vault.health.warnings()).toEqual([]);
        },
        { openWatch: watch.openWatch },
      );
    }),
  );

  it('F27 compares everything after the process was stopped or the machine slept', () =>
    withVault({ 'a.md': '#one' }, (files) => {
      const watch = deafWatch();
      let asleep = 0;
      return withOpen(
        files.root,
        async (vault) => {
          await waitFor(() => watch.watched.size === 1, { what: 'the watch' });
          files.write('a.md', '#two');
          asleep = 60_000;
          await waitFor(() => vault.graph.get('a.md')?.tags[0] === 'two', { what: 'what changed meanwhile' });
          expect(vault.health.warnings()).toEqual([]);
        },
        {
          openWatch: watch.openWatch,
          openFileSystem: (root) => wrapFiles(openNodeFileSystem(root), (real) => ({ now: () => real.now() + asleep })),
        },
      );
    }));

  it('compares everything slowly when nothing happens', () =>
    withVault({ 'a.md': '#one' }, (files) => {
      const watch = deafWatch();
      return withOpen(
        files.root,
        async (vault) => {
          await waitFor(() => watch.watched.size === 1, { what: 'the watch' });
          files.write('a.md', '#two');
          expect(await waitFor(() => vault.graph.get('a.md')?.tags[0] === 'two', { what: 'the silent change' })).toBe(true);
        },
        { openWatch: watch.openWatch, pace: { idle: 100 } },
      );
    }));

  it('watches a folder again whose watch was lost', () =>
    withVault({ 'x/a.md': '#one' }, (files) => {
      const watch = deafWatch();
      return withOpen(
        files.root,
        async (vault) => {
          await waitFor(() => watch.watched.size === 2, { what: 'the watch' });
          watch.watched.delete(files.path('x'));
          files.write('x/a.md', '#two');
          watch.tell().onLost(files.path('x'));
          await waitFor(() => watch.watched.has(files.path('x')), { what: 'the watch to be back' });
          await waitFor(() => vault.graph.get('x/a.md')?.tags[0] === 'two', { what: 'what happened meanwhile' });
          expect(vault.graph.size).toBe(1);
        },
        { openWatch: watch.openWatch },
      );
    }));

  it('F26 waits while git holds its lock, and does not wait for a lock that was left behind', () =>
    withVault({ 'a.md': '#one', '.git/index.lock': '' }, (files) => {
      const watch = deafWatch();
      let later = 0;
      return withOpen(
        files.root,
        async (vault) => {
          await waitFor(() => watch.watched.size === 2, { what: 'the watch' });
          await waitFor(() => vault.counters.filesRead >= 1);
          files.write('a.md', '#two');
          watch.tell().onEvent(files.root, 'a.md');
          await new Promise((resolve) => setTimeout(resolve, 400));
          expect(vault.graph.get('a.md')?.tags).toEqual(['one']);
          later = 11_000;
          await waitFor(() => vault.graph.get('a.md')?.tags[0] === 'two', { what: 'the change after the wait' });
        },
        {
          openWatch: watch.openWatch,
          openFileSystem: (root) => wrapFiles(openNodeFileSystem(root), (real) => ({ now: () => real.now() + later })),
        },
      );
    }));
});
