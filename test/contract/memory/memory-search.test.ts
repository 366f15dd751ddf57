import { describe, expect, it } from 'vitest';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const entities = [
  { name: 'Ann', entityType: 'person', observations: ['is allergic to peanuts'] },
  { name: 'Bea', entityType: 'person', observations: ['is allergic to cats', 'who works in the kitchen'] },
  { name: 'Peanuts', entityType: 'comic', observations: ['drawn by Schulz'] },
  { name: 'Café', entityType: 'place', observations: ['serves allergic guests to their liking', '花生过敏的人要小心'] },
  { name: 'Dan', entityType: 'person', observations: ['who is to come'] },
];

/** The names that a search gives, and what it says beside them. */
async function find({ call }: McpSession, args: Record<string, unknown>): Promise<{ names: string[]; said: string }> {
  const { value, texts } = await call('search_nodes', args);
  return { names: value.entities.map(({ name }: { name: string }) => name), said: texts[1] ?? '' };
}

function withEntities(run: (session: McpSession) => Promise<void>): Promise<void> {
  return withVault({}, (vault) =>
    withServer(
      vault,
      async (session) => {
        await session.ask('create_entities', { entities });
        await run(session);
      },
      { flags: ['--toolsets', 'memory'] },
    ),
  );
}

describe('search: memory', () => {
  it('S4-09 gives the entities that hold some words where none holds all: those with most and with the rarest first, and says so', () =>
    withEntities(async (session) => {
      const { names, said } = await find(session, { query: 'who is allergic to peanuts?' });
      expect(names).toEqual(['Ann', 'Peanuts', 'Bea', 'Café']);
      expect(said).toContain('No entity holds all words of the query. 4 hold some of them');
      expect(await find(session, { query: 'peanuts?' })).toMatchObject({ names: ['Ann', 'Peanuts'] });
      expect((await find(session, { query: '谁对花生过敏' })).names).toEqual(['Café']);
      expect((await find(session, { query: 'CAFE guests unknown' })).names).toEqual(['Café']);
    }));

  it('S4-10 keeps to the filters when it falls back to some words', () =>
    withEntities(async (session) => {
      expect((await find(session, { query: 'type:comic who is allergic to peanuts?' })).names).toEqual(['Peanuts']);
      expect(await find(session, { query: 'type:robot peanuts?' })).toEqual({ names: [], said: '' });
      expect(await find(session, { query: 'type:robot' })).toEqual({ names: [], said: '' });
    }));

  it('S4-09 says nothing where an entity holds all words, or none holds any', () =>
    withEntities(async (session) => {
      expect(await find(session, { query: 'to allergic peanuts' })).toEqual({ names: ['Ann'], said: '' });
      expect(await find(session, { query: 'nobody knows' })).toEqual({ names: [], said: '' });
      expect(await find(session, { query: '?!' })).toEqual({ names: [], said: '' });
    }));

  it('pages of such an answer neither repeat nor lose an entity', () =>
    withEntities(async (session) => {
      const many = Array.from({ length: 300 }, (_, at) => ({
        name: `n${at}`,
        entityType: 'thing',
        observations: [`peanuts ${'x'.repeat(300)}`],
      }));
      await session.ask('create_entities', { entities: many });
      const names: string[] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const page = await find(session, { query: 'what are peanuts good for?', offset });
        names.push(...page.names);
        const next = /offset (\d+)/.exec(page.said)?.[1];
        offset = next === undefined ? null : Number(next);
      }
      expect(names).toHaveLength(302);
      expect(new Set(names).size).toBe(302);
    }));
});
