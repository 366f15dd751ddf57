import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;
const TIMES = new RegExp(TIME, 'g');

it('K-18 confirm writes who and when into a note that a person wrote, and not a byte besides; again, it takes the place of the first', () =>
  withVault({ 'tea.md': '---\r\nmood:   good # really\r\ntags: [a,  b]\r\n---\r\n\r\n# Tea\r\n\r\n* hot\r\n' }, (vault) =>
    withServer(
      vault,
      async ({ ask }) => {
        const before = vault.read('tea.md');
        const answer = await ask('confirm', { node: 'tea' });
        expect(answer).toEqual({
          by: 'agent/claude-code',
          at: expect.stringMatching(TIME),
          confirmed: [{ path: 'tea.md' }],
          batch: expect.any(String),
        });
        const added = `verified:\r\n  - by: agent/claude-code\r\n    at: ${answer.at}\r\n`;
        expect(vault.read('tea.md')).toBe(before.replace('b]\r\n', `b]\r\n${added}`));
        const again = await ask('confirm', { node: 'Tea', stale_after: '2999-01-31' });
        expect(again.confirmed).toEqual([{ path: 'tea.md', stale_after: '2999-01-31' }]);
        expect(vault.read('tea.md')).toBe(
          before.replace('b]\r\n', `b]\r\n${added.replace(answer.at, again.at)}stale_after: 2999-01-31\r\n`),
        );
        const { properties } = await ask('get_node', { id: 'tea' });
        expect(properties).toMatchObject({ verified: [{ by: 'agent/claude-code', at: again.at }], stale_after: '2999-01-31' });
        await ask('update_node', { id: 'tea', properties: { stale_after: '2999-02-01' } });
        expect(vault.read('tea.md')).toContain('\r\nstale_after: 2999-02-01\r\n');
        await ask('confirm', { node: 'tea', stale_after: null });
        expect(vault.read('tea.md')).not.toContain('stale_after');
      },
      { clientName: 'claude-code' },
    ),
  ));

it('K-18 a client passes for no person, and writes nothing into a fact by its name', () =>
  withVault({ 'a.md': '' }, (vault) =>
    withServer(vault, async ({ ask }) => expect((await ask('confirm', { node: 'a' })).by).toBe('agent/human-ana-at-1-x'), {
      clientName: 'human:ana] [at:: 1; x',
    }),
  ));

it('K-18 confirms observations of an entity word for word, until their text is another', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ ask, call }) => {
      const long = `saw ${'x'.repeat(100_000)}`;
      await ask('create_entities', { entities: [{ name: 'Ana', entityType: 'person', observations: ['likes tea', 'is in Oslo', long] }] });
      const lines = () => vault.read('memory/person/ana.md').split('\n## Observations\n')[1];
      const before = lines();
      const { confirmed } = await ask('confirm', { node: 'Ana', observations: ['is in Oslo', long], stale_after: '2999-01-31' });
      expect(confirmed).toEqual([
        { path: 'memory/person/ana.md', observation: 'is in Oslo', stale_after: '2999-01-31' },
        { path: 'memory/person/ana.md', observation: `${long.slice(0, 199)}…`, stale_after: '2999-01-31' },
      ]);
      expect(lines()).toBe(before);
      expect(vault.read('memory/person/ana.md').match(/^ {2}o-[0-9a-f]{12}:$/gm)).toHaveLength(2);
      const missing = await call('confirm', { node: 'Ana', observations: ['likes tea', 'is in Rome', long.slice(1)] });
      expect(missing.isError).toBe(true);
      expect(missing.texts.join()).toContain('is in Rome');
      expect(missing.texts.join().length).toBeLessThan(2_000);
      await ask('delete_observations', { deletions: [{ entityName: 'Ana', observations: [long] }] });
      expect(vault.read('memory/person/ana.md').match(/^ {2}o-[0-9a-f]{12}:$/gm)).toHaveLength(1);
      vault.write('memory/person/ana.md', vault.read('memory/person/ana.md').replace('- is in Oslo', '- is in Bergen'));
      await ask('add_observations', { observations: [{ entityName: 'Ana', contents: ['has a cat'] }] });
      expect(vault.read('memory/person/ana.md')).not.toContain('observation_info');
    }),
  ));

