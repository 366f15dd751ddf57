/** A small project of basic-memory, written for these tests: observations, relations, permalinks, addresses. */
export const BASIC_MEMORY: Readonly<Record<string, string | Buffer>> = {
  'plants/Coffee Brewing.md': `---
title: Coffee Brewing
type: method
permalink: plants/coffee-brewing
tags:
  - coffee
  - '#drink'
status: stable
origin: person
---

# Coffee Brewing

## Observations

- [method] Pour over is clear #brewing (tried twice)
- [fact] Water at 93 degrees

## Relations

- requires [[Grinding]]
- contrasts_with [[Tea/Black: strong?]] (less bitter)
- part_of [[Nowhere yet]]

See memory://plants/grinding and [grinding](memory://plants/grinding), or memory://plants/*.

\`\`\`dataview
LIST
\`\`\`
`,
  'plants/Grinding.md':
    '---\ntitle: Grinding\ntype: note\npermalink: plants/grinding\n---\n\n- [tip] Fine grounds\n\nBack to [[plants/coffee-brewing]].\n',
  'Tea.md': '---\ntitle: "Tea/Black: strong?"\npermalink: tea\n---\n\n## Relations\n\n- pairs_with [[Coffee Brewing]]\n',
  'broken.md': '---\ntitle: [unclosed\n---\n\nText.\n',
};
