import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NotePath } from '../../../src/note/path.ts';
import type { FileState, OpenFileSystem } from '../../../src/store/folder/file-system.ts';
import { hashOf } from '../../../src/store/folder/hash.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import type { OwnBytes } from '../../../src/vault/sync/compare-folders.ts';
import { RecentWrites } from '../../../src/vault/sync/recent-writes.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const NOTES = 40;
const notes = Object.fromEntries(Array.from({ length: NOTES }, (_, number) => [`f${number % 5}/n${number}.md`, `Note ${number}.\n`]));

/** The real file system, with the notes counted that are read from it, but for those so young that they are looked at once more. */
function countedFiles(): { openFileSystem: OpenFileSystem; reads: string[] } {
  const reads: string[] = [];
  const openFileSystem: OpenFileSystem = (root) =>
    wrapFiles(openNodeFileSystem(root), (real) => ({
      read: (path, range) => {
        if (path.endsWith('.md') && range?.isShared !== true) reads.push(path);
        return real.read(path, range);
      },
    }));
  return { openFileSystem, reads };
}

describe('the bytes that roux wrote', () => {
  it('are not read again to be indexed and retained', async () => {
    const { openFileSystem, reads } = countedFiles();
    await withVault(notes, (files) =>
      withOpen(
        files.root,
        async (vault) => {
          const packs = (): number => {
            const folder = join(files.root, '.roux/cache/texts');
            return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.texts')).length : 0;
          };
          await waitFor(() => vault.search.state === 'ready' && packs() > 0, { what: 'the index and the first copy' });
          const before = packs();
          await vault.writes.write({ operation: 'test', agent: 'ada' }, () => ({
            files: Object.keys(notes).map((path) => ({
              kind: 'change' as const,
              path: path as NotePath,
              changes: [{ op: 'set' as const, key: ['status'], value: 'zebra' }],
            })),
          }));
          reads.length = 0;
          await waitFor(() => packs() > before, { what: 'the texts are retained' });
          const found = await vault.search.search({ query: 'zebra', mode: 'keyword', limit: 1, snippetLength: 0 });
          expect(found).toMatchObject({ by: 'index', total: NOTES });
          expect(reads).toEqual([]);
        },
        { openFileSystem },
      ),
    );
  });

  it('are kept up to a limit, the last ones', () => {
    const recent = new RecentWrites();
    const written = Array.from({ length: 9 }, (_, number) => Buffer.alloc(1024 * 1024, `${number}`));
    const own = written.map((bytes): OwnBytes => ({ bytes, hash: hashOf(bytes), state: {} as FileState }));
    recent.keep(new Map(own.map((one, number) => [`${number}.md`, one])));
    expect(own.map(({ hash }) => recent.find(hash) !== null)).toEqual(own.map((_, number) => number > 0));
    expect(recent.textOf(own.at(-1)?.hash ?? '')).toMatch(/^8+$/);
  });
});
