import { describe, expect, it } from 'vitest';

import { sample } from '../../support/effort.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const flags = ['--toolsets', 'vault,ontology'];
const ontology = {
  node_types: ['Doc', 'Config'],
  connection_types: [{ name: 'CITES', from_types: ['Doc'], to_types: ['Doc'] }],
};

async function withTypes(run: (session: McpSession, vault: TestVault) => Promise<void>, files: Record<string, string> = {}): Promise<void> {
  await withVault(files, (vault) => withServer(vault, (session) => run(session, vault), { flags }));
}

describe('typed nodes', () => {
  it('S0-11 a type that the ontology does not know is refused and leaves nothing; without an ontology every type is free', async () => {
    await withTypes(async ({ ask, refuse }, vault) => {
      expect((await ask('create_node', { include_content: true, title: 'Free', content: 'x', type: 'Anything' })).type).toBe('Anything');
      await ask('create_ontology', ontology);
      const before = vault.files();
      expect((await refuse('create_node', { title: 'No', content: 'x', type: 'Nope' })).error.code).toBe('INVALID_NODE_TYPE');
      expect((await refuse('update_node', { id: 'Free', type: 'Nope' })).error.code).toBe('INVALID_NODE_TYPE');
      expect(vault.files()).toEqual(before);
      expect(await ask('get_node', { id: 'No' })).toBeNull();
      expect((await ask('create_node', { include_content: true, title: 'Yes', content: 'x', type: 'Doc' })).type).toBe('Doc');
    });
  });

  it('S0-12 properties are scalars and keep their type', async () => {
    await withTypes(async ({ ask, refuse }) => {
      await ask('create_ontology', ontology);
      const properties = { n: 1, s: '1', day: '2024-01-15', yes: 'yes', on: true, f: 1.5, empty: '', colon: 'a: b' };
      const { id } = await ask('create_node', { title: 'P', type: 'Doc', content: '', properties });
      expect((await ask('get_node', { id })).properties).toEqual(properties);
      for (const bad of [{ a: [1] }, { a: { b: 1 } }, { a: null }]) {
        expect((await refuse('create_node', { title: 'Q', type: 'Doc', content: '', properties: bad })).error.message).toContain(
          'properties.a',
        );
      }
    });
  });

  it('S0-13 S0-14 empty content is content, absent properties are none, and created equals updated at first', async () => {
    await withTypes(async ({ ask }) => {
      const made = await ask('create_node', { title: 'Empty', content: '', type: 'Doc', include_content: true });
      expect(made.content).toBe('');
      expect(made.properties).toEqual({});
      expect(made.updated).toBe(made.created);
      expect(made.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const changed = await ask('update_node', { id: made.id, properties: { a: 1 }, include_content: true });
      expect(changed.created).toBe(made.created);
      expect(changed.updated >= made.updated).toBe(true);
      expect(changed.rev).toBe(made.rev + 1);
    });
  });

  it('S0-15 get_node and query_nodes work together as the document uses them; missing content says NODE_NOT_FOUND', async () => {
    await withTypes(async ({ ask, refuse }) => {
      await ask('create_ontology', ontology);
      await ask('create_node', { type: 'Config', content: '{}', encoding: 'utf-8', format: 'json', properties: { version: 1 } });
      const { node_ids: ids } = await ask('query_nodes', { type: 'Config' });
      expect(ids).toHaveLength(1);
      const node = await ask('get_node', { node_id: ids[0] });
      expect(node).toMatchObject({ id: ids[0], type: 'Config', properties: { version: 1 }, format: 'json' });
      expect(node.created).toBeDefined();
      expect((await refuse('get_node_content', { node_id: 'nobody' })).error.code).toBe('NODE_NOT_FOUND');
    });
  });

  it('S0-17 properties merge, the format alone may change, content of a typed node needs its encoding, and nothing to do is an error', async () => {
    await withTypes(async ({ ask, refuse }) => {
      const { id } = await ask('create_node', { title: 'T', content: 'a', encoding: 'utf-8', format: 'text', properties: { a: 1, b: 2 } });
      expect((await ask('update_node', { include_content: true, id, properties: { b: 3, c: 4 } })).properties).toEqual({
        a: 1,
        b: 3,
        c: 4,
      });
      expect((await ask('update_node', { include_content: true, id, format: 'log' })).format).toBe('log');
      expect(await ask('get_node_content', { node_id: id })).toEqual({ content: 'a' });
      expect((await refuse('update_node', { id, content: 'b' })).error.code).toBe('INVALID_ENCODING');
      await ask('update_node', { id, content: 'b\n', encoding: 'utf-8' });
      expect(await ask('get_node_content', { node_id: id })).toEqual({ content: 'b\n' });
      expect((await refuse('update_node', { id })).error.code).toBe('INVALID_PARAMS');
    });
  });

  it('S0-16 S0-17 S0-24 content is as it was given while connections come, change and go', async () => {
    const contents = [
      '',
      'no end',
      'an end\n',
      'two ends\n\n',
      'a\r\nb\r\n',
      'return\r',
      '```js\ncode\n```\n',
      '---\nx: 1\n---\n',
      ' \n ',
      '\n\n',
    ];
    const own = [
      '## Relations\n\n- USES [[A]]',
      '# Title\n\n## Relations\n\n- USES [[A]]\n',
      '## Relations\n\n- USES [[A]]\n\n## After\n\ntext',
    ];
    const kinds = [{ encoding: 'utf-8', format: 'markdown' }, { encoding: 'utf-8', format: 'js' }, {}];
    await withTypes(async ({ ask }) => {
      await ask('create_ontology', ontology);
      const { id: other } = await ask('create_node', { title: 'Other', content: '', type: 'Doc' });
      const all = [...contents, ...own].flatMap((content, index) =>
        kinds.map((kind, which) => ({ title: `N${index}-${which}`, content, type: 'Doc', ...kind })),
      );
      const nodes = sample(all, 4);
      const bytes = Buffer.from([0, 255, 10]).toString('base64');
      for (const node of [...nodes, { title: 'Bytes', content: bytes, type: 'Doc', encoding: 'base64', format: 'png' }]) {
        const { id } = await ask('create_node', node);
        const isAsGiven = async (what: string): Promise<void> =>
          expect(await ask('get_node_content', { node_id: id }), `${JSON.stringify(node)} ${what}`).toEqual({ content: node.content });
        const connect = async (page: number): Promise<string> =>
          (await ask('create_connection', { type: 'CITES', from_node_id: id, to_node_id: other, properties: { page } })).connection_id;
        const [first, second] = [await connect(1), await connect(2)];
        await isAsGiven('connected');
        await ask('update_connection', { connection_id: first, properties: { page: 3 } });
        await ask('update_node', { id, properties: { seen: true } });
        await ask('delete_connection', { connection_id: first });
        expect((await ask('query_connections', { from_node_id: id })).connection_ids).toEqual([second]);
        await isAsGiven('with one of two');
        await ask('delete_connection', { connection_id: second });
        await isAsGiven('with none any more');
        await connect(3);
      }
      await ask('delete_node', { id: other });
      for (const { title, content } of nodes) expect(await ask('get_node_content', { node_id: title }), title).toEqual({ content });
    });
  });

  it('S0-18 deleting takes the connections along and never the neighbours; protected types stay', async () => {
    await withTypes(
      async ({ ask, refuse }, vault) => {
        await ask('create_ontology', ontology);
        const ids = [];
        for (const title of ['A', 'B', 'C']) ids.push((await ask('create_node', { title, content: `about ${title}`, type: 'Doc' })).id);
        await ask('create_connection', { type: 'CITES', from_node_id: ids[0], to_node_id: ids[1] });
        const kept = (await ask('create_connection', { type: 'CITES', from_node_id: ids[0], to_node_id: ids[2] })).connection_id;
        expect(await ask('delete_node', { id: ids[1] })).toMatchObject({ deleted: true });
        expect((await ask('query_connections', {})).connection_ids).toEqual([kept]);
        expect((await ask('query_nodes', { type: 'Doc' })).node_ids).toHaveLength(2);
        const config = (await ask('create_node', { title: 'Conf', content: '', type: 'Config' })).id;
        expect((await refuse('delete_node', { id: config })).error.code).toBe('INVALID_ARGUMENT');
        expect(vault.files().some((file) => file.toLowerCase().includes('conf'))).toBe(true);
      },
      { '.rouxrc.json': '{"ontology":{"protectedTypes":["Config"]}}' },
    );
  });

  it('S0-20 the format is the client’s own word and comes back as given', async () => {
    await withTypes(async ({ ask }) => {
      for (const format of ['x-my/format+1', 'Markdown', 'log lines']) {
        const { id } = await ask('create_node', { title: `F ${format}`.replace('/', ' '), content: 'a', encoding: 'utf-8', format });
        expect((await ask('get_node', { id })).format).toBe(format);
        expect(await ask('get_node_content', { node_id: id })).toEqual({ content: 'a' });
      }
    });
  });
});
