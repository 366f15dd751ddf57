import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { TestVault } from '../../support/vault.ts';
import { withVault } from '../../support/vault.ts';

const SETTINGS = '{"renameAlias": "off", "filenames": "title", "memory": {"root": "facts"}}';

/** The folders of a vault that are no hidden ones, below one of them. */
function folders(vault: TestVault, below = '.'): readonly string[] {
  return vault.list(below).filter((name) => !name.startsWith('.') && !name.includes('.md'));
}

describe('folders that a move empties', () => {
  it('E-14 a move, another directory and a single rename take the folder along that they empty, and those above that held nothing else; undo makes it again', async () => {
    const files = { '.rouxrc.json': SETTINGS, 'a/deep/N.md': '[[M]]\n', 'b/M.md': '[[a/deep/N]]\n', 'c/K.md': '[[M]]\n', 'here/H.md': '' };
    await withVault(files, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('update_node', { id: 'a/deep/N.md', directory: 'here' });
        expect(folders(vault)).toEqual(['b', 'c', 'here']);
        const renamed = await ask('rename', { changes: [{ from: 'b/M.md', to: 'here/M.md' }] });
        expect(renamed._warnings).toBeUndefined();
        expect(folders(vault)).toEqual(['c', 'here']);
        expect((await cli(['move', 'K', 'here', '--vault', vault.root])).status).toBe(0);
        expect(folders(vault)).toEqual(['here']);
        expect((await cli(['undo', renamed.batch, '--vault', vault.root])).status).toBe(0);
        expect(folders(vault)).toEqual(['b', 'here']);
        expect(vault.list('b')).toEqual(['M.md']);
        // Into a folder of its own, and out of it again.
        await ask('rename', { changes: [{ from: 'here/H.md', to: 'here/own/H.md' }] });
        await ask('rename', { changes: [{ from: 'here/own/H.md', to: 'here/H.md' }] });
        expect(folders(vault, 'here')).toEqual([]);
      }),
    );
  });

  it('E-14 a folder stays that holds anything at all, that settings name, or that the write did not empty', async () => {
    const stays = {
      'keep/.keep': '',
      'hidden/.DS_Store': '',
      'attached/i.png': 'PNG',
      'facts/sub/.keep': '',
    };
    const names = [
      'keep',
      'hidden',
      'attached',
      'nested',
      'facts',
      'projects',
      'Inbox',
      'Daily',
      'Templates',
      'Drawings/Templates',
      'Files',
      'ti:me',
    ];
    const settings = {
      '.rouxrc.json': SETTINGS,
      '.obsidian/app.json': '{"newFileLocation": "folder", "newFileFolderPath": "Inbox", "attachmentFolderPath": "Files/"}',
      '.obsidian/daily-notes.json': '{"folder": "Daily", "template": "Drawings/Templates/day"}',
      '.obsidian/templates.json': '{"folder": "/Templates"}',
    };
    const notes = Object.fromEntries(names.map((name, index) => [`${name}/N${index}.md`, '']));
    await withVault({ ...settings, ...stays, ...notes }, (vault) =>
      withServer(vault, async ({ ask }) => {
        for (const folder of ['nested/empty', 'on purpose']) mkdirSync(vault.path(folder));
        for (const [index, name] of names.entries()) {
          await ask('update_node', { id: `${name}/N${index}.md`, directory: 'moved' });
          expect(vault.exists(name), name).toBe(true);
        }
        expect(vault.list('nested')).toEqual(['empty']);
        expect(vault.exists('on purpose')).toBe(true);
        // Nothing of it goes in a dry run.
        await ask('update_node', { id: 'moved/N0.md', directory: 'other', dry_run: true });
        expect(vault.exists('moved')).toBe(true);
      }),
    );
  });
});
