import { truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasOnlineOnlyFiles, isOnlineOnly } from '../../../src/store/folder/online-only.ts';
import { openRoot } from '../../../src/store/folder/held-folders.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The file system as on another system. A sparse file has the size and the blocks of one whose content is elsewhere. */
const as = (platform: NodeJS.Platform) => (root: string) => openNodeFileSystem(root, openRoot(root), platform);

describe('O-10 files that are there without their content', () => {
  it.each([
    ['darwin', 1n, 0n, true],
    ['darwin', 0n, 0n, false],
    ['darwin', 1n, 8n, false],
    ['win32', 4096n, 0n, true],
    // It lies in its record of the directory.
    ['win32', 511n, 0n, false],
    ['win32', 4096n, 8n, false],
    // An ordinary sparse file, or one whose blocks are not allotted yet.
    ['linux', 4096n, 0n, false],
    ['freebsd', 4096n, 0n, false],
  ] as const)('O-10 %s, %i bytes in %i blocks: %s', (platform, size, blocks, expected) => {
    expect(isOnlineOnly({ size, blocks }, platform)).toBe(expected);
    expect(hasOnlineOnlyFiles(platform)).toBe(platform === 'darwin' || platform === 'win32');
  });

  it.each(['darwin', 'win32'] as const)('O-10 on %s such a note is not read, keeps what was read before, and is told', (platform) =>
    withVault({ 'Note.md': '#kept [[Other]]', 'Other.md': '[[Note]]' }, (files) => {
      const open = as(platform);
      return withOpen(
        files.root,
        async (vault) => {
          const evict = (): void => {
            writeFileSync(files.path('Note.md'), '');
            truncateSync(files.path('Note.md'), 8_192);
          };
          expect(vault.graph.get('Note.md')?.tags).toEqual(['kept']);
          evict();
          await waitFor(() => vault.health.warnings().length > 0, { what: 'the warning' });
          expect(vault.health.warnings()).toEqual([expect.stringMatching(/^1 note is online-only: .*Note\.md/)]);
          expect(vault.graph.get('Note.md')?.tags).toEqual(['kept']);
          expect(vault.graph.backlinks('Note.md')).toHaveLength(1);
          await expect(vault.notes.read('Note.md')).rejects.toMatchObject({
            code: 'IO_ERROR',
            message: expect.stringContaining('online-only') as string,
          });
          expect((await vault.health.verify({ rebuild: true })).drift).toEqual([]);
          files.write('Note.md', '#back');
          await waitFor(() => vault.graph.get('Note.md')?.tags[0] === 'back', { what: 'the download' });
          expect(vault.health.warnings()).toEqual([]);
        },
        { openFileSystem: open },
      );
    }),
  );

  it.each(['.Note.md.icloud', 'Note.md.nextcloud', 'Note.md.owncloud'])(
    'O-10 %s is noticed when it comes and when it goes',
    (placeholder) =>
      withVault({ 'Other.md': '[[Note]]' }, (files) =>
        withOpen(files.root, async (vault) => {
          // Until folders are watched, everything is compared.
          for (const name of ['first.md', 'second.md']) {
            files.write(name, '');
            await waitFor(() => vault.graph.get(name), { what: `${name}, by its event` });
          }
          files.write(placeholder, 'bplist00');
          await waitFor(() => vault.graph.unresolved().length === 0, { what: 'the note' });
          files.remove(placeholder);
          await waitFor(() => vault.graph.unresolved().length > 0, { what: 'the deletion' });
          expect(vault.graph.unresolved()).toMatchObject([{ linkpath: 'Note' }]);
        }),
      ),
  );

  it('O-10 on Linux a sparse file is a file like any other', () =>
    withVault({ 'Note.md': '' }, (files) => {
      truncateSync(files.path('Note.md'), 8_192);
      return withOpen(files.root, (vault) => {
        expect(vault.health.warnings()).toEqual([]);
        expect(vault.graph.get('Note.md')).not.toBeNull();
      });
    }));
});
