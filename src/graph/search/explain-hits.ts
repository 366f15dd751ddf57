import type { NotePath } from '../../note/path.ts';
import type { GraphView } from '../view.ts';
import { QueryCoverage } from './query-coverage.ts';
import type { SearchQuery } from './query/query.ts';
import type { SearchAnswer, SearchHit } from './search.ts';

/** Says of each hit which words of the query it has, and where most of them are. */
export function explainHits(
  { hits, rarities }: Pick<SearchAnswer, 'hits' | 'rarities'>,
  query: SearchQuery,
  source: { readonly graph: GraphView; readText(path: NotePath): string | null },
): readonly SearchHit[] {
  // A search by meaning does not ask how rare the words are.
  const equal = query.ranked.map(({ word }) => ({ word, rarity: 1, near: [], isUnknown: false }));
  const coverage = new QueryCoverage(query, rarities.length > 0 ? rarities : equal);
  const written = (word: number): string => query.words[word]?.alternatives[0]?.join(' ') ?? '';
  return hits.map((hit): SearchHit => {
    const [entry, text] = [source.graph.get(hit.path), source.readText(hit.path)];
    if (entry === null || text === null) return hit;
    const { words, at } = coverage.of({ names: [entry.title, ...entry.aliases], text });
    const asked = query.shown.words;
    return {
      ...hit,
      explained: {
        words: asked.filter((word) => words.has(word)).map(written),
        missing: asked.filter((word) => !words.has(word)).map(written),
        line: at === null ? null : text.slice(0, at).split('\n').length,
      },
    };
  });
}
