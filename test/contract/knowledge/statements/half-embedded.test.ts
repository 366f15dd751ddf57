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

it('K-09 pages of one question have each fact once and none missing, where meaning ranks as well', () => {
  const embedder = hashingEmbedder({});
  return withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        const words = ['harbour', 'log', 'master', 'storm', 'rope', 'lamp', 'tide'];
        const body = Array.from(
          { length: 240 },
          (_, n) => `Line ${n} of the harbour tells of ${words[n % 7]} and ${words[n % 5]} number ${n}.`,
        );
        await ok(session, 'add_episodes', {
          group_id: 'g',
          items: [{ source: 'text', body: body.join(' '), reference_time: '2026-01-05T10:00:00Z' }],
        });
        const query = { input: { group_ids: ['g'], query: 'harbour storm rope' } };
        await waitFor(async () => !(await session.call('kg_search_facts', query)).texts.join().includes('By words'), { what: 'embedding' });
        let texts = '';
        const pages = async (sizes: readonly number[]) => {
          const seen: string[] = [];
          for (let at = 0; ; at += 1) {
            const page = await find(session, 'g', query.input.query, { max_facts: sizes[at % sizes.length], offset: seen.length });
            if (page.length === 0) return seen;
            seen.push(...page.map(({ uuid }) => uuid));
            texts += page.map(({ fact }) => fact).join('\n');
          }
        };
        const [small, mixed, large] = [await pages([7]), await pages([3, 60, 11]), await pages([100])];
        expect(new Set(large).size).toBe(large.length);
        // A statement has one sentence or more.
        for (let n = 0; n < 240; n += 1) expect(texts).toContain(`Line ${n} of`);
        expect(small).toEqual(large);
        expect(mixed).toEqual(large);
      },
      { flags: ['--toolsets', 'knowledge,vault'], embedding: choiceOf(embedder) },
    ),
  );
});
