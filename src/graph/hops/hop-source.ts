import { parseSearchQuery } from '../search/query/parse-query.ts';
import { ANY_NOTE } from '../search/query/query.ts';
import type { SearchQuery, Test } from '../search/query/query.ts';
import type { ScanSource } from '../search/scan.ts';
import type { SearchRequest, SearchView } from '../search/search.ts';
import { createSemanticCandidates } from '../semantic/semantic-candidates.ts';
import type { HopSource } from './follow-hops.ts';

/** Hits by words of a query without conditions, and of one with conditions, which leave fewer of them. */
const MAX_BY_WORDS = 21;
const MAX_EXAMINED = 100;

/** Connects hops with a search by keyword. What they reach has to meet the conditions of the query on more than the text of a note. */
export function createHopSource(
  source: ScanSource,
  {
    request,
    query,
    keywordSearch,
  }: { readonly request: SearchRequest; readonly query: SearchQuery | null; readonly keywordSearch: SearchView },
): HopSource {
  const { words, must } = query ?? parseSearchQuery('');
  const conditions = { words, must: withoutText(must) };
  return {
    graph: source.graph,
    readText: (path) => source.readText(path),
    async findByWords(words) {
      if (words === '') return [];
      const { filter, signal } = request;
      const found = await keywordSearch.search({
        query: words,
        mode: 'keyword',
        limit: must === ANY_NOTE ? MAX_BY_WORDS : MAX_EXAMINED,
        snippetLength: 0,
        ...(filter === undefined ? {} : { filter }),
        ...(signal === undefined ? {} : { signal }),
      });
      return found.hits.map(({ path }) => path);
    },
    async filter(paths, limit) {
      const notes = paths.map((path) => ({ path, score: 0, at: null }));
      const candidates = await createSemanticCandidates(source, { notes, query: conditions, version: '' });
      const kept: (typeof notes)[number]['path'][] = [];
      for (let at = 0; at < candidates.size && kept.length < limit; at += 1) {
        if (candidates.areCertain || candidates.matches(at)) kept.push(candidates.noteAt(at).path);
        const rest = candidates.rest();
        if (rest !== null) await rest;
      }
      return kept;
    },
  };
}

/** Drops what a note's text must contain: that is asked of the hit that leads further, not of what it leads to. */
function withoutText(test: Test): Test {
  switch (test.kind) {
    case 'all':
    case 'any':
      return { ...test, of: test.of.map(withoutText) };
    case 'word':
    case 'phrase':
    case 'part':
      return ANY_NOTE;
    default:
      return test;
  }
}
