import { expect, it } from 'vitest';
import { choiceOf, hashingEmbedder } from '../../../support/meaning/hashing-embedder.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { find, ok } from '../kg.ts';

it('K-11 a group is searched by words until it is embedded, and says so; facts come before notes, and nothing is found that is merely the nearest', () => {
  let open: () => void = () => undefined;
  const isOpen = new Promise<void>((resolve) => (open = resolve));
  const embedder = hashingEmbedder({ before: (_, kind) => (kind === 'query' ? undefined : isOpen) });
  const notes = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`Note ${n}.md`, `This is note ${n}.\n`]));
  return withVault(notes, (vault) =>
    withServer(
      vault,
      async (session) => {
        const items = Array.from({ length: 40 }, (_, n) => ({
          source: 'text',
          body: `The harbour master wrote line ${n} of the log.`,
          reference_time: '2026-01-05T10:00:00Z',
        }));
        await ok(session, 'add_episodes', { group_id: 'g', items });
        const query = { input: { group_ids: ['g'], query: 'harbour log' } };
        const waiting = await waitFor(async () => {
          const { texts } = await session.call('kg_search_facts', query);
          return texts.join().includes('are embedded so far') ? texts.join() : null;
        });
        expect(waiting).toContain('By words: of 40 facts and sentences 0 are embedded so far.');
        open();
        await waitFor(async () => !(await session.call('kg_search_facts', query)).texts.join().includes('By words'), { what: 'embedding' });
        const order = embedder.passages;
        expect(order.slice(0, 40).filter((text) => text.includes('harbour')).length).toBeGreaterThanOrEqual(32);
        expect(await find(session, 'g', 'zyzzyva quokka')).toEqual([]);
        expect(await find(session, 'g', 'harbour')).toHaveLength(10);
      },
      { flags: ['--toolsets', 'knowledge,vault'], embedding: choiceOf(embedder) },
    ),
  );
});
