import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { ALONE, withMcp } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';
import { sample } from '../support/effort.ts';

interface Told {
  readonly agent: string;
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

/** Who moved a note from where to where, and who made or removed it, oldest first. */
async function movesOf(vault: TestVault, name: string): Promise<readonly string[]> {
  const { stdout } = await cli(['history', name, '--json', '--limit', '100', '--vault', vault.root]);
  const { events } = JSON.parse(stdout) as { events: readonly Told[] };
  return events
    .toReversed()
    .flatMap(({ agent, changes }) =>
      changes.flatMap(({ field, before, after }) =>
        field === 'path' || field === 'file' ? [`${agent}: ${String(before)} → ${String(after)}`] : [],
      ),
    );
}

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** A person renames at these moments after the other process has answered: before, while and after this one hears of it. */
const MOMENTS = sample([0, 5, 40, 100, 400, 1_500], 3);

describe('H-13 a person renames a note that another process has just moved', () => {
  it.each(MOMENTS)('%i ms after a server answered, beside another server: one event from the right place, the trail whole', (moment) =>
    withVault({ 'a.md': 'The note\n', 'linking.md': 'See [[a]].\n' }, (vault) =>
      withMcp(vault, async (one) =>
        withMcp(
          vault,
          async (other) => {
            await one.ask('get_node', { id: 'a.md' });
            await other.ask('get_node', { id: 'a.md' });
            await one.ask('rename', { changes: [{ from: 'a.md', to: 'b' }] });
            await pause(moment);
            renameSync(vault.path('b.md'), vault.path('c.md'));
            // The one that did not rename it writes to it.
            await waitFor(async () => !(await other.call('update_node', { id: 'c.md', properties: { k: 1 } })).isError, {
              what: 'the write',
            });
            const wanted = ['roux-test: a.md → b.md', 'external: b.md → c.md'];
            for (const name of ['c', 'b', 'a']) expect(await movesOf(vault, name), name).toEqual(wanted);
          },
          ALONE,
        ),
      ),
    ),
  );

  it.each(MOMENTS)('%i ms after a command ended, beside a server that only looks on', (moment) =>
    withVault({ 'a.md': '---\nid: the-note\n---\nThe note\n', 'sub/other.md': 'Other\n' }, (vault) =>
      withMcp(vault, async (server) => {
        await server.ask('get_node', { id: 'a.md' });
        await cli(['rename', 'a.md', 'sub/b.md', '--vault', vault.root]);
        await pause(moment);
        renameSync(vault.path('sub/b.md'), vault.path('c.md'));
        // Whoever asks by a name that is gone must not make a deletion of it.
        await server.call('get_node', { id: 'sub/b.md' });
        await server.call('get_node', { id: 'a.md' });
        await waitFor(async () => (await movesOf(vault, 'c.md')).length > 1, { what: 'the rename in the history' });
        const wanted = ['cli: a.md → sub/b.md', 'external: sub/b.md → c.md'];
        for (const name of ['c', 'the-note', 'sub/b', 'a']) expect(await movesOf(vault, name), name).toEqual(wanted);
      }),
    ),
  );

  it('links to the place that it had in between follow, as after any rename by a person', () =>
    withVault({ 'a.md': 'The note\n' }, (vault) =>
      withMcp(
        vault,
        async ({ ask }) => {
          await ask('create_node', { title: 'Linking', content: 'See [[a]].' });
          await ask('get_node', { id: 'a.md' });
          await cli(['rename', 'a.md', 'b', '--vault', vault.root]);
          renameSync(vault.path('b.md'), vault.path('c.md'));
          await waitFor(() => vault.files().some((file) => vault.read(file).includes('See [[c]]')), {
            what: 'the rewriting of the link',
          });
          expect(vault.files().filter((file) => vault.read(file).includes('[[c]]')).length).toBe(1);
        },
        { flags: ['--toolsets', 'all'] },
      ),
    ));

  it('a person deletes it there: that is told, from where it was', () =>
    withVault({ 'a.md': 'The note\n' }, (vault) =>
      withMcp(vault, async (server) => {
        await server.ask('get_node', { id: 'a.md' });
        await cli(['rename', 'a.md', 'b', '--vault', vault.root]);
        vault.remove('b.md');
        await waitFor(async () => (await server.ask('get_node', { id: 'b.md' })) === null, { what: 'the deletion' });
        await waitFor(async () => (await movesOf(vault, 'b')).length > 1, { what: 'the deletion in the history' });
        expect(await movesOf(vault, 'b')).toEqual(['cli: a.md → b.md', 'external: b.md → null']);
      }),
    ));
});
