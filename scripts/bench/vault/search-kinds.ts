import type { Ask } from '../measure/server.ts';
import type { Words } from './words.ts';

/** A kind of search. Costs are milliseconds: the median and the 97th percentile of many calls. */
export interface SearchKind {
  readonly name: string;
  readonly ask: (index: number) => Ask;
  /** What was measured before the work that the goals ask for, at 10,000 notes. */
  readonly before?: string;
  readonly goal?: { readonly median: number; readonly tail?: number; readonly isAnySize?: true; readonly median100000?: number };
}

const CJK = ['知识管理', '笔记', '记录', '大切', '联系', '毎日', '管理和笔记', '続ける', '知识', '之间的联系'];

/** Every kind of search that has a goal, and some that have none. */
export function searchKinds({ some, common, phrases }: Words): readonly SearchKind[] {
  const at = (list: readonly string[], index: number): string => list[((index % list.length) + list.length) % list.length] ?? '';
  const search = (query: string): Ask => ['search', { query }];
  return [
    {
      name: 'search, one word',
      ask: (index) => search(at(some, index)),
      before: '6.9 / 15–57 ms',
      goal: { median: 2, tail: 8, median100000: 4 },
    },
    {
      name: 'search, three words',
      ask: (index) => search([0, 1, 2].map((next) => at(some, index * 3 + next)).join(' ')),
      before: '22 ms',
      goal: { median: 4 },
    },
    { name: 'search, a common word', ask: (index) => search(at(common, index)), before: '17 ms', goal: { median: 4 } },
    {
      name: 'search, a phrase',
      ask: (index) => search(`"${at(phrases, index)}"`),
      before: '82 / 655 ms',
      goal: { median: 4, tail: 12, isAnySize: true },
    },
    {
      name: 'search, a phrase of two common words, mostly in no note',
      ask: (index) => search(`"${at(common, index)} ${at(common, index * 3 + 1)}"`),
      goal: { median: 4, tail: 12, isAnySize: true },
    },
    { name: 'search, CJK', ask: (index) => search(at(CJK, index)), before: '11 ms', goal: { median: 4 } },
    { name: 'search, a misspelt word', ask: (index) => search(misspelt(at(some, index))), before: '4.6 ms', goal: { median: 4 } },
    { name: 'search, a word and a tag', ask: (index) => search(`${at(common, index)} tag:idea`) },
    { name: 'search, a word but not another', ask: (index) => search(`${at(some, index)} -${at(common, index)}`) },
  ];
}

function misspelt(word: string): string {
  return `${word.slice(0, 2)}x${word.slice(3)}`;
}
