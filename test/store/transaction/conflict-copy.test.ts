import { statSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };

it('a conflict copy is a file of its own: it can be written, and what is kept for undo does not change with it', () =>
  withVault({ 'a.md': 'first\n' }, async (vault) => {
    let isSaved = false;
    const writer = openTestWriter({
      root: vault.root,
      // A person saves at the last moment before the new text takes the place of the old one.
      files: wrapFiles(openNodeFileSystem(vault.root), (files) => ({
        rename(from, to) {
          if (to === 'a.md' && !isSaved) {
            isSaved = true;
            writeFileSync(vault.path(to), 'by a person\n');
          }
          files.rename(from, to);
        },
      })),
    });
    const path = toNotePath('a.md');
    if (path === null) throw new Error('no path');
    const etag = writer.graph.get('a.md')?.hash ?? '';
    const replace = { kind: 'change' as const, path, changes: [{ op: 'body' as const, text: 'by an agent\n' }], expect: { etag } };
    const { warnings } = await writer.write(meta, () => ({ files: [replace] }));
    const copy = vault.files().find((file) => file.includes('.sync-conflict-')) ?? '';
    expect(warnings.join()).toContain(copy);
    expect(vault.read(copy)).toBe('by a person\n');
    expect(statSync(vault.path(copy)).nlink).toBe(1);

    writer.index([copy]);
    const copyPath = toNotePath(copy);
    if (copyPath === null) throw new Error('no path');
    await writer.write(meta, () => ({ files: [{ kind: 'change', path: copyPath, changes: [{ op: 'body', text: 'merged by hand\n' }] }] }));
    expect(vault.read(copy)).toBe('merged by hand\n');
    const kept = vault.list('.roux/history/batches').map((name) => vault.read(`.roux/history/batches/${name}`));
    expect(kept.filter((text) => text === 'by a person\n')).toHaveLength(2);
    await writer.close();
    expect([...vault.list('.roux/journal'), ...vault.list('.roux/tmp')]).toEqual([]);
  }));
