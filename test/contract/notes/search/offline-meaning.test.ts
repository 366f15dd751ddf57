import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findMiniLm } from '../../../../src/providers/minilm/minilm.ts';
import { cliProcess } from '../../../support/program/cli.ts';
import type { CliResult } from '../../../support/program/cli.ts';
import { openMcp } from '../../../support/program/mcp-client.ts';
import { useOnce } from '../../../support/program/use-once.ts';
import { repositoryRoot, withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

const isInstalled = findMiniLm(`${repositoryRoot}/test`) !== null;
/** A network without anything in it, where this system lets a user have one. */
const offline = ['unshare', '--user', '--map-root-user', '--net'];
const through = spawnSync(offline[0] ?? '', [...offline.slice(1), 'true']).status === 0 ? offline : [];
const env = { ROUX_EMBEDDINGS: 'local' };

interface Embedded {
  readonly vault: TestVault;
  /** What the server found that has embedded the notes, and what it wrote to stderr. */
  readonly found: readonly unknown[];
  readonly told: string;
  /** What an export said before. */
  readonly nothing: CliResult;
}

describe.skipIf(!isInstalled)('search by meaning with the model that came with the program', () => {
  /** A vault that was embedded, for tests that only use its vectors: the model takes seconds of CPU to load. */
  const embedded = useOnce<Embedded>((use) =>
    withVault({ 'pets.md': 'A kitten naps on the couch.\n', 'dogs.md': 'A puppy sleeps in its basket.\n' }, async (vault) => {
      const nothing = await cliProcess(['export', '--vectors', vault.path('none.vectors'), '--vault', vault.root], { env });
      const session = await openMcp(vault, { env, through });
      let found: readonly unknown[] = [];
      try {
        // It begins a while after the first answer, and goes slowly where the machine is busy with other tests.
        found = await waitFor(
          async () => {
            const { value, texts } = await session.call('search', { query: 'a cat asleep on furniture', mode: 'semantic' });
            return texts[1]?.includes('Searched by semantic."') === true && value;
          },
          { what: 'search by meaning', timeoutMs: 150_000 },
        );
      } finally {
        await session.close();
      }
      await use({ vault, found, told: session.stderr(), nothing });
    }),
  );

  it('the built program embeds without a network, and a command uses what is kept', async () => {
    const { vault, found, told } = await embedded();
    expect(found[0]).toMatchObject({ id: 'pets.md' });
    expect(told).toBe('');
    const asked = await cliProcess(['search', 'a cat asleep on furniture', '--mode', 'semantic', '--limit', '1', '--vault', vault.root], {
      env,
    });
    expect(asked.stdout).toContain('pets.md');
    const related = await cliProcess(['related', 'pets', '--vault', vault.root], { env });
    expect(related.stdout).toMatch(/^0\.\d\d {2}dogs {2}dogs\.md/);
  });

  it('R-08 vectors that one folder exports are found by in another, which embeds nothing', async () => {
    const { vault: from, nothing } = await embedded();
    expect(nothing.stderr).toContain('No note of this vault is embedded yet');
    await withVault({ 'to/pets.md': from.read('pets.md') }, async (folder) => {
      const [to, file] = [folder.path('to'), folder.path('pets.vectors')];
      const exported = await cliProcess(['export', '--vectors', file, '--vault', from.root], { env });
      expect(exported.stdout).toBe('2 vectors were written.\n');
      const refused = await cliProcess(['import', '--vectors', from.path('pets.md'), '--vault', to], { env });
      expect(refused.stderr).toContain('This file is damaged, or was not written by "roux export --vectors"');
      const imported = await cliProcess(['import', '--vectors', file, '--vault', to], { env });
      expect(imported.stdout).toBe('2 of 2 vectors are new.\n');
      const found = await cliProcess(['search', 'a cat asleep on furniture', '--mode', 'semantic', '--vault', to], { env });
      expect(found.stdout).toContain('pets.md');
      expect(found.stderr).not.toContain('Searched by keyword');
    });
  });
});
