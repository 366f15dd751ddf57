import { statSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const flags = ['--toolsets', 'vault,ontology'];

async function withTypes(run: (session: McpSession, vault: TestVault) => Promise<void>, files: Record<string, string> = {}): Promise<void> {
  await withVault(files, (vault) => withServer(vault, (session) => run(session, vault), { flags }));
}

const ontology = {
  node_types: ['Person', 'Company', 'Config'],
  connection_types: [
    { name: 'WORKS_AT', from_types: ['Person'], to_types: ['Company'], required_properties: ['since'] },
    { name: 'KNOWS', from_types: ['Person'], to_types: ['Person'] },
  ],
};

const people = {
  'people/Alice.md': '---\ntype: Person\nage: 41\ncity: Oslo\n---\nAlice likes tea.\n',
  'people/Bo.md': '---\ntype: Person\nage: "41"\ncity: Rome\n---\nBo likes coffee.\n',
  'firms/Acme.md': '---\ntype: Company\n---\nMakes tea.\n',
};

/** Bytes and modification times of all notes. */
function stateOf(vault: TestVault): Record<string, string> {
  return Object.fromEntries(
    vault.files().map((file) => [file, `${statSync(vault.path(file), { bigint: true }).mtimeNs} ${vault.read(file)}`]),
  );
}

describe('the ontology', () => {
  it('S0-01 S0-03 S0-05 is made once, collapses doubled names, and is given back', async () => {
    await withTypes(async ({ ask, refuse }) => {
      expect((await refuse('get_ontology')).error.code).toBe('ONTOLOGY_NOT_FOUND');
      await ask('create_ontology', { ...ontology, node_types: [...ontology.node_types, 'Person'] });
      expect(await ask('get_ontology')).toEqual(ontology);
    });
  });

  it('S0-01 takes an empty list of connection types, and no empty list of node types', async () => {
    await withTypes(async ({ ask, refuse }) => {
      expect((await refuse('create_ontology', { node_types: [], connection_types: [] })).error.code).toBe('INVALID_ARGUMENT');
      await ask('create_ontology', { node_types: ['A'], connection_types: [] });
      expect(await ask('get_ontology')).toEqual({ node_types: ['A'], connection_types: [] });
    });
  });

  it('S0-02 a second one is refused and changes nothing', async () => {
    await withTypes(async ({ ask, refuse }, vault) => {
      await ask('create_ontology', ontology);
      const before = stateOf(vault);
      expect((await refuse('create_ontology', { node_types: ['X'], connection_types: [] })).error.code).toBe('ONTOLOGY_ALREADY_EXISTS');
      expect(stateOf(vault)).toEqual(before);
    });
  });

  it('S0-04 connection types between unknown node types are refused by name', async () => {
    await withTypes(async ({ refuse, ask }, vault) => {
      const bad = { node_types: ['A'], connection_types: [{ name: 'C', from_types: ['A'], to_types: ['ZZZ'] }] };
      const { error } = await refuse('create_ontology', bad);
      expect(error.code).toBe('INVALID_ARGUMENT');
      expect(error.message).toContain('ZZZ');
      expect(vault.files()).toEqual([]);
      await ask('create_ontology', ontology);
      expect((await refuse('add_connection_type', { type_name: 'C', from_types: ['YYY'], to_types: ['Person'] })).error.message).toContain(
        'YYY',
      );
    });
  });

  it('S0-06 S0-07 types are added once', async () => {
    await withTypes(async ({ ask, refuse }) => {
      expect((await refuse('add_node_type', { type_name: 'Place' })).error.code).toBe('ONTOLOGY_NOT_FOUND');
      expect((await refuse('add_connection_type', { type_name: 'IN', from_types: ['A'], to_types: ['A'] })).error.code).toBe(
        'ONTOLOGY_NOT_FOUND',
      );
      await ask('create_ontology', ontology);
      await ask('add_node_type', { type_name: 'Place' });
      expect((await refuse('add_node_type', { type_name: 'Place' })).error.code).toBe('TYPE_ALREADY_EXISTS');
      const lives = { from_types: ['Person'], to_types: ['Place'], required_properties: ['since'] };
      await ask('add_connection_type', { type_name: 'LIVES_IN', ...lives });
      expect((await refuse('add_connection_type', { type_name: 'LIVES_IN', ...lives })).error.code).toBe('TYPE_ALREADY_EXISTS');
      expect(await ask('get_ontology')).toEqual({
        node_types: [...ontology.node_types, 'Place'],
        connection_types: [...ontology.connection_types, { name: 'LIVES_IN', ...lives }],
      });
    });
  });

  it('S0-08 is a note that people edit; a broken edit keeps the last good one and warns; a restart reads it again', async () => {
    await withVault({}, async (vault) => {
      await withServer(
        vault,
        async ({ ask, call }) => {
          await ask('create_ontology', ontology);
          const good = vault.read('ontology.md');
          vault.write('ontology.md', good.replace('- Company', '- Company\n  - Place'));
          await waitFor(async () => (await ask('get_ontology')).node_types.includes('Place'));
          vault.write('ontology.md', good.replace('node_types:', 'node_types: [oops'));
          await waitFor(async () => (await call('get_ontology')).texts.length > 1);
          const { value, texts } = await call('get_ontology');
          expect(value.node_types).toContain('Place');
          expect(texts[1]).toContain('last good ontology');
          vault.write('ontology.md', good);
          await waitFor(async () => (await call('get_ontology')).texts.length === 1);
        },
        { flags },
      );
      await withServer(vault, async ({ ask }) => expect(await ask('get_ontology')).toEqual(ontology), { flags });
    });
  });

  it('S0-09 has no place for singleton marks: ensure_singleton_node changes nothing in it', async () => {
    await withTypes(async ({ ask }, vault) => {
      await ask('create_ontology', ontology);
      const before = vault.read('ontology.md');
      await ask('ensure_singleton_node', { type: 'Config', content: '{}', encoding: 'utf-8', format: 'json' });
      expect(vault.read('ontology.md')).toBe(before);
    });
  });

  it('S0-10 says whether a connection would be valid', async () => {
    await withTypes(async ({ ask, refuse }) => {
      await ask('create_ontology', ontology);
      const valid = (connection: string, from: string, to: string): Promise<unknown> =>
        ask('validate_connection', { connection_type: connection, from_node_type: from, to_node_type: to });
      expect(await valid('WORKS_AT', 'Person', 'Company')).toEqual({ valid: true });
      expect(await valid('WORKS_AT', 'Company', 'Person')).toEqual({ valid: false });
      expect(await valid('KNOWS', 'Person', 'Nothing')).toEqual({ valid: false });
      const bad = { connection_type: 'NOPE', from_node_type: 'Person', to_node_type: 'Person' };
      expect((await refuse('validate_connection', bad)).error.code).toBe('INVALID_CONNECTION_TYPE');
    });
  });
});

describe('queries', () => {
  it('S0-21 nodes are found by type and exact properties', async () => {
    await withTypes(async ({ ask }) => {
      const query = async (args: object): Promise<string[]> => (await ask('query_nodes', { ...args })).node_ids;
      expect(await query({ type: 'Person' })).toEqual(['people/Alice.md', 'people/Bo.md']);
      expect(await query({ type: 'Person', properties: { city: 'Oslo' } })).toEqual(['people/Alice.md']);
      expect(await query({ properties: { age: 41 } })).toEqual(['people/Alice.md']);
      expect(await query({ properties: { age: '41' } })).toEqual(['people/Bo.md']);
      expect(await query({ properties: { city: 'oslo' } })).toEqual([]);
      expect(await query({ type: 'person' })).toEqual([]);
      expect(await query({ type: 'Nothing' })).toEqual([]);
      expect(await query({})).toEqual(['firms/Acme.md', 'people/Alice.md', 'people/Bo.md']);
    }, people);
  });

  it('S0-22 content is searched literally, in any case', async () => {
    await withTypes(async ({ ask }) => {
      const search = async (args: object): Promise<string[]> => (await ask('search_content', { ...args })).node_ids;
      expect((await search({ query: 'TEA' })).sort()).toEqual(['firms/Acme.md', 'people/Alice.md']);
      expect(await search({ query: 'kes te', node_type: 'Company' })).toEqual(['firms/Acme.md']);
      expect(await search({ query: 'tea', limit: 0 })).toEqual([]);
      expect(await search({ query: 'tea', limit: -1 })).toEqual([]);
      expect(await search({ query: 'tea', limit: 1 })).toHaveLength(1);
    }, people);
  });
});

describe('connections', () => {
  it('S0-23 need a known type, notes that exist, the right types and the required properties', async () => {
    await withTypes(async ({ ask, refuse }, vault) => {
      const works = { type: 'WORKS_AT', from_node_id: 'Alice', to_node_id: 'Acme', properties: { since: 2020 } };
      expect((await refuse('create_connection', works)).error.code).toBe('ONTOLOGY_NOT_FOUND');
      await ask('create_ontology', ontology);
      const before = stateOf(vault);
      expect((await refuse('create_connection', { ...works, type: 'NOPE' })).error.code).toBe('INVALID_CONNECTION_TYPE');
      expect((await refuse('create_connection', { ...works, to_node_id: 'Nobody' })).error.code).toBe('NODE_NOT_FOUND');
      const topology = (await refuse('create_connection', { ...works, to_node_id: 'Bo' })).error;
      expect(topology.code).toBe('INVALID_TOPOLOGY');
      expect(topology.message).toMatch(/Person.*Company/);
      const absent = (await refuse('create_connection', { ...works, properties: {} })).error;
      expect(absent).toMatchObject({ code: 'REQUIRED_PROPERTY_MISSING', details: { missing: ['since'] } });
      expect(absent.message).toContain('since');
      expect(stateOf(vault)).toEqual(before);
      const { connection_id: id } = await ask('create_connection', works);
      expect(vault.read('people/Alice.md')).toMatch(new RegExp(`## Relations\\n\\n- WORKS_AT \\[\\[Acme\\]\\] .*\\^${id}\\n$`));
    }, people);
  });

  it('S0-24 several of one type between one pair live side by side', async () => {
    await withTypes(async ({ ask }) => {
      await ask('create_ontology', ontology);
      const knows = { type: 'KNOWS', from_node_id: 'Alice', to_node_id: 'Bo' };
      const first = (await ask('create_connection', knows)).connection_id;
      const second = (await ask('create_connection', { ...knows, properties: { since: 2020 } })).connection_id;
      expect((await ask('query_connections', { type: 'KNOWS' })).connection_ids).toEqual([first, second]);
      await ask('delete_connection', { connection_id: first });
      expect((await ask('query_connections', { type: 'KNOWS' })).connection_ids).toEqual([second]);
    }, people);
  });

  it('S0-25 S0-26 are read, updated and deleted by id; property types come back', async () => {
    await withTypes(async ({ ask, refuse }, vault) => {
      await ask('create_ontology', ontology);
      const properties = { since: 2020, level: '7', full: true, note: 'a: b [c] "d"', empty: '' };
      const { connection_id: id } = await ask('create_connection', {
        type: 'WORKS_AT',
        from_node_id: 'Alice',
        to_node_id: 'Acme',
        properties,
      });
      const made = await ask('get_connection', { connection_id: id });
      expect(made).toMatchObject({
        id,
        type: 'WORKS_AT',
        from_node_id: 'people/Alice.md',
        to_node_id: 'firms/Acme.md',
        properties,
        has_content: false,
      });
      expect(made.modified).toBe(made.created);
      expect(made.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      await ask('update_connection', { connection_id: id, properties: { level: '8' }, content: 'Head of tea:\nall of it' });
      const updated = await ask('get_connection', { connection_id: id });
      expect(updated).toMatchObject({
        properties: { ...properties, level: '8' },
        has_content: true,
        content: 'Head of tea:\nall of it',
        created: made.created,
      });
      const before = stateOf(vault);
      await ask('update_connection', { connection_id: id, properties: { level: '8' } });
      expect(stateOf(vault)).toEqual(before);
      expect((await refuse('update_connection', { connection_id: id })).error.code).toBe('INVALID_ARGUMENT');
      await ask('delete_connection', { connection_id: id });
      for (const tool of ['get_connection', 'delete_connection']) {
        expect((await refuse(tool, { connection_id: id })).error.code).toBe('CONNECTION_NOT_FOUND');
      }
      expect(vault.read('people/Alice.md')).not.toContain('Relations');
    }, people);
  });

  it('S0-27 S0-28 are queried by ends, type and properties, and nodes by their connections', async () => {
    await withTypes(async ({ ask, refuse }) => {
      await ask('create_ontology', ontology);
      const works = (
        await ask('create_connection', { type: 'WORKS_AT', from_node_id: 'Alice', to_node_id: 'Acme', properties: { since: 2020 } })
      ).connection_id;
      const knows = (await ask('create_connection', { type: 'KNOWS', from_node_id: 'Alice', to_node_id: 'Bo' })).connection_id;
      const back = (await ask('create_connection', { type: 'KNOWS', from_node_id: 'Bo', to_node_id: 'Alice' })).connection_id;
      const query = async (args: object): Promise<string[]> => (await ask('query_connections', { ...args })).connection_ids;
      expect(await query({})).toEqual([works, knows, back]);
      expect(await query({ from_node_id: 'Alice' })).toEqual([works, knows]);
      expect(await query({ to_node_id: 'Alice' })).toEqual([back]);
      expect(await query({ type: 'WORKS_AT', properties: { since: 2020 } })).toEqual([works]);
      expect(await query({ properties: { since: '2020' } })).toEqual([]);
      const nodes = async (args: object): Promise<string[]> => (await ask('get_connected_nodes', { node_id: 'Alice', ...args })).node_ids;
      expect(await nodes({ direction: 'out' })).toEqual(['firms/Acme.md', 'people/Bo.md']);
      expect(await nodes({ direction: 'in' })).toEqual(['people/Bo.md']);
      expect(await nodes({ direction: 'both', connection_type: 'KNOWS' })).toEqual(['people/Bo.md']);
      expect((await ask('get_connected_nodes', { node_id: 'ontology.md', direction: 'both' })).node_ids).toEqual([]);
      expect((await refuse('get_connected_nodes', { node_id: 'Nobody', direction: 'in' })).error.code).toBe('NODE_NOT_FOUND');
    }, people);
  });
});

describe('ensure_singleton_node', () => {
  const config = {
    type: 'Config',
    content: '{\n  "inbox": "inbox.md"\n}',
    encoding: 'utf-8',
    format: 'json',
    properties: { version: 1, name: '1' },
  };
  const dated = (created: string): string => `---\ntype: Config\ncreated_at: ${created}\n---\n`;

  it('S0-31 S0-41 the ontology is checked first, then the type, then the fields, and the code reaches the client', async () => {
    await withTypes(async ({ ask, refuse }, vault) => {
      expect((await refuse('ensure_singleton_node', { type: 'Config' })).error.code).toBe('ONTOLOGY_NOT_FOUND');
      await ask('create_ontology', ontology);
      expect((await refuse('ensure_singleton_node', { type: 'Foo' })).error.code).toBe('INVALID_NODE_TYPE');
      expect((await refuse('ensure_singleton_node', { type: 'Config', content: '' })).error).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { missing: ['encoding', 'format'] },
      });
      expect(vault.files()).toEqual(['ontology.md']);
    });
  });

  it('S0-30 S0-32 S0-38 makes one, and gives it again after a restart, an edit, a move and a rename', async () => {
    await withVault({}, async (vault) => {
      let id = '';
      await withServer(
        vault,
        async ({ ask }) => {
          await ask('create_ontology', ontology);
          const first = await ask('ensure_singleton_node', config);
          expect(first).toEqual({ node_id: expect.any(String), created: true });
          id = first.node_id;
          expect(await ask('get_node_content', { node_id: id })).toEqual({ content: config.content });
          expect(await ask('query_nodes', { type: 'Config', properties: config.properties })).toEqual({ node_ids: [id] });
          expect(await ask('ensure_singleton_node', config)).toEqual({ node_id: id, created: false });
        },
        { flags },
      );
      const [file] = vault.files().filter((path) => path !== 'ontology.md');
      vault.write('elsewhere/My settings.md', vault.read(file!).replace('inbox.md', 'other.md'));
      vault.remove(file!);
      await withServer(
        vault,
        async ({ ask }) => expect(await ask('ensure_singleton_node', config)).toEqual({ node_id: id, created: false }),
        {
          flags,
        },
      );
    });
  });

  it('S0-33 writes nothing at all when one exists, whatever else is given', async () => {
    await withTypes(
      async ({ ask }, vault) => {
        await ask('create_ontology', ontology);
        const before = stateOf(vault);
        for (const rest of [
          {},
          { content: 'x' },
          { encoding: 'rot13' },
          { properties: { a: [1] } },
          { content: '!', encoding: 'base64', format: 'bin' },
        ]) {
          expect(await ask('ensure_singleton_node', { type: 'Config', ...rest })).toEqual({ node_id: 'one.md', created: false });
        }
        expect(stateOf(vault)).toEqual(before);
      },
      { 'one.md': dated('2026-01-01T00:00:00.000Z') },
    );
  });

  it('S0-34 S0-35 S0-37 chooses oldest or newest, and the smallest id among equals', async () => {
    await withTypes(
      async ({ ask, refuse }) => {
        await ask('create_ontology', ontology);
        const pick = async (choice?: string): Promise<string> =>
          (await ask('ensure_singleton_node', { type: 'Config', ...(choice === undefined ? {} : { on_multiple: choice }) })).node_id;
        expect(await pick()).toBe('B.md');
        expect(await pick('oldest')).toBe('B.md');
        expect(await pick('newest')).toBe('c.md');
        expect((await refuse('ensure_singleton_node', { type: 'Config', on_multiple: 'error' })).error.message).toContain('on_multiple');
      },
      {
        'a.md': dated('2025-01-01T00:00:00.000Z'),
        'B.md': dated('2025-01-01T00:00:00.000Z'),
        'c.md': dated('2026-01-01T00:00:00.000Z'),
        'd.md': dated('2026-01-01T00:00:00.000Z'),
      },
    );
  });

  it('S0-36 empty content is content', async () => {
    await withTypes(async ({ ask }) => {
      await ask('create_ontology', ontology);
      const { node_id: id, created } = await ask('ensure_singleton_node', { ...config, content: '' });
      expect(created).toBe(true);
      expect(await ask('get_node_content', { node_id: id })).toEqual({ content: '' });
    });
  });

  it('S0-40 notes without a time come last and are named in a warning', async () => {
    await withTypes(
      async ({ ask, call }) => {
        await ask('create_ontology', ontology);
        for (const choice of ['oldest', 'newest']) {
          const { value, texts } = await call('ensure_singleton_node', { type: 'Config', on_multiple: choice });
          expect(value.node_id).toBe('z.md');
          expect(texts[1]).toContain('a.md');
        }
      },
      { 'a.md': '---\ntype: Config\n---\n', 'b.md': dated('some day'), 'z.md': dated('2026-01-01T00:00:00.000Z') },
    );
  });

  it('S0-19 refuses base64 that is none, and keeps binary content exactly', async () => {
    await withTypes(async ({ ask, refuse }, vault) => {
      await ask('create_ontology', ontology);
      const binary = { ...config, encoding: 'base64', format: 'png' };
      expect((await refuse('ensure_singleton_node', { ...binary, content: '!!notbase64!!' })).error.code).toBe('INVALID_ENCODING');
      expect(vault.files()).toEqual(['ontology.md']);
      const content = Buffer.from([0, 255, 1, 254, 10, 13]).toString('base64');
      const { node_id: id } = await ask('ensure_singleton_node', { ...binary, content });
      expect(await ask('get_node_content', { node_id: id })).toEqual({ content });
    });
  });

  it('S0-16 text content comes back byte for byte', async () => {
    const contents = ['a\r\nb\r\n', '---\nx: 1\n---\n', '```js\ncode\n```\n', 'no end', '\n\n', 'tail \n```', '😀\u0000\t'];
    const formats = ['markdown', 'text'];
    const types = contents.flatMap((_, index) => formats.map((format) => `T${index}${format}`));
    await withTypes(async ({ ask }) => {
      await ask('create_ontology', { node_types: types, connection_types: [] });
      for (const [index, content] of contents.entries()) {
        for (const format of formats) {
          const { node_id: id } = await ask('ensure_singleton_node', { ...config, type: `T${index}${format}`, content, format });
          expect(await ask('get_node_content', { node_id: id })).toEqual({ content });
        }
      }
    });
  });

  it('S0-39 many first calls at once make one, in one process and in two', async () => {
    await withVault({}, async (vault) => {
      await withMcp(
        vault,
        (one) =>
          withMcp(
            vault,
            async (two) => {
              await one.ask('create_ontology', ontology);
              await waitFor(async () => (await two.call('get_ontology')).isError === false);
              const answers = await Promise.all(
                Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? one : two).ask('ensure_singleton_node', config)),
              );
              expect(answers.filter((answer) => answer.created)).toHaveLength(1);
              expect(new Set(answers.map((answer) => answer.node_id)).size).toBe(1);
              expect(vault.files()).toHaveLength(2);
            },
            { flags },
          ),
        { flags },
      );
    });
  });
});
