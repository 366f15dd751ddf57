import { expect, it } from 'vitest';
import { findMiniLm } from '../../../../src/providers/minilm/minilm.ts';
import { cliProcess } from '../../../support/program/cli.ts';
import { openMcp } from '../../../support/program/mcp-client.ts';
import { repositoryRoot, withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

const isInstalled = findMiniLm(`${repositoryRoot}/test`) !== null;
const env = { ROUX_EMBEDDINGS: 'local' };

it.skipIf(!isInstalled)('R-08 vectors that one folder exports are found by in another, which embeds nothing', () =>
  withVault({ 'from/pets.md': 'A kitten naps on the couch.\n', 'to/pets.md': 'A kitten naps on the couch.\n' }, async (folder) => {
    const [from, to, file] = [folder.path('from'), folder.path('to'), folder.path('pets.vectors')];
    const nothing = await cliProcess(['export', '--vectors', file, '--vault', from], { env });
    expect(nothing.stderr).toContain('No note of this vault is embedded yet');
    const session = await openMcp({ root: from }, { env });
    try {
      await waitFor(
        async () => {
          const { texts } = await session.call('search', { query: 'a cat asleep on furniture', mode: 'semantic' });
          return texts[1]?.includes('Searched by semantic."') === true;
        },
        { what: 'search by meaning', timeoutMs: 150_000 },
      );
    } finally {
      await session.close();
    }
    const exported = await cliProcess(['export', '--vectors', file, '--vault', from], { env });
    expect(exported.stdout).toBe('1 vector was written.\n');
    const refused = await cliProcess(['import', '--vectors', folder.path('from/pets.md'), '--vault', to], { env });
    expect(refused.stderr).toContain('This file is damaged, or was not written by "roux export --vectors"');
    const imported = await cliProcess(['import', '--vectors', file, '--vault', to], { env });
    expect(imported.stdout).toBe('1 of 1 vectors are new.\n');
    const found = await cliProcess(['search', 'a cat asleep on furniture', '--mode', 'semantic', '--vault', to], { env });
    expect(found.stdout).toContain('pets.md');
    expect(found.stderr).not.toContain('Searched by keyword');
  }),
);
