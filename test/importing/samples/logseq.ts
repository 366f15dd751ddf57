/** A small graph of Logseq, written for these tests: namespaces, journals, properties, references to blocks, tasks, pictures. */
export const BLOCK = '64a1b2c3-0000-4000-8000-000000000001';

export const LOGSEQ: Readonly<Record<string, string | Buffer>> = {
  'logseq/config.edn': '{:meta/version 1\n ;; :journal/page-title-format "yyyy"\n :journal/page-title-format "EEE, MMM do, yyyy"\n}\n',
  'logseq/bak/pages/x.md': 'old',
  'pages/Garden.md': `type:: project
tags:: green, #[[big plans]]
related:: [[Garden/Beds]], [[Compost]]
alias:: the garden

- See [[garden/beds]] and [[Nowhere yet]], #[[Compost]] #tag
  id:: ${BLOCK}
- TODO [#A] water the [[Compost]]
  SCHEDULED: <2024-05-01 Wed 10:00 .+1w>
  :LOGBOOK:
  CLOCK: [2024-04-30 Tue 09:00:00]
  :END:
- DOING weed
  collapsed:: true
	- WAITING for rain
	  DEADLINE: <2024-06-01 Sat>
- CANCELED dig
- ![tree](../assets/tree_1.png){:height 100, :width 240}
- {{query (todo now)}} and {{video https://example.org/v}} and ^^bright^^
- #+BEGIN_NOTE
  Wet soil.
  #+END_NOTE
- \`[[code]]\`
  \`\`\`dataviewjs
  [[code]]
  \`\`\`
`,
  'pages/Garden___Beds.md': `- {{embed ((${BLOCK}))}}\n- ((${BLOCK})) and [that](((${BLOCK}))) and ((64a1b2c3-0000-4000-8000-00000000dead))\n- {{embed [[Compost]]}}\n- [heap]([[Compost]]), [home]([[Nowhere yet]])\n- [[Wed, May 1st, 2024]] and [[May 1st, 2024]]\n`,
  'pages/Compost.md': '- title:: Compost\n- Hot.\n',
  'pages/a%2Fb.md': '- namespace of old\n',
  'journals/2024_05_01.md': '- Bought [[the garden]] tools\n',
  'assets/tree_1.png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'draws/plan.excalidraw': '{}',
};
