import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const beside = (texts: readonly string[]): string => texts.slice(1).join('\n');

it('K-19 a write says where its text comes from; it is written down where it is less than what the note tells, and never raised', () =>
  withVault({ 'mine.md': '# Mine\n', 'clip.md': '---\nsource: https://a.example\n---\nText.\n' }, async (vault) => {
    await withServer(vault, async ({ call, ask }) => {
      const made = await ask('create_node', { title: 'Page', content: 'Of a page.', origin: 'web' });
      expect(vault.read(made.path)).toMatch(/^origin: web$/m);
      expect(await ask('get_node', { id: made.path })).toMatchObject({ _origin: 'web' });
      expect(await ask('search', { query: 'page' })).toMatchObject([{ path: made.path, _origin: 'web' }]);

      const claimed = await call('create_node', { title: 'Claimed', content: 'Text.', origin: 'person' });
      expect(beside(claimed.texts)).toContain('\\"person\\" was taken as \\"agent\\"');
      expect(await ask('get_node', { id: 'Claimed' })).toMatchObject({ _origin: 'agent' });
      expect(vault.read(claimed.value.path)).not.toMatch(/^origin:/m);

      await ask('update_node', { id: 'mine', append: 'From a tool.', origin: 'tool' });
      await ask('update_node', { id: 'mine', append: 'More.', origin: 'agent' });
      expect(vault.read('mine.md')).toMatch(/^origin: tool$/m);
      await ask('update_node', { id: 'clip', append: 'More.', origin: 'tool' });
      expect(vault.read('clip.md')).not.toMatch(/^origin:/m);
      expect(await ask('get_node', { id: 'clip' })).toMatchObject({ _origin: 'web' });
      await ask('update_node', { id: 'clip', origin: 'import' });
      expect(await ask('get_node', { id: 'clip' })).toMatchObject({ _origin: 'import' });
    });
  }));

it('K-19 observations and entities know their origin, which is told beside answers of the same shape', () =>
  withVault({}, async (vault) => {
    await withServer(
      vault,
      async ({ call, ask }) => {
        await ask('create_entities', { entities: [{ name: 'Nora', entityType: 'person', observations: ['likes tea'] }] });
        await ask('create_entities', { entities: [{ name: 'Page', entityType: 'source', observations: ['is long'] }], origin: 'web' });
        await ask('add_observations', {
          observations: [{ entityName: 'Nora', contents: ['likes tea', 'was born in Lyon'] }],
          origin: 'web',
        });
        await ask('add_observations', { observations: [{ entityName: 'Page', contents: ['is short'] }], origin: 'tool' });
        const nora = await call('open_nodes', { names: ['Nora'] });
        expect(nora.value.entities).toEqual([{ name: 'Nora', entityType: 'person', observations: ['likes tea', 'was born in Lyon'] }]);
        expect(JSON.parse(beside(nora.texts))).toEqual({ _warnings: ['Origin: "was born in Lyon" of "Nora": web.'] });
        expect(JSON.parse(beside((await call('open_nodes', { names: ['Page'] })).texts))).toEqual({ _warnings: ['Origin: "Page": web.'] });
        await ask('delete_observations', { deletions: [{ entityName: 'Nora', observations: ['was born in Lyon'] }] });
        expect((await call('open_nodes', { names: ['Nora'] })).texts).toHaveLength(1);
      },
      { flags: ['--toolsets', 'memory'] },
    );
    const { stdout } = await cli(['audit', vault.root, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { observations: { agent: 1, web: 2 } } });
  }));

it('K-19 what was imported is marked as such', () =>
  withVault({ 'memory.jsonl': '{"type":"entity","name":"Ada","entityType":"person","observations":["writes"]}\n' }, async (vault) => {
    expect((await cli(['import', vault.path('memory.jsonl'), '--vault', vault.root])).status).toBe(0);
    const { stdout } = await cli(['audit', vault.root, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { observations: { import: 1 } } });
  }));

it('K-19 a fact is as trusted as the least trusted episode that states it', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async ({ ask }) => {
        const fact = (of: string) => ({
          nodes: [
            { tmp_ref: 'n', name: 'Nora' },
            { tmp_ref: 'l', name: of },
          ],
          edges: [{ name: 'LIKES', fact: `Nora likes ${of}.`, source_ref: 'n', target_ref: 'l' }],
        });
        const item = (of: string) => ({
          source: 'text',
          body: `Nora likes ${of}.`,
          reference_time: '2026-01-05T10:00:00Z',
          extraction: fact(of),
        });
        await ask('kg_add_episodes', { input: { group_id: 'main', items: [item('Tea')] } });
        await ask('kg_add_episodes', { input: { group_id: 'main', items: [item('Coffee')], origin: 'web' } });
        const messages = [{ role_type: 'system', content: 'Nora called on Monday.', timestamp: '2026-01-06T10:00:00Z' }];
        await ask('kg_add_messages', { input: { group_id: 'main', messages } });
        const { output } = await ask('kg_search_facts', { input: { query: 'Nora', group_ids: ['main'] } });
        const origins = Object.fromEntries(output.facts.map((each: { fact: string; _origin?: string }) => [each.fact, each._origin]));
        expect(origins).toMatchObject({ 'Nora likes Coffee.': 'web', 'Nora called on Monday.': 'tool' });
        expect(origins).toHaveProperty('Nora likes Tea.', undefined);
        const { uuid } = output.facts.find((each: { fact: string }) => each.fact === 'Nora likes Coffee.');
        expect(await ask('kg_get_entity_edge', { input: { uuid } })).toMatchObject({ output: { _origin: 'web' } });
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  ));

