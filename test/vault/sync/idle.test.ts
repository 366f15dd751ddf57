import { linkSync, unlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ReadRange } from '../../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { openFolderWatch } from '../../../src/store/folder/watch.ts';
import type { OpenWatch, WatchListener } from '../../../src/store/folder/watch.ts';
import type { CountedVault, VaultOptions } from '../../../src/vault/open-vault.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

/** Between full comparisons, in milliseconds, and so many of these stretches that are looked at. */
const IDLE = 40;
const MANY = 15;
/** What a comparison of the vault below asks at least: its two folders and two notes. */
const COMPARISON = 4;

/** Runs on a vault that is watched and has settled; `looks` counts what the file system is asked from then on, but for the vault's own folder. */
async function whenSettled(
  run: (vault: CountedVault, files: TestVault, looks: () => number) => Promise<void>,
  options: Partial<Omit<VaultOptions, 'root'>> = {},
): Promise<void> {
  await withVault({ 'a.md': '#one', 'x/b.md': '[[a]]', 'x/pic.png': '' }, async (files) => {
    let looks = 0;
    const count = <A extends readonly unknown[], R>(call: (path: string, ...rest: A) => R) => {
      return (path: string, ...rest: A): R => {
        if (path !== '' && !path.startsWith('.roux')) looks++;
        return call(path, ...rest);
      };
    };
    let isWatching = false;
    const openWatch: OpenWatch = (listener) => {
      isWatching = true;
      return (options.openWatch ?? openFolderWatch)(listener);
    };
    await withOpen(
      files.root,
      async (vault) => {
        await waitFor(() => isWatching && looks > 0, { what: 'the watch' });
        // Notes that are young are looked at again.
        await waitFor(async () => await isQuiet(() => looks, 2_500 / IDLE), { what: 'quiet' });
        looks = 0;
        await run(vault, files, () => looks);
      },
      {
        pace: { idle: IDLE },
        ...options,
        openWatch,
        openFileSystem: (root) =>
          wrapFiles(openNodeFileSystem(root), (real) => ({
            stat: count((path) => real.stat(path)),
            hint: count((path) => real.hint(path)),
            list: count((path) => real.list(path)),
            read: count((path, range?: ReadRange) => real.read(path, range)),
          })),
      },
    );
  });
}

/** Whether nothing is asked during so many stretches between comparisons. */
async function isQuiet(looks: () => number, stretches = MANY): Promise<boolean> {
  const before = looks();
  await setTimeout(stretches * IDLE);
  return looks() === before;
}

/** A watch that tells of nothing that happens, and does not say otherwise. */
const unsure: OpenWatch = () => {
  return { ...openFolderWatch({ onEvent: () => undefined, onLost: () => undefined, onError: () => undefined }), reportsAll: () => false };
};

/** The real watch, with what it tells at hand. */
function overheard(): { openWatch: OpenWatch; tell: () => WatchListener } {
  let listener: WatchListener | null = null;
  return {
    tell: () => listener as unknown as WatchListener,
    openWatch: (given) => openFolderWatch((listener = given)),
  };
}

describe.skipIf(process.platform !== 'linux')('a vault at which nothing happens', () => {
  it('asks the file system nothing, though the time of many comparisons passes', () =>
    whenSettled(async (vault, files, looks) => {
      expect(await isQuiet(looks)).toBe(true);
      expect(looks()).toBe(0);
      files.write('a.md', '#two');
      await waitFor(() => vault.graph.get('a.md')?.tags[0] === 'two', { what: 'a save after that' });
    }));

  it('is compared once in a long while all the same', () =>
    whenSettled(
      async (_vault, _files, looks) => {
        expect(await waitFor(() => looks() >= COMPARISON, { what: 'the comparison' })).toBe(true);
      },
      { pace: { idle: IDLE, rare: 3_000 } },
    ));
});

describe('a vault of which events may be missed', () => {
  it('is compared again and again where a file system does not tell of everything', () =>
    withVault({ 'a.md': '#one' }, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          files.write('a.md', '#two');
          expect(await waitFor(() => vault.graph.get('a.md')?.tags[0] === 'two', { what: 'what nobody told' })).toBe(true);
        },
        { openWatch: unsure, pace: { idle: IDLE } },
      ),
    ));

  it('F33 is compared again and again where a note has another name outside of it, and no more once it has not', () =>
    withVault({}, (outside) =>
      whenSettled(async (vault, files, looks) => {
        linkSync(files.path('a.md'), outside.path('other.md'));
        await vault.refresh('strict');
        await waitFor(() => looks() > 3 * COMPARISON, { what: 'comparisons' });
        outside.write('other.md', '#three');
        await waitFor(() => vault.graph.get('a.md')?.tags[0] === 'three', { what: 'what was written under the other name' });
        unlinkSync(outside.path('other.md'));
        expect(await waitFor(() => isQuiet(looks), { what: 'quiet' })).toBe(true);
      }),
    ));

  it('F27 is compared after a burst of events in which some may be lost, be they of names that are nobody’s content', () => {
    const watch = overheard();
    return whenSettled(
      async (_vault, files, looks) => {
        for (let event = 0; event < 2_100; event++) watch.tell().onEvent(files.root, 'x.tmp');
        expect(await waitFor(() => looks() >= COMPARISON, { what: 'the comparison' })).toBe(true);
      },
      { openWatch: watch.openWatch, pace: {} },
    );
  });
});
