import { expect, it } from 'vitest';
import { findNamedNotes, findNameWords } from '../../../src/graph/hops/mentions.ts';
import { clausesOf } from '../../../src/graph/search/query/clauses.ts';
import { toClauseScan } from '../../../src/graph/search/words/term-scan.ts';
import { graphOf } from '../graph-of.ts';

it('finds notes by their title, alias or file name in a text, in any case and in text without spaces', () => {
  const graph = graphOf({
    'films/w1.md': '---\ntitle: The Curse of the Jade Scorpion\n---\n',
    'people/p1.md': '---\naliases: [Helen Hunt]\n---\n',
    '東京.md': '',
    'the.md': '',
    'a/plan.md': '',
    'b/plan.md': '',
  });
  const named = (text: string): string[] => [...findNamedNotes(graph, text)];
  expect(named('In the curse of the jade scorpion, HELEN HUNT plays.')).toEqual(['films/w1.md', 'people/p1.md']);
  expect(named('昨日東京に行った')).toEqual(['東京.md']);
  // A name does not go over the end of a line, nor is a stop word one.
  expect(named('Helen\nHunt, the')).toEqual([]);
  expect(named('the plan')).toEqual(['a/plan.md', 'b/plan.md']);
});

it('takes words with a capital letter or a digit for parts of names, without those of the query', () => {
  const query = clausesOf('Who directed Jade Scorpion', { isPrefix: true }).map(toClauseScan);
  expect(findNameWords('The Jade Scorpion of 2001 stars Helen Hunt OR Élan, a B', query)).toEqual(['2001', 'Helen', 'Hunt', 'Élan']);
});
