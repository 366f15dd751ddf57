import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

it('O-10 clients on Windows may write backslashes between folders, where no name can hold one', () =>
  withVault({ 'a/Note.md': '# Note\n' }, async (vault) => {
    for (const ref of ['a\\Note.md', '.\\a\\Note', 'A\\note'])
      expect((await cli(['get', ref, '--vault', vault.root])).stdout).toContain('# Note');
    const created = await cli(['create', 'Here', '--directory', 'a\\b', '--vault', vault.root]);
    expect(created.stderr).toBe('');
    expect(vault.files()).toContain('a/b/Here.md');
    for (const folder of ['C:\\notes', '\\\\server\\share', '..\\out'])
      expect((await cli(['create', 'There', '--directory', folder, '--vault', vault.root])).stderr).toContain('cannot be used');
  }));

it('O-10 a vault may be named by the URL of its folder, as clients have it', () =>
  withVault({ 'Größe und mehr.md': '# One\n' }, async (vault) => {
    expect((await cli(['get', 'Größe und mehr', '--vault', pathToFileURL(vault.root).href])).stdout).toContain('# One');
    const elsewhere = await cli(['get', 'x', '--vault', 'file://server/share']);
    expect(elsewhere).toMatchObject({ status: 2, stderr: expect.stringContaining('is not the URL of a folder on this machine') as string });
  }));
