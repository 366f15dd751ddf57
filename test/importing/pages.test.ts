import { expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';
import { makeZip } from './make-zip.ts';
import { countChanges, importInto, unresolvedIn } from './run-import.ts';
import { BASIC_MEMORY } from './samples/basic-memory.ts';
import { LOGSEQ } from './samples/logseq.ts';
import { NOTION } from './samples/notion.ts';

/** The text below the frontmatter. */
function bodyOf(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---\n/, '');
}

it('O-06 an export of Notion becomes notes: pages by their titles, properties, databases, links and pictures', () =>
  withVault({ 'Export-1.zip': makeZip({ 'Export-11111111-2222-Part-1.zip': makeZip(NOTION) }) }, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const done = await importInto(vault, source.path('Export-1.zip'));
      expect([done.from, countChanges(done)]).toEqual(['notion', { new: 6 }]);
      expect(vault.files()).toEqual([
        'My note.md',
        'Notion/Home.md',
        'Notion/Home/Beds.csv',
        'Notion/Home/Beds.md',
        'Notion/Home/Beds/Elm bed.md',
        'Notion/Home/Beds/Oak bed.md',
        'Notion/Home/Garden plan everything.md',
        'Notion/Home/tree (old).png',
        'Notion/Home/unused.pdf',
        'Notion/Other files.md',
      ]);
      expect(bodyOf(vault.read('Notion/Home.md'))).toMatchInlineSnapshot(`
        "See [[Garden plan everything|Garden plan]] and [[Beds|the beds]].

        ![[Notion/Home/tree (old).png]]

        > [!note]
        > 💡 Read [[Garden plan everything|Garden plan]] first.
        >

        - [ ] water
        - [x] weed

        Not a link: \\[\\[x]], not a comment: 100%\\% sure, \`[a](b.md)\`.

        \`\`\`text dataviewjs
        dv.pages()
        \`\`\`

        [Gone](Home%201429989fe8ac4effbc8f57f56486db54/Gone%206429989fe8ac4effbc8f57f56486db54.md)
        "
      `);
      expect(bodyOf(vault.read('Notion/Home/Beds.md'))).toMatchInlineSnapshot(`
        "| Name | Depth | Built | Type | Tags | Beside |
        | --- | --- | --- | --- | --- | --- |
        | [[Oak bed]] | 30 | May 1, 2024 | Bed | wood, south | Elm bed (Elm%20bed.md) |
        | [[Elm bed]] | 4,5 |  | Bed \\| old |  |  |

        [[Notion/Home/Beds.csv|Beds.csv]]
        "
      `);
      expect(vault.read('Notion/Home/Beds/Oak bed.md')).toMatchInlineSnapshot(`
        "---
        id: n_tathoptg0ji55ci30fe6766r9c
        Depth: 30
        Built: 2024-05-01
        notion_Type: Bed
        tags:
          - wood
          - south
        Beside:
          - "[[Elm bed]]"
        origin: import
        imported:
          from: notion
          id: 4429989fe8ac4effbc8f57f56486db54
          source: 7db40048989c2e5b
          body: b08952c7e61f7252
          properties: Depth:624b60c5 Built:7bb58174 notion_Type:66d4bc27 tags:b82a8bb6 Beside:1fd8d453 title:347b7d4d
        ---
        Made of oak.
        "
      `);
      expect(bodyOf(vault.read('Notion/Home/Garden plan everything.md'))).toBe('Note: this is text.\n\nBack to [[Home]].\n');
      // What led nowhere in the export.
      expect(await unresolvedIn(vault)).toEqual(['Home 1429989fe8ac4effbc8f57f56486db54/Gone 6429989fe8ac4effbc8f57f56486db54.md']);
      expect(await importInto(vault, source.path('Export-1.zip'))).toMatchObject({ notes: [], unchanged: 6, batches: [] });
    }),
  ));

