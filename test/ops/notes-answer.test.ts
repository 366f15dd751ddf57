import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allToolsets, operations } from '../../src/ops/all.ts';
import { VaultSession } from '../../src/ops/session.ts';
import { openNodeFileSystem } from '../../src/store/folder/node-file-system.ts';
import { withOpen } from '../support/open.ts';
import { withVault } from '../support/vault.ts';
import { wrapFiles } from '../support/wrap-files.ts';

it('a write answers with the note as it left it, though somebody writes it before the answer is made', () =>
  withVault({ 'a.md': 'A\n' }, async (vault) => {
    let isSaved = false;
    const openFileSystem = (root: string) =>
      wrapFiles(openNodeFileSystem(root), (real) => ({
        link(from, to) {
          real.link(from, to);
          // The lock is given back, and another writer is quick.
          if (!to.endsWith('.free') || isSaved) return;
          isSaved = true;
          writeFileSync(vault.path('a.md'), '---\nrev: 7\n---\nOf another\n');
        },
      }));
    await withOpen(
      vault.root,
      async (open) => {
        const session = new VaultSession(
          { openVault: () => Promise.resolve(open), config: open.settings.config, toolsets: async () => allToolsets },
          { id: 'test', agent: () => 'ada' },
        );
        const { output } = await session.run(operations.update_node, { id: 'a', content: 'Mine\n', include_content: true });
        expect(isSaved).toBe(true);
        expect(output).toMatchObject({ content: 'Mine\n', rev: 1 });
        expect((await session.run(operations.get_node, { id: 'a' })).output).toMatchObject({ content: 'Of another\n', rev: 7 });
      },
      { isFollowing: false, openFileSystem },
    );
  }));
