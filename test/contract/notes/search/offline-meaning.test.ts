import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { findMiniLm } from '../../../../src/providers/minilm/minilm.ts';
import { cliProcess } from '../../../support/program/cli.ts';
import { openMcp } from '../../../support/program/mcp-client.ts';
import { repositoryRoot, withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

const isInstalled = findMiniLm(`${repositoryRoot}/test`) !== null;
/** A network without anything in it, where this system lets a user have one. */
const offline = ['unshare', '--user', '--map-root-user', '--net'];
const through = spawnSync(offline[0] ?? '', [...offline.slice(1), 'true']).status === 0 ? offline : [];

it.skipIf(!isInstalled)(
  'the built program embeds with the model that came with it, without a network, and a command uses what is kept',
  () =>
    withVault({ 'pets.md': 'A kitten naps on the couch.\n', 'dogs.md': 'A puppy sleeps in its basket.\n' }, async (vault) => {
      const env = { ROUX_EMBEDDINGS: 'local' };
      const session = await openMcp(vault, { env, through });
      try {
        // It begins a while after the first answer, and goes slowly where the machine is busy with other tests.
        const found = await waitFor(
          async () => {
            const { value, texts } = await session.call('search', { query: 'a cat asleep on furniture', mode: 'semantic' });
            return texts[1]?.includes('Searched by semantic."') === true && value;
          },
          { what: 'search by meaning', timeoutMs: 150_000 },
        );
        expect(found[0]).toMatchObject({ id: 'pets.md' });
      } finally {
        await session.close();
      }
      expect(session.stderr()).toBe('');
      const asked = await cliProcess(['search', 'a cat asleep on furniture', '--mode', 'semantic', '--limit', '1', '--vault', vault.root], {
        env,
      });
      expect(asked.stdout).toContain('pets.md');
      const related = await cliProcess(['related', 'pets', '--vault', vault.root], { env });
      expect(related.stdout).toMatch(/^0\.\d\d {2}dogs {2}dogs\.md/);
    }),
);
