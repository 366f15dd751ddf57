import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Told {
  readonly seq: number;
  readonly action: string;
  readonly agent: string;
  readonly path: string;
}

async function trailOf(vault: TestVault, name: string): Promise<readonly Told[]> {
  const { stdout, stderr } = await cli(['history', name, '--json', '--limit', '100', '--vault', vault.root]);
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { events: Told[] }).events.map(({ seq, action, agent, path }) => ({ seq, action, agent, path }));
}

/** The last batch that was written. */
const lastBatch = (vault: TestVault): string => vault.list('.roux/history/batches').at(-1)?.replace('.json', '') ?? '';

describe('the trail of one note', () => {
  it('X-18 is the same by id, name, present and former paths: through renames of tools and people, moves, undo, deletion and restore', () =>
    withVault({ 'a.md': 'A\n', 'b other.md': 'Other\n' }, (vault) =>
      withMcp(vault, async (other) => {
        await other.ask('update_node', { id: 'a', properties: { k: 1 } });
        await other.ask('update_node', { id: 'a', title: 'b' });
        // By hand, while the server that renamed it runs, and another that did not.
        await withServer(vault, async ({ ask }) => {
          await ask('get_node', { id: 'b' });
          renameSync(vault.path('b.md'), vault.path('c.md'));
          await waitFor(async () => (await ask('get_node', { id: 'c.md' })) !== null, { what: 'the rename by hand' });
          await ask('update_node', { id: 'c', properties: { k: 2 } });
        });
        await cli(['move', 'c.md', 'folder', '--vault', vault.root]);
        await cli(['undo', lastBatch(vault), '--vault', vault.root]);
        await cli(['delete', 'c.md', '--vault', vault.root]);
        await cli(['restore', 'c.md', '--vault', vault.root]);
        await cli(['update', 'c', '--set', '{"k": 3}', '--vault', vault.root]);
        const trail = await trailOf(vault, 'c');
        expect(trail.map(({ action, agent }) => `${action} ${agent}`)).toEqual([
          'updated cli',
          'restored cli',
          'deleted cli',
          'restored cli',
          'moved cli',
          'updated roux-test',
          'external external',
          'renamed roux-test',
          'updated roux-test',
        ]);
        for (const name of ['c.md', 'C', 'a', 'a.md', 'b', 'b.md', 'folder/c.md', 'folder/c'])
          expect(await trailOf(vault, name), name).toEqual(trail);
        // A name that another note has taken is that note's; the others lead on, though nothing is there any more.
        await cli(['delete', 'c.md', '--vault', vault.root]);
        await cli(['create', 'a', '--vault', vault.root]);
        expect((await trailOf(vault, 'a')).map(({ action }) => action)).toEqual(['created']);
        for (const name of ['b', 'c', 'folder/c.md']) expect((await trailOf(vault, name)).slice(1), name).toEqual(trail);
      }),
    ));
});
