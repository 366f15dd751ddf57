import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withPublished } from './static-site.ts';

/** Words that stand in what is not published, each in one place. */
let count = 0;
const places = new Map<string, string>();
const secret = (place: string): string => {
  count += 1;
  const word = `zqx${String(count).padStart(3, '0')}zqx`;
  places.set(word, place);
  return word;
};

const BASE = (word: string): string => `filters:\n  and:\n    - file.inFolder("${word}")\nviews:\n  - type: table\n    name: ${word}\n`;

/** The key of a property that is not published, and the folder of an attachment that is. */
const KEY = secret('the key of a property');
const FOLDER = secret('the folder of a published attachment');

/** A base that wants everything of every note: what it says itself, but for names and titles of views, is no text for readers. */
const greedyBase = (): string => `# ${secret('a comment in a base')}
filters:
  or:
    - file.inFolder("${secret('the filter of a base')}")
    - note["${secret('the property of a filter')}"] == 1
    - file.name != "nothing"
formulas:
  author: author
  key: note["${KEY}"]
  links: file.links.join(" ") + file.embeds.join(" ") + file.embeds.map(value.asFile().path).join(" ")
  linkers: file.backlinks.map(value.path).join(" ")
  all: file.properties
  shown: shown.toString() + up.toString() + deep.toString()
  linked: if(file.hasLink("${secret('a formula of a base')}"), 1, 2)
  count: file.links.length
properties:
  note.author:
    displayName: ${secret('the title of a property that is not published')}
  formula.count:
    displayName: Count of links
summaries:
  list: values.join("${secret('the formula of a summary')}".slice(0, 1))
views:
  - type: table
    name: Everything
    order: [file.name, author, ${KEY}, note.${KEY}, formula.author, formula.key, formula.links, formula.linkers, formula.all, formula.shown, formula.linked, formula.count, file.tags, file.links, file.embeds, file.backlinks, file.path, file.folder, file.properties, shown, up, deep]
    groupBy: {property: author, direction: ASC}
    summaries: {author: Unique, formula.author: Unique, file.name: Filled, shown: Unique}
  - type: cards
    name: As cards
    image: note.cover
    order: [file.name, shown, related, nested]
    groupBy: {property: formula.author, direction: ASC}
  - type: list
    name: As a list
    order: [file.name, formula.all, nested]
    groupBy: {property: shown, direction: ASC}
    sort: [{property: ${KEY}, direction: ASC}]
`;

/** A canvas that shows everything: published and other notes, files and texts. */
function greedyCanvas(folder: string): string {
  const fence = '```';
  const text = `A card %%${secret('a comment in a card')}%% [[${secret('the folder of a link in a card')}/Deep|label nine]] ![[Hidden plan]] [[Other]] ![[${FOLDER}/shown.png]]

${fence}base
${BASE(secret('a base in a card'))}${fence}

${fence}query
${secret('a search in a card')}
${fence}
`;
  const nodes = [
    { id: secret('the id of a card'), type: 'text', text },
    { id: 'hidden', type: 'file', file: 'Hidden plan.md', subpath: `#${secret('the heading of a hidden card')}` },
    { id: 'absent', type: 'file', file: `${folder}/${secret('a file that is missing')}.png` },
    { id: 'evil', type: 'file', file: 'evil.svg' },
    { id: 'table', type: 'file', file: 'table.base' },
    { id: 'drawing', type: 'file', file: 'drawing.canvas' },
    { id: 'marked', type: 'file', file: 'Public/Marked private.md' },
    { id: 'other', type: 'file', file: 'Public/Other.md' },
    { id: 'open', type: 'file', file: 'Public/Open.md' },
    { id: 'greedy', type: 'file', file: 'Public/Greedy.base', unknown: secret('an unknown key of a canvas') },
    { id: 'group', type: 'group', label: 'A group', background: `${folder}/${secret('the background of a group')}.png` },
  ].map((node) => ({ ...node, x: 0, y: 0, width: 300, height: 200 }));
  const edges = [
    { id: 'e1', fromNode: 'other', toNode: 'hidden', label: secret('the label of a line to a hidden card') },
    { id: secret('the id of a line'), fromNode: 'other', toNode: 'open', label: 'label ten' },
  ];
  return JSON.stringify({ nodes, edges });
}

const wordsOf = (...named: readonly string[]): readonly string[] =>
  [...places].flatMap(([word, place]) => (named.includes(place) ? [word] : []));