it('O-06 a graph of Logseq becomes notes: namespaces, journals, properties, blocks, tasks and pictures', () =>
  withVault(LOGSEQ, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const done = await importInto(vault, source.root);
      expect([done.from, countChanges(done), done.left]).toEqual(['logseq', { new: 6 }, []]);
      expect(vault.files()).toEqual([
        'Logseq/Other files.md',
        'Logseq/assets/tree_1.png',
        'Logseq/draws/plan.excalidraw',
        'Logseq/journals/2024-05-01.md',
        'Logseq/pages/Compost.md',
        'Logseq/pages/Garden.md',
        'Logseq/pages/Garden/Beds.md',
        'Logseq/pages/a/b.md',
        'My note.md',
      ]);
      expect(vault.read('Logseq/pages/Garden.md')).toMatchInlineSnapshot(`
        "---
        id: n_g78lrrnon67onk3dt2d14ar6qi
        aliases:
          - the garden
        logseq_type: project
        tags:
          - green
          - big-plans
        related:
          - "[[Beds|Garden/Beds]]"
          - "[[Compost]]"
        origin: import
        imported:
          from: logseq
          id: pages/Garden.md
          source: 27f4487737d9b6be
          body: c4358224ece2958d
          properties: logseq_type:471cacee tags:de49c3a9 related:33b8ab60 title:5073b3c2 aliases:85417bf1
        ---
        - See [[Beds|garden/beds]] and [[Nowhere yet]], [[Compost|#Compost]] #tag ^64a1b2c3-0000-4000-8000-000000000001
        - [ ] water the [[Compost]] [priority:: high] [scheduled:: 2024-05-01] [time:: 10:00] [repeat:: every week when done]
          :LOGBOOK:
          CLOCK: [2024-04-30 Tue 09:00:00]
          :END:
        - [/] weed
        	- [ ] for rain [status:: waiting] [due:: 2024-06-01]
        - [-] dig
        - ![[Logseq/assets/tree_1.png|240]]
        - \`{{query (todo now)}}\` and https://example.org/v and ==bright==
        - > [!note]
          > Wet soil.

        - \`[[code]]\`
          \`\`\`text dataviewjs
          [[code]]
          \`\`\`
        "
      `);
      expect(bodyOf(vault.read('Logseq/pages/Garden/Beds.md'))).toMatchInlineSnapshot(`
        "- ![[Garden#^64a1b2c3-0000-4000-8000-000000000001]]
        - [[Garden#^64a1b2c3-0000-4000-8000-000000000001|See garden/beds and Nowhere yet, Compost tag]] and [[Garden#^64a1b2c3-0000-4000-8000-000000000001|that]] and ((64a1b2c3-0000-4000-8000-00000000dead))
        - ![[Compost]]
        - [[Compost|heap]], [[Nowhere yet|home]]
        - [[2024-05-01|Wed, May 1st, 2024]] and [[2024-05-01|May 1st, 2024]]
        "
      `);
      expect(await unresolvedIn(vault)).toEqual(['Nowhere yet']);
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: 6, batches: [] });
    }),
  ));

it('O-06 notes of basic-memory become entities of the memory, with their observations and relations', () =>
  withVault(BASIC_MEMORY, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const done = await importInto(vault, source.root, '--from', 'basic-memory');
      expect([done.into, countChanges(done), done.left]).toEqual(['memory', { new: 4 }, []]);
      expect(vault.files()).toEqual([
        'My note.md',
        'memory/Tea Black strong.md',
        'memory/broken.md',
        'memory/plants/Coffee Brewing.md',
        'memory/plants/Grinding.md',
      ]);
      expect(vault.read('memory/plants/Coffee Brewing.md')).toMatchInlineSnapshot(`
        "---
        id: n_qp0j30626gk5br8mneshd71273
        type: entity
        kind: method
        tags:
          - coffee
          - drink
        permalink: plants/coffee-brewing
        status: stable
        basic_memory_origin: person
        origin: import
        imported:
          from: basic-memory
          id: plants/coffee-brewing
          source: 161f2b77adc3cc79
          body: 0bac9077a67476ad
          properties: type:a39ccb35 kind:12f3c6c9 tags:13a7db3a permalink:c9aeb4f9 status:fc5955c8 basic_memory_origin:4e1d8120 title:fe2d3c66
        ---
        # Coffee Brewing

        ## Observations

        - [method] Pour over is clear #brewing (tried twice)
        - [fact] Water at 93 degrees

        ## Relations

        - requires [[Grinding]]
        - contrasts_with [[Tea Black strong|Tea/Black: strong?]]: less bitter
        - part_of [[Nowhere yet]]

        See [[Grinding|plants/grinding]] and [[Grinding|grinding]], or memory://plants/*.

        \`\`\`text dataview
        LIST
        \`\`\`
        "
      `);
      const { stdout } = await cli(['export', '--format', 'json', '--vault', vault.root]);
      const graph = JSON.parse(stdout) as {
        readonly entities: readonly { readonly name: string }[];
        readonly relations: readonly object[];
      };
      expect(graph.entities.find(({ name }) => name === 'Coffee Brewing')).toMatchObject({
        entityType: 'method',
        observations: ['[method] Pour over is clear #brewing (tried twice)', '[fact] Water at 93 degrees'],
      });
      expect(graph.relations).toEqual(
        expect.arrayContaining([
          { from: 'Coffee Brewing', to: 'Grinding', relationType: 'requires' },
          { from: 'Coffee Brewing', to: 'Tea/Black: strong?', relationType: 'contrasts_with' },
        ]),
      );
      expect(await unresolvedIn(vault)).toEqual(['Nowhere yet']);
    }),
  ));
