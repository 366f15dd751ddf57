import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';

describe.skipIf(process.platform === 'win32')('a vault whose folder has backslashes in its name', () => {
  it('is served itself, and not the folder that its name would be with slashes', () =>
    withVault({ 'other/private.md': 'Private\n', 'x/.keep': '' }, async (vault) => {
      for (const name of ['back\\slash', '..\\other', 'x\\..\\other']) {
        const root = vault.path(name);
        mkdirSync(root, { recursive: true });
        writeFileSync(join(root, 'a.md'), 'apple\n');
        expect(await cli(['get', 'a', '--vault', root])).toMatchObject({ status: 0, stdout: 'apple\n' });
        expect(await cli(['create', 'B', '--content', 'x', '--vault', root])).toMatchObject({ status: 0, stdout: 'b.md\n' });
        expect((await cli(['get', 'private', '--vault', root])).status).toBe(1);
        expect((await cli(['init', '--vault', root])).status).toBe(0);
      }
      expect(vault.files().filter((file) => file.startsWith('other/'))).toEqual(['other/private.md']);
    }));
});
