import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isLong } from '../../support/effort.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { find, ingest, ok } from './kg.ts';

const ENTITIES = isLong ? 50 : 10;
const FACTS = 1000;

/** Notes of a group with very many facts, as a person or a script may have written them. */
function largeGroup(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: ENTITIES }, (_, from) => {
      const lines = Array.from(
        { length: FACTS },
        (_, n) => `- KNOWS_${n} [[person-${(from + n) % ENTITIES}]]: Statement ${n} of person ${from}.\n`,
      );
      return [`knowledge/team/entities/person-${from}.md`, `---\nid: e_${from}\ntype: entity\n---\n\n## Relations\n\n${lines.join('')}`];
    }),
  );
}

/** When each file was written last. */
const times = (vault: TestVault): ReadonlyMap<string, number> =>
  new Map(vault.files().map((file) => [file, statSync(vault.path(file)).mtimeMs]));

it('X-27 of very many facts in one group answers hold a few, and a write changes the notes that it is about', async () => {
  await withVault(largeGroup(), (vault) =>
    withServer(
      vault,
      async (session) => {
        const facts = await find(session, 'team', 'statement person', { max_facts: 100 });
        expect(facts).toHaveLength(100);
        const { texts } = await session.call('kg_search_facts', {
          input: { group_ids: ['team'], query: 'statement person', max_facts: 100 },
        });
        expect(texts.join('').length).toBeLessThan(100_000);
        expect((await find(session, 'team', 'Statement 999 of person 7', { max_facts: 1 }))[0]).toMatchObject({
          fact: 'Statement 999 of person 7.',
        });
        const before = times(vault);
        const { states } = await ingest(session, 'team', [
          { source: 'text', body: 'person-7 -[LIKES]-> Tea: Person 7 likes tea.', reference_time: '2026-01-01T00:00:00.000Z' },
        ]);
        expect(states).toEqual(['completed']);
        const after = times(vault);
        const written = [...after].flatMap(([file, time]) =>
          before.get(file) === time ? [] : [file.replace(/\/episodes\/.*/, '/episodes')],
        );
        expect(written.sort()).toEqual([
          'knowledge/team/entities/person-7.md',
          'knowledge/team/entities/tea.md',
          'knowledge/team/episodes',
        ]);
        const text = vault.read('knowledge/team/entities/person-7.md');
        // Some lines of a person get their ids with it.
        const untouched = largeGroup()['knowledge/team/entities/person-7.md']!.split('## Relations')[1]!.trim().split('\n');
        expect(untouched.filter((line) => !text.includes(`${line}\n`)).length).toBeLessThanOrEqual(50);
        expect(untouched.every((line) => text.includes(line))).toBe(true);
        const [found] = await find(session, 'team', 'likes tea', { max_facts: 1 });
        expect(found.fact).toBe('Person 7 likes tea.');
        await ok(session, 'delete_entity_edge', { uuid: found.uuid });
        const { would_delete: left } = await ok(session, 'delete_group', { group_id: 'team', dry_run: true });
        expect(left).toMatchObject({ facts: ENTITIES * FACTS, entities: ENTITIES + 1 });
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  );
});