/** A note of the published folder with everything that must not leave it. */
function published(): string {
  return `---
id: ${secret('an id')}
rev: 3
title: Open page
tags: [open-tag]
author: ${secret('a property')}
${KEY}: 1
related: "[[${secret('a link in a property')}]]"
nested: {deep: ["${secret('a property in a property')}"]}
cover: "[[${secret('the picture of a card')}.png]]"
shown: "[[${secret('the folder of a link in a published property')}/Deep|label seven]] and [[${FOLDER}/shown.png]]"
up: [[${secret('the folder of a link without quotes')}/Above]]
deep: [{list: ["[[${secret('the folder of a link deep in a property')}/Below]]"]}]
---
Shown words. %%${secret('a comment in a line')} #${secret('a tag in a comment')} [[${secret('a link in a comment')}]]%% More words.

%%
${secret('a comment of several lines')}

- ${secret('a list in a comment')}
%%

- one %% ${secret('a comment that begins in a list')}
- two ${secret('a comment across the items of a list')} %% three

> [!note] A callout
> with %%${secret('a comment in a callout')}%% text and [[Other]]

Before <!-- ${secret('a comment in HTML')} --> and [[Other]] after. <!--
${secret('a comment in HTML of several lines')} -->

[[${secret('the path of a link')}/Deep|label one]], [label two](${secret('a Markdown link')}.md), [label three][ref] and [label four](secret/${secret('a link with a path')}%20x.md#${secret('the heading of a link')}).

[ref]: ${secret('a reference definition')}.md "${secret('the title of a reference definition')}"

![[Hidden plan|${secret('the alias of an embed')}]] ![[${secret('an embed of nothing')}]] ![${secret('the text of a picture that is not published')}](secret/${secret('a picture that is missing')}.png)

[[Hidden plan#${secret('a heading of a note that is not published')}|label five]] <a href="secret/${secret('a link in HTML')}.md">label six</a> <img src="secret/${secret('a picture in HTML')}.png">

\`\`\`base
${BASE(secret('a base in a note'))}\`\`\`

\`\`\`query
${secret('a search that finds a note which is not published')} OR "the text of hidden notes" OR tag:${secret('the tag of a search')}
\`\`\`

\`\`\`query
rain ${KEY} OR path:Public/Other
\`\`\`

\`\`\`dataview
LIST FROM "${secret('a query of a plugin')}"
\`\`\`

\`\`\`base
${greedyBase()}\`\`\`

![[Greedy.base]] ![[Greedy.base#As cards]] [[Greedy.base|label eight]] ![[Greedy.canvas]]

![[table.base]] [[drawing.canvas]] ![[evil.svg]] ![[shown.png]] [a file](${FOLDER}/shown.png)

See [[Other]] and [[Marked private]].

%%
${secret('a comment that is not closed')} [[Other]]
`;
}

/** A note that is shown as its source where it is too nested to be parsed. */
const nested = (): string =>
  `${'> '.repeat(120)}deep %%${secret('a comment in a note that is too nested')}%%\n\n${'- '.repeat(200)}x [[${secret('a link in a note that is too nested')}|y]]\n`;

function vault(): Record<string, string> {
  const folder = secret('a folder');
  const canvas = JSON.stringify({
    nodes: [{ id: 'a', type: 'text', text: secret('a canvas'), x: 0, y: 0, width: 9, height: 9 }],
    edges: [],
  });
  return {
    'Public/Open.md': published(),
    'Public/Nested.md': nested(),
    'Public/Greedy.base': greedyBase(),
    'Public/Greedy.canvas': greedyCanvas(folder),
    'Public/Mistaken.canvas': `{"nodes": [${secret('a mistake in a canvas')}`,
    'Public/Mistaken.base': `filters: "${secret('a mistake in a base')}(("\n`,
    [`Public/${secret('a hidden base')}.base`]: BASE(secret('the view of a hidden base')),
    'Public/Other.md': 'Another page, which links to [[Open]].\n',
    'Public/Marked private.md': `---\npublish: false\ntitle: ${secret('the title of a note with publish: false')}\n---\n${secret('the text of a note with publish: false')} [[Open]]\n`,
    [`Public/${secret('a hidden note')}.md`]: `${secret('the text of a hidden note')} [[Open]]\n`,
    [`Public/${secret('a note that Obsidian hides')}.md`]: 'x [[Open]]\n',
    [`${folder}/${secret('the name of a note')}.md`]: `---\ntitle: ${secret('a title')}\naliases: [${secret('an alias')}, Other]\ntags: [${secret('a tag')}]\n${secret('a key')}: ${secret('a value')}\n---\n# ${secret('a heading')}\n\n${secret('a text that links here')} [[Open]] Open page #${secret('a tag in a text')} ![[pixel.png]] ![[${folder}/${secret('an attachment')}.png]]\n`,
    'Hidden plan.md': `${secret('the text of an embedded note')} the text of hidden notes ${wordsOf('a search that finds a note which is not published').join('')}\n`,
    [`${folder}/${secret('an attachment that no note has')}.txt`]: secret('the text of an attachment'),
    [`${FOLDER}/shown.png`]: 'a picture',
    'table.base': BASE(secret('a base')),
    'drawing.canvas': canvas,
    'evil.svg': `<svg xmlns="http://www.w3.org/2000/svg"><script>${secret('a picture with a script')}</script></svg>`,
    'pixel.png': secret('a picture of an unpublished note'),
    '.rouxrc.json': JSON.stringify({ ignore: wordsOf('a hidden note', 'a hidden base').map((word) => `**/${word}.*`) }),
    '.obsidian/app.json': JSON.stringify({
      userIgnoreFilters: [`Public/${[...places].find(([, place]) => place === 'a note that Obsidian hides')?.[0]}.md`],
    }),
    '.obsidian/workspace.json': secret("Obsidian's workspace"),
    [`projects/shed/${secret('a task')}.md`]: `---\ntype: task\nid: t_1\nresolved: false\nsummary: ${secret('the summary of a task')}\n---\nx\n`,
    [`memory/person/${secret('an entity')}.md`]: `---\ntype: person\n---\n- ${secret('an observation')}\n`,
    [`knowledge/main/entities/${secret('an entity of the knowledge graph')}.md`]: `---\ntype: entity\n---\n- [KNOWS] [[x]]: ${secret('a fact')}\n`,
  };
}

