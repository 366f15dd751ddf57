import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withMcp, withTwoServers } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';

const rounds = Array.from({ length: 25 }, (_, index) => index);

it('F16 what one server writes to a note while another renames it lands in it, whatever it is called by then', () =>
  withTwoServers({ '.rouxrc.json': '{"filenames": "title"}', 'Start.md': 'x\n', 'other.md': '[[Start]]\n' }, async (one, two, vault) => {
    await Promise.all([
      (async () => {
        for (const round of rounds) await one.ask('update_node', { id: 'Start', title: `Name ${round}` });
      })(),
      (async () => {
        for (const round of rounds) {
          // By the title that it keeps as an alias, and by the path that it had at first.
          const id = round % 2 === 0 ? 'Start' : 'Start.md';
          expect(
            (await two.ask('update_node', { include_content: true, id, properties: { [`k${round}`]: round } })).properties,
          ).toMatchObject({
            [`k${round}`]: round,
          });
        }
      })(),
    ]);
    expect(vault.files().filter((file) => file.endsWith('.md'))).toEqual(['Name 24.md', 'other.md']);
    for (const round of rounds) expect(vault.read('Name 24.md')).toContain(`k${round}: ${round}\n`);
    expect(vault.read('other.md')).toBe('[[Name 24]]\n');
    expect(await two.ask('delete_node', { id: 'Start' })).toMatchObject({ deleted: true });
  }));

it('F18 a deletion repeated with its idempotency key answers what it answered at first, after a restart too', () =>
  withVault({ 'a.md': 'x\n' }, async (vault) => {
    const args = { id: 'a.md', idempotency_key: 'd1' };
    const first = await withMcp(vault, async ({ ask }) => {
      const answer = await ask('delete_node', args);
      expect(answer).toEqual({ deleted: true, batch: expect.any(String) });
      expect(await ask('delete_node', args)).toEqual(answer);
      return answer;
    });
    await withMcp(vault, async ({ ask }) => {
      expect(await ask('delete_node', args)).toEqual(first);
      expect(await ask('delete_node', { id: 'a.md' })).toEqual({ deleted: false });
      expect(await ask('delete_node', { id: 'b.md', idempotency_key: 'd2' })).toEqual({ deleted: false });
    });
    expect((await cli(['undo', first.batch, '--vault', vault.root])).status).toBe(0);
    expect(vault.read('a.md')).toBe('x\n');
  }));

it('S2-35 F14 of twenty writes of two servers that all expect the same text, one is done and the others are told', () =>
  withTwoServers({ 'a.md': 'x\n' }, async (one, two, vault) => {
    // Neither has read it, whichever is first.
    const etag = createHash('sha256').update('x\n').digest('hex');
    const calls = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? one : two).call('update_node', { id: 'a', content: `text ${n}\n`, if_match: etag, include_content: true }),
    );
    const answers = await Promise.all(calls);
    const done = answers.filter(({ isError }) => !isError);
    expect(done).toHaveLength(1);
    for (const { value } of answers.filter(({ isError }) => isError))
      expect(value.error).toMatchObject({ code: 'CONFLICT', details: { rev: 1 } });
    expect(vault.read('a.md').endsWith(done[0]?.value.content)).toBe(true);
  }));

it('X-25 what one server has acknowledged, the next call of another knows, in folders old and new', () =>
  withTwoServers({ 'a.md': '#start\n' }, async (one, two) => {
    await two.ask('get_node', { id: 'a' });
    for (const round of rounds) {
      await one.ask('create_node', { title: `Made ${round}`, directory: `f${round}`, content: `word${round}\n`, tags: [`t${round}`] });
      expect(await two.ask('search_by_tags', { tags: [`t${round}`] }), String(round)).toHaveLength(1);
      await one.ask('update_node', { id: 'a', tags: [`a${round}`] });
      expect(await two.ask('search_by_tags', { tags: [`a${round}`] }), String(round)).toHaveLength(1);
      await one.ask('delete_node', { id: `Made ${round}` });
      expect(await two.ask('search_by_tags', { tags: [`t${round}`] }), String(round)).toEqual([]);
    }
  }));

it('X-25 what one server has remembered, typed and connected, the next call of another knows', () =>
  withTwoServers(
    { '.rouxrc.json': '{"toolsets": ["all"]}', 'a.md': '---\ntype: part\n---\n', 'b.md': '---\ntype: part\n---\n' },
    async (one, two) => {
      await one.ask('create_ontology', { node_types: ['part'], connection_types: [] });
      for (const round of rounds.slice(0, 3)) {
        const name = `Made ${round}`;
        await one.ask('create_entities', { entities: [{ name, entityType: 'thing' }] });
        expect((await two.ask('open_nodes', { names: [name] })).entities, name).toHaveLength(1);
        await one.ask('add_observations', { observations: [{ entityName: name, contents: [`word${round}`] }] });
        expect((await two.ask('search_nodes', { query: `word${round}` })).entities, name).toMatchObject([{ name }]);
        await one.ask('add_node_type', { type_name: `kind${round}` });
        expect(await two.ask('create_node', { title: `Typed ${round}`, type: `kind${round}` })).toHaveProperty('id');
        const type = `FITS_${round}`;
        await one.ask('add_connection_type', { type_name: type, from_types: ['part'], to_types: ['part'] });
        const { connection_id: id } = await two.ask('create_connection', { type, from_node_id: 'a', to_node_id: 'b' });
        expect((await one.ask('query_connections', { type })).connection_ids, type).toEqual([id]);
        await two.ask('delete_connection', { connection_id: id });
        expect((await one.call('get_connection', { connection_id: id })).isError, type).toBe(true);
      }
    },
  ));
