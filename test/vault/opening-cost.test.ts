import { utimesSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { openNodeFileSystem } from '../../src/store/folder/node-file-system.ts';
import type { VaultOptions } from '../../src/vault/open-vault.ts';
import { withOpen } from '../support/open.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { wrapFiles } from '../support/wrap-files.ts';

const FOLDERS = 4;
/** Each folder once, and the root twice: whether it can be read is known before anything else. */
const LISTS = FOLDERS + 2;
const NOTES = 200;

const notes = Object.fromEntries(
  Array.from({ length: NOTES }, (_, number) => [
    `f${number % FOLDERS}/n${number}.md`,
    `---\nup: "[[n1]]"\n---\n# N ${number}\n\n[[n2]] #tag\n`,
  ]),
);

/** What one opening asked the file system for, `.roux` apart, and what it told of taking over. */
async function opening(files: TestVault, options: Partial<VaultOptions> = {}) {
  const asked = { hints: 0, lists: 0, reads: 0 };
  const told: boolean[] = [];
  const isOurs = (path: string): boolean => path.startsWith('.');
  const counters = await withOpen(files.root, (vault) => ({ ...vault.counters, notes: vault.graph.size }), {
    isFollowing: false,
    program: 'test',
    onHeavyWork: (work, isUnderWay) => void (work === 'warm start' && told.push(isUnderWay)),
    openFileSystem: (root) =>
      wrapFiles(openNodeFileSystem(root), (real) => ({
        hint: (path) => ((asked.hints += path === '' || isOurs(path) ? 0 : 1), real.hint(path)),
        list: (folder) => ((asked.lists += isOurs(folder) ? 0 : 1), real.list(folder)),
        read: (path, range) => ((asked.reads += isOurs(path) ? 0 : 1), real.read(path, range)),
      })),
    ...options,
  });
  return { asked, told, counters };
}

/** Files older than the grain of time, so that nothing needs a second look. */
function grow(files: TestVault): void {
  const when = new Date(Date.now() - 60_000);
  for (const file of files.files()) utimesSync(files.path(file), when, when);
}

describe('what opening costs', () => {
  it('a cold start reads each note once and lists each folder once', () =>
    withVault(notes, async (files) => {
      grow(files);
      const { asked, counters } = await opening(files);
      expect(asked).toEqual({ hints: 0, lists: LISTS, reads: NOTES });
      expect(counters).toEqual({ filesRead: NOTES, notesParsed: NOTES, notes: NOTES });
    }));

  it('a warm start looks once at each note, and reads and decodes none', () =>
    withVault(notes, async (files) => {
      grow(files);
      await opening(files);
      const decoding = vi.spyOn(JSON, 'parse');
      const { asked, told, counters } = await opening(files);
      expect(decoding.mock.calls.length).toBeLessThan(NOTES / 10);
      decoding.mockRestore();
      expect(asked).toEqual({ hints: NOTES, lists: LISTS, reads: 0 });
      expect(counters).toEqual({ filesRead: 0, notesParsed: 0, notes: NOTES });
      expect(told).toEqual([true, false]);
    }));

  it('tells of a first reading while all notes are read, and of none where a cache has them', () =>
    withVault(notes, async (files) => {
      grow(files);
      let reads = 0;
      const told: (readonly [boolean, number])[] = [];
      const options: Partial<VaultOptions> = {
        onHeavyWork: (work, isUnderWay) => void (work === 'first reading' && told.push([isUnderWay, reads])),
        openFileSystem: (root) =>
          wrapFiles(openNodeFileSystem(root), (real) => ({
            read: (path, range) => ((reads += path.startsWith('.') ? 0 : 1), real.read(path, range)),
          })),
      };
      await opening(files, options);
      await opening(files, options);
      expect(told).toEqual([
        [true, 0],
        [false, NOTES],
      ]);
    }));

  it('tells that taking over is done as soon as there is nothing to take over, or a note is read after all', () =>
    withVault(notes, async (files) => {
      grow(files);
      const cold = await opening(files);
      expect(cold.told).toEqual([true, false]);
      expect((await opening(files, { program: 'another' })).told).toEqual([true, false]);
      await opening(files);
      files.write('f1/n1.md', 'changed');
      let reads = 0;
      const toldAfter: (readonly [boolean, number])[] = [];
      await opening(files, {
        onHeavyWork: (work, isUnderWay) => void (work === 'warm start' && toldAfter.push([isUnderWay, Math.min(reads, 1)])),
        openFileSystem: (root) =>
          wrapFiles(openNodeFileSystem(root), (real) => ({
            read: (path, range) => ((reads += path.startsWith('.') ? 0 : 1), real.read(path, range)),
          })),
      });
      expect(toldAfter).toEqual([
        [true, 0],
        [false, 1],
      ]);
    }));
});
