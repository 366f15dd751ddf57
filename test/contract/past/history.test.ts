import { describe, expect, it } from 'vitest';
import { eventsOf } from '../../support/history.ts';
import { ALONE, withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

describe('the history tells who did what', () => {
  it('S1-88 an editor that removes a note and makes it anew, and is watched, changed the fields that differ', () =>
    withVault({ 'a.md': '---\nstatus: open\n---\nA\n', 'b.md': 'B\n' }, async (vault) => {
      await withServer(vault, async (session) => {
        await known(session, 'a.md');
        vault.remove('a.md');
        await waitFor(async () => (await session.ask('list_nodes', {})).total === 1);
        vault.write('a.md', '---\nstatus: done\n---\nA\n');
        await known(session, 'a.md');
      });
      expect(eventsOf(vault)).toMatchObject([
        { path: 'a.md', agent: 'external', changes: [{ field: 'status', before: 'open', after: 'done' }] },
      ]);
    }));

  it('S1-88 what other processes wrote is theirs, while both run, when one starts later, and over more than the last megabyte', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const body = (letter: string): string => `${letter.repeat(3_900)}\n`;
      let oldCache: Uint8Array = new Uint8Array();
      await withMcp(vault, async (first) => {
        await withMcp(
          vault,
          async (second) => {
            for (let index = 0; index < 3; index++) {
              const { id } = await first.ask('create_node', { title: `Shared ${index}`, content: body('a') });
              await second.ask('update_node', { id, content: body('b') });
            }
            await waitFor(async () => (await second.ask('list_nodes', {})).total === 4);
          },
          ALONE,
        );
        await waitFor(() => vault.exists('.roux/cache/notes'), { what: 'what the second one keeps for the next start' });
        oldCache = vault.readBytes('.roux/cache/notes');
        // Nobody but the first one runs.
        for (let index = 0; index < 3; index++) {
          await first.ask('get_node', { id: `shared-${index}.md` });
          await first.ask('update_node', { id: `shared-${index}.md`, content: body('d') });
        }
        const properties = { long: 'c'.repeat(50_000) };
        for (let index = 0; index < 25; index++) await first.ask('create_node', { title: `Alone ${index}`, properties });
        for (let index = 0; index < 5; index++) await first.ask('delete_node', { id: `alone-${index}.md` });
      });
      const segment = vault.list('.roux/history').find((name) => name.endsWith('.jsonl')) ?? '';
      expect(vault.read(`.roux/history/${segment}`).length).toBeGreaterThan(1024 * 1024);
      vault.write('.roux/cache/notes', oldCache);
      await withMcp(vault, async (third) => {
        await waitFor(async () => (await third.ask('list_nodes', {})).total === 24);
        await third.ask('update_node', { id: 'a.md', content: 'Changed\n' });
      });
      expect(eventsOf(vault).filter(({ agent }) => agent === 'external')).toEqual([]);
    }));
});

async function known(session: McpSession, id: string): Promise<void> {
  await waitFor(async () => (await session.call('get_node', { id })).isError === false);
}
