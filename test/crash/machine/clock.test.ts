import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sample, turnAt } from '../../support/effort.ts';
import { eventsOf } from '../../support/history.ts';
import { openMcp, signalAll } from '../../support/program/mcp-client.ts';
import type { McpProcess } from '../../support/program/mcp-client.ts';
import type { TestVault } from '../../support/vault.ts';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';
import { leftovers } from '../leftovers.ts';

const preload = fileURLToPath(new URL('shifted-clock.mjs', import.meta.url));
const HOUR = 3_600_000;
const YEAR = 8_766 * HOUR;
const jumps = [
  ['an hour back', -HOUR],
  ['a year back', -YEAR],
  ['an hour ahead', HOUR],
  ['a year ahead', YEAR],
] as const;

/** A server whose wall clock can be set. */
async function openWrong(vault: TestVault, name: string): Promise<McpProcess & { readonly setClock: (offset: number) => void }> {
  const control = vault.path(`.clock-${name}`);
  const session = await openMcp(vault, {
    preload,
    env: { TEST_CLOCK: control },
    flags: ['--toolsets', 'all', '--alone'],
    clientName: name,
  });
  return { ...session, setClock: (offset) => writeFileSync(control, String(offset)) };
}

describe('a wall clock that jumps', () => {
  it.each(sample(jumps, 4))(
    'F13 F17 F18 %s, between writes and in the middle of them, on one of two servers: nothing is lost, doubled or out of order, and nobody waits',
    (_name, offset) =>
      withVault(
        { '.rouxrc.json': '{"filenames": "title"}\n', 'shared.md': '---\nrev: 1\n---\nShared\n', 'links.md': 'See [[shared]].\n' },
        async (vault) => {
          const [ada, bob] = [await openWrong(vault, 'ada'), await openWrong(vault, 'bob')];
          try {
            await ada.ask('graph_open', { project: 'shed' });
            const planned = await ada.ask('graph_plan', {
              project: 'shed',
              nodes: [
                { ref: 'a', summary: 'One' },
                { ref: 'b', summary: 'Two' },
              ],
            });
            const keyed = { id: 'shared.md', properties: { once: 1 }, idempotency_key: 'k1' };
            await ada.ask('update_node', keyed);
            const claimed = (await ada.ask('graph_next', { project: 'shed', claim: true })).nodes[0].node.id as string;
            await ada.ask('create_node', { title: 'Gone', content: 'Kept in the trash.\n' });
            await ada.ask('delete_node', { id: 'Gone' });

            // Both write at once; the clock of one goes wrong among its calls, and right again.
            const acknowledged: string[] = [];
            const write = async (session: McpProcess, mark: string): Promise<void> => {
              await session.ask('update_node', { id: 'shared.md', properties: { [mark]: mark } });
              acknowledged.push(mark);
            };
            const all = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((n) => [write(ada, `a${n}`), write(bob, `b${n}`)]);
            await all[2];
            ada.setClock(offset);
            await Promise.all(all);
            await write(ada, 'alone');
            const made = await ada.ask('graph_plan', {
              project: 'shed',
              nodes: [
                { ref: 'c', summary: 'Three' },
                { ref: 'd', summary: 'Four' },
              ],
            });
            await ada.ask('update_node', { id: 'shared.md', title: `Shared ${offset}` });

            // The same call again writes nothing, by the wrong clock and by the right one.
            const settled = vault.read(`Shared ${offset}.md`);
            await ada.ask('update_node', keyed);
            ada.setClock(0);
            await ada.ask('update_node', keyed);
            expect(vault.read(`Shared ${offset}.md`)).toBe(settled);
            // What ada has is hers as long as no clock says that she has had it for more than an hour.
            const others = (await bob.ask('graph_next', { project: 'shed', claim: true, count: 10 })).nodes.map(
              ({ node }: { node: { id: string } }) => node.id,
            );
            expect(others).not.toContain(claimed);
            bob.setClock(Math.min(0, offset));
            const later = (await bob.ask('graph_next', { project: 'shed', claim: true, count: 10 })).nodes.map(
              ({ node }: { node: { id: string } }) => node.id,
            );
            expect(later).not.toContain(claimed);
            bob.setClock(0);
            const ids = [...planned.created, ...made.created].map(({ id }: { id: string }) => id);
            expect(new Set(ids).size).toBe(4);

            const text = vault.read(`Shared ${offset}.md`);
            for (const mark of acknowledged) expect(text.split(`\n${mark}: ${mark}\n`)).toHaveLength(2);
            expect(acknowledged).toHaveLength(17);
            expect(vault.read('links.md')).toBe(`See [[Shared ${offset}]].\n`);
            // The history counts; it does not go by the clock.
            const seqs = eventsOf(vault).map((event) => (event as unknown as { seq: number }).seq);
            expect(seqs.toSorted((a, b) => a - b)).toEqual(seqs.map((_, index) => index + 1));
            const { events } = JSON.parse(
              (await cli(['history', `Shared ${offset}`, '--vault', vault.root, '--json', '-n', '100'])).stdout,
            ) as {
              events: { rev?: number; action: string; seq?: number }[];
            };
            expect(events).toHaveLength(
              seqs.length === 0 ? 0 : eventsOf(vault).filter(({ path }) => /^shared( -?\d+)?\.md$/i.test(path)).length,
            );
            expect(events[0]?.action).toBe('renamed');
            expect((await ada.ask('vault_health', { rebuild: true })).counts).toEqual({});
            expect(leftovers(vault)).toEqual([]);
            // What was deleted is there to be restored: nothing was cleared up by the wrong clock.
            expect((await cli(['restore', 'Gone.md', '--vault', vault.root])).status).toBe(0);
            expect(vault.read('Gone.md')).toContain('Kept in the trash.');
          } finally {
            await Promise.all([ada.close(), bob.close()]);
          }
        },
      ),
  );

  it('F17 a server whose clock is a year off takes over from one that was killed, and ends its write, within seconds', () =>
    withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      for (const [_name, offset] of turnAt(0, jumps)) {
        const killed = await openWrong(vault, 'killed');
        killed.setClock(offset);
        const calls = Array.from({ length: 12 }, (_, n) => killed.ask('update_node', { id: 'shared.md', properties: { [`k${n}`]: n } }));
        const ended = Promise.allSettled(calls);
        await calls[1];
        signalAll(killed.pid, 'SIGKILL');
        const done = (await ended).flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []));
        await killed.close();
        const next = await openMcp(vault);
        try {
          await next.ask('update_node', { id: 'shared.md', properties: { next: String(offset) } });
          for (const n of done) expect(vault.read('shared.md')).toContain(`\nk${n}: ${n}\n`);
          expect(leftovers(vault)).toEqual([]);
        } finally {
          await next.close();
        }
      }
    }));
});
