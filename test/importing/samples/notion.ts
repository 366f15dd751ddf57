/** A small workspace of Notion as "Markdown & CSV", written for these tests: pages with ids, a database, links, a picture, a callout. */
const HOME = '1429989fe8ac4effbc8f57f56486db54';
const GARDEN = '2429989fe8ac4effbc8f57f56486db54';
const BEDS = '3429989fe8ac4effbc8f57f56486db54';
const OAK = '4429989fe8ac4effbc8f57f56486db54';
const ELM = '5429989fe8ac4effbc8f57f56486db54';

const TABLE =
  'Name,Depth,Built,Type,Tags,Beside\r\nOak bed,30,"May 1, 2024",Bed,"wood, south",Elm bed (Elm%20bed.md)\r\n"Elm bed","4,5",,"Bed | old",,\r\n';

export const NOTION: Readonly<Record<string, string | Buffer>> = {
  [`Home ${HOME}.md`]: `# Home

See [Garden plan](Home%20${HOME}/Garden%20plan%20${GARDEN}.md) and [the beds](Home%20${HOME}/Beds%20${BEDS}.csv).

![a tree](Home%20${HOME}/tree%20(old).png)

<aside>
💡 Read [Garden plan](https://www.notion.so/ana/Garden-plan-${GARDEN}?pvs=4) first.

</aside>

- [ ] water
- [x] weed

Not a link: [[x]], not a comment: 100%% sure, \`[a](b.md)\`.

\`\`\`dataviewjs
dv.pages()
\`\`\`

[Gone](Home%20${HOME}/Gone%206429989fe8ac4effbc8f57f56486db54.md)
`,
  [`Home ${HOME}/Garden plan ${GARDEN}.md`]: `# Garden plan: everything\n\nNote: this is text.\n\nBack to [Home](../Home%20${HOME}.md).\n`,
  [`Home ${HOME}/tree (old).png`]: Buffer.from('89504e470d0a1a0a', 'hex'),
  [`Home ${HOME}/unused.pdf`]: '%PDF-1.4',
  [`Home ${HOME}/Beds ${BEDS}.csv`]: TABLE.split('\r\n').slice(0, 2).join('\r\n'),
  [`Home ${HOME}/Beds ${BEDS}_all.csv`]: TABLE,
  [`Home ${HOME}/Beds ${BEDS}/Oak bed ${OAK}.md`]: `# Oak bed

Depth: 30
Built: May 1, 2024
Type: Bed
Tags: wood, south
Beside: Elm bed (Elm%20bed%20${ELM}.md)

Made of oak.
`,
  [`Home ${HOME}/Beds ${BEDS}/Elm bed ${ELM}.md`]: '# Elm bed\n\nType: Bed | old\n\n',
};