it('K-18 what cannot be confirmed is refused, and says what to do', () =>
  withVault({ 'own.md': '---\nverified: yes\n---\n', 'list.md': '---\nverified: [yes]\n---\n', 'broken.md': '---\na: [\n---\n' }, (vault) =>
    withServer(vault, async ({ ask, call }) => {
      const refusal = async (args: object): Promise<string> => {
        const { isError, texts } = await call('confirm', { ...args });
        expect(isError).toBe(true);
        return texts.join();
      };
      expect(await refusal({})).toContain('give node');
      expect(await refusal({ observations: ['a'] })).toContain('give node');
      expect(await refusal({ node: 'none' })).toContain('NODE_NOT_FOUND');
      expect(await refusal({ node: 'own' })).toContain('Remove it');
      expect(await refusal({ node: 'broken' })).toContain('INVALID_FRONTMATTER');
      for (const day of ['2026', '2026-02-30', 'soon', ''])
        expect(await refusal({ node: 'list', stale_after: day })).toContain('is not a day; give one such as 2027-01-31');
      expect(await refusal({ node: 'list', facts: ['f-none'] })).toContain('There is no fact f-none');
      expect(vault.read('list.md')).toBe('---\nverified: [yes]\n---\n');
      const { _warnings: warnings = [], by } = await ask('confirm', { node: 'list', stale_after: '2020-01-01' });
      expect(vault.read('list.md').replace(TIMES, 'T')).toBe(`---\nverified: [yes, { by: ${by}, at: T }]\nstale_after: 2020-01-01\n---\n`);
      expect(JSON.stringify([warnings, (await call('confirm', { node: 'list' })).texts])).toContain('stale since 2020-01-01 all the same');
    }),
  ));

it('K-18 a repeat with the same key confirms once, a dry run not at all, and undo takes it back', () =>
  withVault({ 'a.md': 'A\n' }, (vault) =>
    withServer(vault, async ({ ask }) => {
      expect((await ask('confirm', { node: 'a', dry_run: true })).diff).toContain('+verified:');
      expect(vault.read('a.md')).toBe('A\n');
      const once = await ask('confirm', { node: 'a', idempotency_key: 'k' });
      const text = vault.read('a.md');
      expect(await ask('confirm', { node: 'a', idempotency_key: 'k' })).toEqual(once);
      expect(vault.read('a.md')).toBe(text);
      expect((await cli(['undo', once.batch, '--vault', vault.root])).status).toBe(0);
      expect(vault.read('a.md')).toBe('A\n');
    }),
  ));

it('K-18 roux confirm writes as the person at the terminal, or as the agent that the terminal is given to', () =>
  withVault({ 'a.md': 'A\n', 'memory/person/ana.md': '---\ntype: entity\n---\n\n## Observations\n\n- likes tea\n' }, async (vault) => {
    const confirm = (...args: readonly string[]) => cli(['confirm', ...args, '--vault', vault.root]);
    expect(await confirm('a', '--until', '2999-01-31')).toMatchObject({ status: 0, stdout: 'a.md  until 2999-01-31\n' });
    expect(vault.read('a.md')).toMatch(/by: human:[^\s:]+\n {4}at: .*\nstale_after: 2999-01-31\n/);
    expect((await confirm('a', '--until', 'never', '--agent', 'ada')).status).toBe(0);
    expect(vault.read('a.md')).toMatch(/by: process:ada\n/);
    expect(vault.read('a.md')).not.toContain('stale_after');
    expect((await confirm('ana', '--observation', 'likes tea')).stdout).toBe('likes tea  memory/person/ana.md\n');
    expect((await confirm('a', '--dry-run')).stdout).toContain('+    at: ');
    expect(await confirm('a', '--until', '2026')).toMatchObject({ status: 2, stderr: expect.stringContaining('is not a day') });
  }));

it('K-18 a task is confirmed like any note, as a revision, and its day stays where the task tools put it', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ ask }) => {
      await ask('graph_open', { project: 'shed' });
      const { created } = await ask('graph_plan', {
        nodes: [{ ref: 'roof', parent_ref: 'shed', summary: 'Roof', properties: { stale_after: '2020-01-01' } }],
      });
      const id = created[0].id as string;
      const before = await ask('graph_context', { node_id: id });
      expect(await ask('get_node', { id })).toMatchObject({ _stale: 'since 2020-01-01' });
      const { confirmed, by, at } = await ask('confirm', { node: id, stale_after: '2999-01-31' });
      expect(confirmed).toMatchObject([{ stale_after: '2999-01-31' }]);
      const node = await ask('get_node', { id });
      expect(node).toMatchObject({ _confirmed: { by, at }, properties: { stale_after: '2999-01-31' } });
      expect(node).not.toHaveProperty('_stale');
      const after = await ask('graph_context', { node_id: id });
      expect(after.node.rev).toBe(before.node.rev + 1);
    }),
  ));

it('K-18 an agent that confirms a note has not written it', () =>
  withVault({ 'a.md': '---\nrev: 1\n---\nA\n' }, (vault) =>
    withServer(vault, async ({ ask }) => {
      const originOf = async (): Promise<string> => (await ask('get_node', { id: 'a' }))._origin;
      await ask('confirm', { node: 'a', stale_after: '2999-01-31' });
      expect(await originOf()).toBe('person');
      await ask('update_node', { id: 'a', append: 'B' });
      expect(await originOf()).toBe('agent');
    }),
  ));