it('K-19 what a program says in a message is that of a tool, whatever its name: sentences, and facts read in them', () =>
  withVault({}, async (vault) => {
    await withServer(
      vault,
      async ({ ask }) => {
        const timestamp = '2026-01-06T10:00:00Z';
        const messages = [
          { role_type: 'system', role: 'Calendar', content: 'Nora called on Monday. Nora -[LIVES_IN]-> Lyon', timestamp },
          { role_type: 'system', role: 'Calendar', content: 'Nora -[WORKS_AT]-> Acme', timestamp },
          { role_type: 'user', role: 'Ben', content: 'Nora came on Friday.', timestamp },
        ];
        await ask('kg_add_messages', { input: { group_id: 'main', messages } });
        // A transcript of several messages in one episode.
        const body = 'Cron(system): Nora was reminded of Tuesday.\nBen(user): Nora left on Sunday.';
        await ask('kg_add_episodes', { input: { group_id: 'main', items: [{ source: 'message', body, reference_time: timestamp }] } });
        const { output } = await ask('kg_search_facts', { input: { query: 'Nora', group_ids: ['main'], max_facts: 50 } });
        const originOf = (text: string): unknown =>
          output.facts.find((each: { fact: string }) => each.fact.includes(text))?._origin ?? 'not told';
        expect(['called', 'WORKS_AT', 'Friday', 'Tuesday', 'Sunday'].map(originOf)).toEqual([
          'tool',
          'tool',
          'not told',
          'tool',
          'not told',
        ]);
      },
      { flags: ['--toolsets', 'knowledge'] },
    );
  }));

it('K-19 an entity that was extracted from a page comes from the web, and one that was known before only if the page changed its text', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async ({ ask }) => {
        const read = async (origin: object, nodes: readonly object[], edges: readonly object[]): Promise<void> => {
          const item = {
            source: 'text',
            body: `Of ${JSON.stringify(nodes)}.`,
            reference_time: '2026-01-05T10:00:00Z',
            extraction: { nodes, edges },
          };
          const { output } = await ask('kg_add_episodes', { input: { group_id: 'main', items: [item], ...origin } });
          expect(output.read).toBeDefined();
        };
        const file = (name: string): string => vault.read(`knowledge/main/entities/${name}.md`);
        await read({}, [{ tmp_ref: 'a', name: 'Nora', summary: 'A baker.' }], []);
        const knows = [{ source_ref: 'a', target_ref: 'b', name: 'KNOWS', fact: 'Nora knows Mei.' }];
        await read(
          { origin: 'web' },
          [
            { tmp_ref: 'a', name: 'Nora' },
            { tmp_ref: 'b', name: 'Mei', summary: 'A cook.' },
          ],
          knows,
        );
        expect(file('mei')).toMatch(/^origin: web$/m);
        expect(file('nora')).not.toMatch(/^origin:/m);
        await read({ origin: 'tool' }, [{ tmp_ref: 'a', name: 'Nora', summary: 'A baker of bread.' }], []);
        expect(file('nora')).toMatch(/^origin: tool$/m);
        expect((await ask('kg_search_facts', { input: { group_ids: ['main'], query: 'knows' } })).output.facts).toMatchObject([
          { _origin: 'web' },
        ]);
      },
      { flags: ['--toolsets', 'knowledge'] },
    ),
  ));

it('K-19 an entity whose summary comes from a page says so, and no later call raises that', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async ({ ask }) => {
        const add = (given: object) => ask('kg_add_entity_node', { input: { uuid: 'e-nora', group_id: 'main', name: 'Nora', ...given } });
        const file = () => vault.read('knowledge/main/entities/nora.md');
        await add({ summary: 'A person.' });
        expect(file()).not.toMatch(/^origin:/m);
        await add({ summary: 'A baker.', origin: 'web' });
        expect(file()).toMatch(/^origin: web$/m);
        await add({ summary: 'A baker of bread.', origin: 'agent' });
        expect(file()).toMatch(/^origin: web$/m);
        await ask('kg_add_entity_node', { input: { uuid: 'e-lyon', group_id: 'main', name: 'Lyon', summary: 'A city.', origin: 'tool' } });
        expect(await ask('search', { query: 'city' })).toMatchObject([{ _origin: 'tool' }]);
      },
      { flags: ['--toolsets', 'knowledge,vault'] },
    ),
  ));
