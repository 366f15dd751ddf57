import { copyFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareText } from '../../../src/note/text.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask, find, ingest, ok, refused } from './kg.ts';

const FLAGS = ['--toolsets', 'all'];
const ALICE = 'knowledge/team/entities/alice.md';

function said(body: string, more: Record<string, unknown> = {}) {
  return { source: 'text', body, reference_time: '2026-01-01T00:00:00.000Z', ...more };
}

const within = (files: Readonly<Record<string, string>>, run: (session: McpInside, vault: TestVault) => Promise<void>) =>
  withVault(files, (vault) => withServer(vault, (session) => run(session, vault), { flags: FLAGS }));

/** Waits until a search gives these facts. */
const seen = (session: McpInside, query: string, facts: readonly string[]) =>
  waitFor(async () => {
    const found = (await find(session, 'team', query)).map(({ fact }) => String(fact)).sort(compareText);
    if (JSON.stringify(found) !== JSON.stringify(facts.toSorted(compareText))) throw new Error(`found ${JSON.stringify(found)}`);
    return true;
  });

describe('what people do with the notes of the knowledge graph', () => {
  it('a fact and an entity that a person writes while the server runs are known to the next search, and follow the rules of all facts', () =>
    within({ '.rouxrc.json': '{"knowledge": {"single": ["LIVES_IN"]}}', 'places/lisbon.md': 'A city.\n' }, async (session, vault) => {
      await ingest(session, 'team', [said('Alice -[KNOWS]-> Bob: Alice knows Bob.')]);
      vault.write(ALICE, `${vault.read(ALICE)}- LIVES_IN [[lisbon]]: Alice lives in Lisbon. [valid_at:: 2020]\n- a line of prose\n`);
      await seen(session, 'Alice', ['Alice knows Bob.', 'Alice lives in Lisbon.']);
      const [lisbon] = await find(session, 'team', 'Lisbon');
      expect(lisbon).toMatchObject({
        target_node_uuid: 'places/lisbon.md',
        target_node_name: 'lisbon',
        valid_at: '2020-01-01T00:00:00.000Z',
      });
      expect(await ok(session, 'get_entity_edge', { uuid: lisbon.uuid })).toMatchObject(lisbon);
      vault.write('knowledge/team/entities/carol.md', '## Relations\n\n- KNOWS [[alice]]: Carol knows Alice.\n');
      await seen(session, 'Carol', ['Carol knows Alice.']);
      await ingest(session, 'team', [said('Carol -[LIKES]-> Tea: Carol likes tea.')]);
      expect(vault.files().filter((file) => /carol/i.test(file) && file.includes('/entities/'))).toEqual([
        'knowledge/team/entities/carol.md',
      ]);
      await ingest(session, 'team', [said('Alice -[LIVES_IN]-> Porto: Alice lives in Porto since 2023-01-01.')]);
      await seen(session, 'lives', ['Alice lives in Porto since 2023-01-01.']);
      expect(vault.read(ALICE)).toContain('- a line of prose');
      expect(await ok(session, 'get_entity_edge', { uuid: lisbon.uuid })).toMatchObject({ invalid_at: '2023-01-01T00:00:00.000Z' });
    }));

  it('X-32 a corrected fact line is answered as it is now, a deleted one not at all, and one that no longer parses stays as prose', () =>
    within({}, async (session, vault) => {
      await ingest(session, 'team', [
        said('Alice -[KNOWS]-> Bob: Alice knows Bob.\nAlice -[LIKES]-> Tea: Alice likes tea.\nAlice -[OWNS]-> Cat: Alice owns a cat.'),
      ]);
      const before = await find(session, 'team', 'Alice');
      vault.write(ALICE, vault.read(ALICE).replace('Alice likes tea.', 'Alice likes green tea.'));
      await seen(session, 'Alice', ['Alice knows Bob.', 'Alice likes green tea.', 'Alice owns a cat.']);
      const [corrected] = await find(session, 'team', 'green');
      const { fact: _, ...same } = before.find(({ name }) => name === 'LIKES');
      expect(corrected).toMatchObject(same);
      vault.write(ALICE, vault.read(ALICE).replace(/^- OWNS.*\n/m, ''));
      await seen(session, 'Alice', ['Alice knows Bob.', 'Alice likes green tea.']);
      const broken = vault.read(ALICE).replace(/\[created_at:: [^\]]*\](?=.*\^f-\w+$)/m, '[created_at:: last week]');
      vault.write(ALICE, broken);
      await waitFor(async () => (await find(session, 'team', 'Alice')).length === 1);
      await ingest(session, 'team', [said('Alice -[LIKES]-> Rum: Alice likes rum.')]);
      expect(vault.read(ALICE)).toContain('[created_at:: last week]');
      // Stated again, what was deleted is a fact anew.
      await ingest(session, 'team', [said('Alice -[OWNS]-> Cat: Alice owns a cat.', { reference_time: '2026-02-01T00:00:00.000Z' })]);
      expect(await find(session, 'team', 'cat')).toHaveLength(1);
    }));

  it('X-32 S3-05 an edited episode is answered as it was first stored, and its uuid stands for that text', () =>
    within({}, async (session, vault) => {
      const first = said('Alice -[KNOWS]-> Bob: Alice knows Bob.', { uuid: 'first' });
      await ingest(session, 'team', [first]);
      const file = vault.files().find((each) => each.includes('/episodes/'))!;
      vault.write(file, vault.read(file).replace('Alice knows Bob.', 'Alice knows everybody.'));
      await waitFor(async () => (await ok(session, 'get_episodes', { group_id: 'team', last_n: 1 })).episodes[0].body === first.body);
      expect((await ask(session, 'add_episodes', { group_id: 'team', items: [first] })).status).toBe('ACCEPTED');
      const edited = { ...first, body: 'Alice -[KNOWS]-> Bob: Alice knows everybody.' };
      expect(await refused(session, 'add_episodes', { group_id: 'team', items: [edited] })).toBe('CONFLICT');
      expect(vault.read(file)).toContain('everybody');
      expect(vault.files().filter((each) => each.includes('/episodes/'))).toHaveLength(1);
    }));

  it('X-05 of an entity whose file a person copied one is served, and facts are found and written once', () =>
    within({}, async (session, vault) => {
      await ingest(session, 'team', [said('Alice -[KNOWS]-> Bob: Alice knows Bob.')]);
      copyFileSync(vault.path(ALICE), vault.path('knowledge/team/entities/alice copy.md'));
      await waitFor(async () => (await session.ask('list_nodes', { type: 'entity' })).total === 3).catch(() => undefined);
      await seen(session, 'Alice', ['Alice knows Bob.']);
      await ingest(session, 'team', [said('Alice -[LIKES]-> Tea: Alice likes tea.')]);
      await seen(session, 'Alice', ['Alice knows Bob.', 'Alice likes tea.']);
      expect(vault.read(ALICE)).toContain('likes tea');
      expect(vault.read('knowledge/team/entities/alice copy.md')).not.toContain('likes tea');
    }));
});