it('U-11 no word of what is not published is in a byte or a name of the site', async () => {
  const source = vault();
  const [gone, old] = [secret('the history of a note'), secret('a deleted note')];
  const shown = ['--properties', 'shown,up,deep'];
  await withPublished(source, ['Public', ...shown, '--title', 'Open notes', '--base-url', 'https://ana.example/notes'], async (site) => {
    // What roux itself remembers: a version that was replaced, and a note in the trash.
    const { root } = site.vault;
    for (const args of [
      ['append', 'Public/Other.md', gone],
      ['create', old],
      ['delete', old],
    ])
      expect(await cli([...args, '--vault', root], { cwd: root })).toMatchObject({ status: 0 });
    site.vault.write('Public/Other.md', source['Public/Other.md'] ?? '');
    for (const args of [
      ['Public'],
      [
        '--all',
        '--except',
        [...new Set(Object.keys(source).map((path) => path.split('/')[0] ?? ''))]
          .filter((name) => name !== 'Public' && !name.startsWith('.'))
          .join(','),
      ],
    ]) {
      expect(await site.publish(...args, ...shown, '--title', 'Open notes')).toMatchObject({ status: 0 });
      expect(site.files()).toEqual(
        expect.arrayContaining([
          'Public/Open.html',
          'Public/Nested.html',
          'Public/Other.html',
          'Public/Greedy.base.html',
          'Public/Greedy.canvas.html',
          'files/shown.png',
          'data/graph.json',
        ]),
      );
      const found = site.files().flatMap((file) => {
        const text = `${file}\n${readFileSync(join(site.out, file), 'latin1')}`.toLowerCase();
        return [...places].flatMap(([word, place]) => (text.includes(word) ? [`${place} in ${file}`] : []));
      });
      expect(found).toEqual([]);
      // The test would find nothing if nothing were written.
      const page = site.read('Public/Open.html');
      for (const label of ['label one', 'label two', 'label three', 'label four', 'label five', 'Shown words', 'A callout', '#open-tag'])
        expect(page).toContain(label);
      expect(page).not.toContain('Hidden plan');
      // Three notes, two bases, two canvases and a picture are published: a base counts, lists and groups these, in a note and on its own page.
      for (const html of [page, site.read('Public/Greedy.base.html')]) {
        for (const label of ['Everything', 'As cards', 'As a list', 'Count of links', '>Other</a>', 'label seven'])
          expect(html).toContain(label);
        expect(new Set(html.match(/[1-9]\d* results?(?=<)/g))).toEqual(new Set(['8 results']));
      }
      expect(page).toContain('>label eight</a>');
      for (const html of [page, site.read('Public/Greedy.canvas.html')])
        for (const label of ['label nine', 'label ten', 'A group', '5 items as a list']) expect(html).toContain(label);
      expect(
        [...page.matchAll(/<section class="block query-block".*?<\/section>/gs)].map(([html]) =>
          html.replaceAll(/<[^>]*>|\s+/g, ' ').trim(),
        ),
      ).toEqual(['Nothing found.', expect.stringMatching(/^1 note +Other +Public$/)]);
    }
  });
});

it('U-11 the report says what is left out', async () => {
  await withPublished(
    {
      'Public/a.md': '---\nmood: dark\n---\n[[b]] ![[c]] ![[d.base]] ![[e.svg]]\n',
      'b.md': 'x\n',
      'c.md': 'x\n',
      'd.base': 'views: []\n',
      'e.svg': '<svg onload="x"/>',
    },
    ['Public'],
    async (site) => {
      const { stdout } = await site.publish('Public', '--dry-run', '--json');
      expect(JSON.parse(stdout)).toEqual({
        notes: [{ path: 'Public/a.md', title: 'a' }],
        attachments: [],
        pages: [],
        problems: [],
        properties: [],
        properties_left: [{ key: 'mood', notes: 1 }],
        links_left: [{ from: 'Public/a.md', to: 'b.md' }],
        embeds_left: [{ from: 'Public/a.md', to: 'c.md' }],
        attachments_left: [
          { from: 'Public/a.md', path: 'd.base', reason: expect.any(String) },
          { from: 'Public/a.md', path: 'e.svg', reason: expect.any(String) },
        ],
        notes_left: { unmarked: 0, hidden: 0, machine: 0, linked: 0 },
      });
      expect((await site.publish('Public')).stdout).toContain('Public/a.md → b.md');
    },
  );
});
