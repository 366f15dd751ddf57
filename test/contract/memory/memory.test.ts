import { statSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const flags = ['--toolsets', 'vault,memory'];

async function withMemory(
  run: (session: McpSession, vault: TestVault) => Promise<void>,
  files: Record<string, string> = {},
): Promise<void> {
  await withVault(files, (vault) => withServer(vault, (session) => run(session, vault), { flags }));
}

const alice = { name: 'Alice', entityType: 'person', observations: ['likes oat milk'] };
const tea = { name: 'Green Tea', entityType: 'drink', observations: [] };

/** Bytes and modification times of all notes. */
function stateOf(vault: TestVault): Record<string, string> {
  return Object.fromEntries(
    vault.files().map((file) => [file, `${statSync(vault.path(file), { bigint: true }).mtimeNs} ${vault.read(file)}`]),
  );
}

describe('entities', () => {
  it('S4-01 create_entities gives the new ones only, as text and as structuredContent, and keeps existing ones as they are', async () => {
    await withMemory(async ({ call, ask }, vault) => {
      const first = await call('create_entities', { entities: [alice, tea] });
      expect(first.value).toEqual([alice, tea]);
      expect(first.structured).toEqual({ entities: [alice, tea] });
      const second = await call('create_entities', { entities: [{ ...alice, observations: ['other'] }] });
      expect(second.value).toEqual([]);
      expect(await ask('open_nodes', { names: ['Alice'] })).toEqual({ entities: [alice], relations: [] });
      const file = vault.files().find((path) => path.startsWith('memory/person/'))!;
      expect(vault.read(file)).toContain('## Observations\n\n- likes oat milk\n');
    });
  });

  it('S4-02 takes entities without observations', async () => {
    await withMemory(async ({ ask }) => {
      expect(await ask('create_entities', { entities: [{ name: 'Bo', entityType: 'person' }] })).toEqual([
        { name: 'Bo', entityType: 'person', observations: [] },
      ]);
    });
  });

  it('S4-03 keeps the first of two equal names in one call, and repeated observations once', async () => {
    await withMemory(async ({ ask }) => {
      const entities = [
        { name: 'Bo', entityType: 'person', observations: ['a', 'a', 'b'] },
        { name: 'Bo', entityType: 'robot', observations: ['c'] },
      ];
      expect(await ask('create_entities', { entities })).toEqual([{ name: 'Bo', entityType: 'person', observations: ['a', 'b'] }]);
      expect((await ask('read_graph')).entities).toHaveLength(1);
    });
  });

  it('S4-21 names that no link or file can hold live in the title, and relations find them', async () => {
    await withMemory(async ({ ask }, vault) => {
      const names = [
        'cmd#npm run "x|y" [[z]]#ac5dce11',
        'file#src/a/../b.ts',
        `err#${'long '.repeat(80)}end`,
        'CON',
        'Ünï ^ cödé',
        '  padded  ',
        'a\nb',
      ];
      await ask('create_entities', {
        entities: names.map((name) => ({ name, entityType: 'Thing & more', observations: [`about ${name}`] })),
      });
      const relations = names.map((from, index) => ({ from, to: names[(index + 1) % names.length]!, relationType: 'leads to' }));
      expect(await ask('create_relations', { relations })).toEqual(relations);
      const graph = await ask('read_graph');
      expect(graph.entities.map((entity: { name: string }) => entity.name).sort()).toEqual([...names].sort());
      expect(new Set(graph.relations.map((relation: unknown) => JSON.stringify(relation)))).toEqual(
        new Set(relations.map((relation) => JSON.stringify(relation))),
      );
      for (const file of vault.files()) expect(Buffer.byteLength(file.split('/').at(-1)!)).toBeLessThanOrEqual(200);
    });
  });

  it('S4-11 objects have the three documented keys and no other', async () => {
    await withMemory(async ({ ask, call }) => {
      await ask('create_entities', { entities: [alice, tea] });
      await ask('create_relations', { relations: [{ from: 'Alice', to: 'Green Tea', relationType: 'likes' }] });
      for (const tool of ['read_graph', 'search_nodes', 'open_nodes']) {
        const { structured } = await call(tool, { query: 'alice', names: ['Alice'] });
        expect(Object.keys((structured!['entities'] as object[])[0]!).sort()).toEqual(['entityType', 'name', 'observations']);
        expect(Object.keys((structured!['relations'] as object[])[0]!).sort()).toEqual(['from', 'relationType', 'to']);
      }
    });
  });
});

describe('relations', () => {
  it('S4-04 gives new relations only, by exact triple, and allows ends that nobody made yet', async () => {
    await withMemory(async ({ ask, call }) => {
      await ask('create_entities', { entities: [alice, tea] });
      const likes = { from: 'Alice', to: 'Green Tea', relationType: 'likes' };
      const ghost = { from: 'Alice', to: 'GHOST', relationType: 'fears' };
      const haunts = { from: 'Ghost of Tea', to: 'Alice', relationType: 'haunts' };
      expect(await ask('create_relations', { relations: [likes, likes, ghost, haunts] })).toEqual([likes, ghost, haunts]);
      const again = await call('create_relations', { relations: [likes, ghost, haunts, { ...likes, relationType: 'drinks' }] });
      expect(again.value).toEqual([{ ...likes, relationType: 'drinks' }]);
      expect(again.structured).toEqual({ relations: [{ ...likes, relationType: 'drinks' }] });
      const graph = await ask('read_graph');
      expect(graph.entities).toEqual([alice, tea]);
      expect(graph.relations).toContainEqual(ghost);
      const made = { name: 'GHOST', entityType: 'spirit', observations: ['boo'] };
      expect(await ask('create_entities', { entities: [made] })).toEqual([made]);
      expect(await ask('open_nodes', { names: ['GHOST'] })).toEqual({ entities: [made], relations: [ghost] });
    });
  });

  it('S4-07 deletions are idempotent and answer with the documented texts', async () => {
    await withMemory(async ({ ask, call }) => {
      await ask('create_entities', { entities: [alice, tea, { name: 'Bo', entityType: 'person' }] });
      const likes = { from: 'Alice', to: 'Green Tea', relationType: 'likes' };
      const knows = { from: 'Bo', to: 'Alice', relationType: 'knows' };
      await ask('create_relations', { relations: [likes, knows] });
      for (let round = 0; round < 2; round += 1) {
        const relations = await call('delete_relations', { relations: [likes, { ...likes, to: 'nowhere' }] });
        expect(relations.texts[0]).toBe('Relations deleted successfully');
        expect(relations.structured).toEqual({ success: true, message: 'Relations deleted successfully' });
        const observations = await call('delete_observations', {
          deletions: [{ entityName: 'Alice', observations: ['likes oat milk', 'none'] }],
        });
        expect(observations.texts[0]).toBe('Observations deleted successfully');
        const entities = await call('delete_entities', { entityNames: ['Alice', 'Nobody'] });
        expect(entities.texts[0]).toBe('Entities deleted successfully');
        expect(entities.structured).toEqual({ success: true, message: 'Entities deleted successfully' });
      }
      expect(await ask('read_graph')).toEqual({ entities: [tea, { name: 'Bo', entityType: 'person', observations: [] }], relations: [] });
    });
  });

  it('S4-08 reads give relations with at least one end in the set, and leave unknown names out', async () => {
    await withMemory(async ({ ask }) => {
      await ask('create_entities', { entities: [alice, tea] });
      const likes = { from: 'Alice', to: 'Green Tea', relationType: 'likes' };
      await ask('create_relations', { relations: [likes] });
      expect(await ask('open_nodes', { names: ['Green Tea', 'Nobody'] })).toEqual({ entities: [tea], relations: [likes] });
      expect(await ask('search_nodes', { query: 'drink' })).toEqual({ entities: [tea], relations: [likes] });
      expect(await ask('open_nodes', { names: [] })).toEqual({ entities: [], relations: [] });
    });
  });

  it('S4-26 warns about a relation against the vocabulary, refuses it in enforce, and is silent when off', async () => {
    const wrong = { relations: [{ from: 'run#1', to: 'err#boom', relationType: 'RESOLVES' }] };
    const entities = [
      { name: 'run#1', entityType: 'Run', observations: [] },
      { name: 'err#boom', entityType: 'Error', observations: [] },
    ];
    const outcomes = {
      off: { isError: false, isTold: false, stored: 1 },
      warn: { isError: false, isTold: true, stored: 1 },
      enforce: { isError: true, isTold: true, stored: 0 },
    };
    for (const [mode, outcome] of Object.entries(outcomes)) {
      await withMemory(
        async ({ ask, call }) => {
          await ask('create_entities', { entities });
          const { isError, texts } = await call('create_relations', wrong);
          const stored = (await ask('read_graph')).relations.length;
          const isTold = texts
            .slice(isError ? 0 : 1)
            .join()
            .includes('relations[0]');
          expect({ isError, isTold, stored }, mode).toEqual(outcome);
        },
        { '.rouxrc.json': JSON.stringify({ memory: { relations: mode } }) },
      );
    }
  });

  it('S4-27 in enforce both ends exist and envelopes parse, and the error names the item', async () => {
    const config = JSON.stringify({ memory: { relations: 'enforce', envelope: 'enforce' } });
    await withMemory(
      async ({ refuse }, vault) => {
        const missing = await refuse('create_relations', { relations: [{ from: 'run#x', to: 'cmd#y', relationType: 'EXECUTES' }] });
        expect(JSON.stringify(missing)).toContain('does not exist');
        const bad = await refuse('create_entities', {
          entities: [{ ...alice, observations: ['{"type":"chat","ts":"2026-01-01T00:00:00Z"}'] }],
        });
        expect(JSON.stringify(bad)).toContain('entities[0].observations[0]');
        const random = await refuse('create_entities', { entities: [{ name: 'Error 4711', entityType: 'Error' }] });
        expect(JSON.stringify(random)).toContain('err#');
        expect(vault.files()).toEqual(['.rouxrc.json']);
      },
      { '.rouxrc.json': config },
    );
  });

  it('S4-28 takes type, source and target for entityType, from and to', async () => {
    await withMemory(async ({ ask }) => {
      expect(await ask('create_entities', { entities: [{ name: 'Bo', type: 'person', observations: [] }] })).toEqual([
        { name: 'Bo', entityType: 'person', observations: [] },
      ]);
      expect(await ask('create_relations', { relations: [{ source: 'Bo', target: 'Bo', relationType: 'is' }] })).toEqual([
        { from: 'Bo', to: 'Bo', relationType: 'is' },
      ]);
    });
  });
});

describe('observations', () => {
  it('S4-05 gives what was added, skips what is known or repeated, and fails whole on an unknown entity', async () => {
    await withMemory(async ({ ask, call, refuse }) => {
      await ask('create_entities', { entities: [alice, tea] });
      const added = await call('add_observations', { observations: [{ entityName: 'Alice', contents: ['likes oat milk', 'new', 'new'] }] });
      expect(added.value).toEqual([{ entityName: 'Alice', addedObservations: ['new'] }]);
      expect(added.structured).toEqual({ results: [{ entityName: 'Alice', addedObservations: ['new'] }] });
      const bad = {
        observations: [
          { entityName: 'Alice', contents: ['lost'] },
          { entityName: 'Nobody', contents: ['x'] },
        ],
      };
      expect(JSON.stringify(await refuse('add_observations', bad))).toContain('Entity with name Nobody not found');
      expect((await ask('open_nodes', { names: ['Alice'] })).entities[0].observations).toEqual(['likes oat milk', 'new']);
    });
  });

  it('S4-06 takes the shape with one observation too', async () => {
    await withMemory(async ({ ask }) => {
      await ask('create_entities', { entities: [alice] });
      expect(await ask('add_observations', { entityName: 'Alice', observation: 'single' })).toEqual([
        { entityName: 'Alice', addedObservations: ['single'] },
      ]);
      expect(await ask('add_observations', { observations: [{ entityName: 'Alice', observation: 'other' }] })).toEqual([
        { entityName: 'Alice', addedObservations: ['other'] },
      ]);
    });
  });

  it('S4-22 any text comes back exactly, envelopes and Markdown among them', async () => {
    const odd = [
      '{"type":"command.exec","ts":"2026-01-05T10:00:00.000Z","data":{"a":"`"}}',
      '- item',
      '# head',
      'a\nb',
      ' padded ',
      '`code`',
      '',
      '[[X]] ^id',
      '😀',
      '\\',
      '- [ ] task',
    ];
    await withMemory(async ({ ask }) => {
      await ask('create_entities', { entities: [{ name: 'Odd', entityType: 'test', observations: odd }] });
      expect((await ask('open_nodes', { names: ['Odd'] })).entities[0].observations).toEqual(odd);
      await ask('delete_observations', { deletions: [{ entityName: 'Odd', observations: odd.slice(3) }] });
      expect((await ask('open_nodes', { names: ['Odd'] })).entities[0].observations).toEqual(odd.slice(0, 3));
    });
  });

  it('S4-24 an envelope with a known fingerprint is the same observation though its time differs', async () => {
    const at = (ts: string): string => JSON.stringify({ type: 'command.exec', ts, fingerprint: 'f1', data: {} });
    await withMemory(async ({ ask }) => {
      await ask('create_entities', { entities: [{ ...alice, observations: [at('2026-01-05T10:00:00.000Z')] }] });
      expect(await ask('add_observations', { entityName: 'Alice', observation: at('2026-01-06T10:00:00.000Z') })).toEqual([
        { entityName: 'Alice', addedObservations: [] },
      ]);
    });
  });
});

describe('the write path of the policy', () => {
  it('S4-25 open, create what is missing, observe, relate: one note an entity and none for an observation', async () => {
    await withMemory(async ({ ask }, vault) => {
      const wanted = [
        { name: 'cmd#npm test#ac5dce11', entityType: 'Command' },
        { name: 'err#boom', entityType: 'Error' },
      ];
      for (let round = 0; round < 3; round += 1) {
        const present = (await ask('open_nodes', { names: wanted.map(({ name }) => name) })).entities.map(
          (entity: { name: string }) => entity.name,
        );
        await ask('create_entities', { entities: wanted.filter(({ name }) => !present.includes(name)) });
        const envelope = JSON.stringify({
          type: 'command.exec',
          ts: `2026-01-0${round + 1}T00:00:00.000Z`,
          fingerprint: 'same',
          data: { exit: 1 },
        });
        await ask('add_observations', { entityName: wanted[0]!.name, observation: envelope });
        await ask('create_relations', { relations: [{ from: wanted[0]!.name, to: wanted[1]!.name, relationType: 'EMITS' }] });
      }
      expect(vault.files()).toHaveLength(2);
      const { entities, relations } = await ask('read_graph');
      expect(entities[0].observations).toHaveLength(1);
      expect(relations).toHaveLength(1);
    });
  });

  it('S4-31 known shapes of secrets are redacted where the configuration asks for it, and only there', async () => {
    const secret = `token ghp_${'a'.repeat(36)} end`;
    for (const redactSecrets of [true, false]) {
      await withMemory(
        async ({ ask }) => {
          await ask('create_entities', { entities: [{ name: 'Run', entityType: 'note', observations: [secret] }] });
          const { entities } = await ask('open_nodes', { names: ['Run'] });
          expect(entities[0].observations).toEqual([redactSecrets ? 'token [redacted] end' : secret]);
        },
        { '.rouxrc.json': JSON.stringify({ memory: { redactSecrets } }) },
      );
    }
  });
});

describe('search', () => {
  it('S4-09 finds by all words in any order, by substring, and everything for an empty query', async () => {
    await withMemory(async ({ ask }) => {
      await ask('create_entities', { entities: [{ ...alice, observations: ['likes green tea'] }, tea] });
      const names = async (query: string): Promise<string[]> =>
        (await ask('search_nodes', { query })).entities.map((entity: { name: string }) => entity.name);
      expect(await names('tea likes')).toEqual(['Alice']);
      expect(await names('TEA')).toEqual(['Alice', 'Green Tea']);
      expect(await names('een te')).toEqual(['Alice', 'Green Tea']);
      expect(await names('')).toEqual(['Alice', 'Green Tea']);
      expect(await names(' tea ')).toEqual(['Alice', 'Green Tea']);
      expect(await names('coffee')).toEqual([]);
    });
  });

  it('S4-10 understands type:, name: and key:value filters', async () => {
    const error = {
      name: 'err#cannot find module ts-node',
      entityType: 'Error',
      observations: ['{"type":"error.capture","ts":"2026-01-05T10:00:00Z","data":{"tool":"orchestrator"}}'],
    };
    await withMemory(async ({ ask }) => {
      await ask('create_entities', { entities: [error, { ...alice, observations: ['ts-node fan'] }] });
      const names = async (query: string): Promise<string[]> =>
        (await ask('search_nodes', { query })).entities.map((entity: { name: string }) => entity.name);
      expect(await names('type:Error ts-node')).toEqual([error.name]);
      expect(await names('type:Error normalizedKey:ts-node')).toEqual([error.name]);
      expect(await names('name:ali')).toEqual(['Alice']);
      expect(await names('tool:orchestrator')).toEqual([error.name]);
      expect(await names('type:Run orchestrator')).toEqual([]);
    });
  });

  it('S4-33 open_nodes can leave observations out', async () => {
    await withMemory(async ({ ask }) => {
      await ask('create_entities', { entities: [{ ...alice, observations: ['a', 'b', 'c'] }] });
      const open = async (most: number): Promise<unknown> =>
        (await ask('open_nodes', { names: ['Alice'], max_observations: most })).entities[0].observations;
      expect(await open(0)).toEqual([]);
      expect(await open(2)).toEqual(['b', 'c']);
    });
  });

  it('S4-16 read_graph is bounded, says what it left out, and goes on from there', async () => {
    const entities = Array.from({ length: 400 }, (_, index) => ({
      name: `Entity ${index}`,
      entityType: 'thing',
      observations: [`${index} `.repeat(40).trim()],
    }));
    await withMemory(async ({ ask, call }) => {
      await ask('create_entities', { entities });
      const seen: string[] = [];
      for (let pages = 0; seen.length < 400; pages += 1) {
        expect(pages).toBeLessThan(10);
        const page = await call('read_graph', { offset: seen.length });
        expect(page.texts[0]!.length).toBeLessThanOrEqual(40_000);
        seen.push(...page.value.entities.map((entity: { name: string }) => entity.name));
        expect(page.texts.slice(1).join().includes('left out')).toBe(seen.length < 400);
      }
      expect(seen).toEqual(entities.map((entity) => entity.name));
    });
  });
});

describe('a person and others on the same notes', () => {
  it('reads entities and observations that a person writes by hand', async () => {
    await withMemory(
      async ({ ask }, vault) => {
        expect(await ask('read_graph')).toEqual({
          entities: [{ name: 'Carl', entityType: 'person', observations: ['by hand'] }],
          relations: [{ from: 'Carl', to: 'Dora', relationType: 'knows' }],
        });
        vault.write('memory/person/Carl.md', vault.read('memory/person/Carl.md').replace('- by hand\n', '- by hand\n- later\n'));
        await waitFor(async () => (await ask('open_nodes', { names: ['Carl'] })).entities[0].observations.length === 2);
        await ask('add_observations', { entityName: 'Carl', observation: 'by an agent' });
        expect(vault.read('memory/person/Carl.md')).toContain('- by hand\n- later\n- by an agent\n');
        expect(vault.read('memory/person/Carl.md')).toContain('A friend.');
      },
      { 'memory/person/Carl.md': 'A friend.\n\n## Observations\n\n- by hand\n\n## Relations\n\n- knows [[Dora]]\n' },
    );
  });

  it('makes no note whose name would draw a person’s links to it', async () => {
    await withMemory(
      async ({ ask }) => {
        await ask('create_entities', { entities: [alice] });
        expect((await ask('get_node', { id: 'Home' })).links.map((link: { id: string }) => link.id)).toEqual([
          'far/away/from/here/Alice.md',
        ]);
        expect((await ask('open_nodes', { names: ['Alice'] })).entities).toEqual([alice]);
      },
      { 'Home.md': '[[Alice]]', 'far/away/from/here/Alice.md': 'A person.' },
    );
  });

  it('S4-14 one note that cannot be read stops none of the others', async () => {
    await withMemory(
      async ({ ask }) => {
        await ask('create_entities', { entities: [alice] });
        const { entities } = await ask('read_graph');
        expect(entities.map((entity: { name: string }) => entity.name)).toContain('Alice');
      },
      { 'memory/person/bad.md': '---\nkind: [unclosed\n---\n## Observations\n\n- x\n', 'memory/person/worse.md': '---js\nthrow 1\n---\n' },
    );
  });

  it('S4-17 repeating a sequence of writes leaves every byte and modification time', async () => {
    await withMemory(async ({ ask }, vault) => {
      const run = async (): Promise<void> => {
        await ask('create_entities', { entities: [alice, tea] });
        await ask('add_observations', { entityName: 'Alice', observation: 'x' });
        await ask('create_relations', { relations: [{ from: 'Alice', to: 'Green Tea', relationType: 'likes' }] });
        await ask('create_relations', { relations: [{ from: 'Alice', to: 'Nowhere', relationType: 'seeks' }] });
        await ask('delete_observations', { deletions: [{ entityName: 'Alice', observations: ['never there'] }] });
      };
      await run();
      const once = stateOf(vault);
      await run();
      await run();
      expect(stateOf(vault)).toEqual(once);
    });
  });

  it('S4-15 twenty parallel creations survive, in one process and in two', async () => {
    await withVault({}, async (vault) => {
      const create = (session: McpSession, index: number): Promise<unknown> =>
        session.ask('create_entities', { entities: [{ name: `E${index}`, entityType: 'thing', observations: [`o${index}`] }] });
      await withMcp(
        vault,
        async (one) => {
          await Promise.all(Array.from({ length: 20 }, (_, index) => create(one, index)));
          expect((await one.ask('read_graph')).entities).toHaveLength(20);
          await withMcp(
            vault,
            async (two) => {
              await Promise.all(Array.from({ length: 20 }, (_, index) => create(index % 2 === 0 ? one : two, 100 + index)));
              for (const session of [one, two]) {
                await waitFor(
                  async () => (await session.ask('search_nodes', { query: 'type:thing', max_observations: 1 })).entities.length === 40,
                );
              }
            },
            { flags: [...flags, '--alone'] },
          );
        },
        { flags },
      );
    });
  });

  it('S4-30 of two processes that create the same entity one succeeds and the other skips', async () => {
    await withVault({}, async (vault) => {
      await withMcp(
        vault,
        (one) =>
          withMcp(
            vault,
            async (two) => {
              for (let round = 0; round < 5; round += 1) {
                const entity = { name: `Same ${round}`, entityType: 'thing', observations: [] };
                const answers = await Promise.all([one, two].map((session) => session.ask('create_entities', { entities: [entity] })));
                expect(answers.flat()).toEqual([entity]);
              }
              expect(vault.files().filter((file) => file.startsWith('memory/'))).toHaveLength(5);
            },
            { flags: [...flags, '--alone'] },
          ),
        { flags },
      );
    });
  });
});

describe('protocol', () => {
  it('S4-13 reads are marked read-only, deletions destructive and idempotent', async () => {
    await withMemory(async ({ client }) => {
      const { tools } = await client.listTools();
      const hints = (name: string): unknown => tools.find((tool) => tool.name === name)!.annotations;
      for (const name of ['read_graph', 'search_nodes', 'open_nodes']) expect(hints(name)).toMatchObject({ readOnlyHint: true });
      for (const name of ['delete_entities', 'delete_observations', 'delete_relations']) {
        expect(hints(name)).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
      }
      expect(hints('create_entities')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    });
  });

  it('S4-12 the resource memory://knowledge-graph is read and followed', async () => {
    await withMemory(async ({ client, ask }) => {
      const { ResourceUpdatedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
      const updated: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
      await ask('create_entities', { entities: [alice] });
      const uri = 'memory://knowledge-graph';
      expect((await client.listResources()).resources.map((resource) => resource.uri)).toContain(uri);
      const { contents } = await client.readResource({ uri });
      expect(contents[0]).toMatchObject({ uri, mimeType: 'application/json' });
      expect(JSON.parse(String((contents[0] as { text: string }).text))).toEqual({ entities: [alice], relations: [] });
      expect(updated).toEqual([]);
      await client.subscribeResource({ uri });
      await ask('add_observations', { entityName: 'Alice', observation: 'x' });
      await waitFor(() => updated.includes(uri));
    });
  });
});
