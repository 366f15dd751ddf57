import type { NotePath } from '../../note/path.ts';
import { explainHits } from '../search/explain-hits.ts';
import type { Candidates } from '../search/candidates.ts';
import { scopeFilter } from '../search/match/conditions.ts';
import { PageOrders } from '../search/page-orders.ts';
import { parseSearchQuery } from '../search/query/parse-query.ts';
import type { ScanSource } from '../search/scan.ts';
import type { SearchAnswer, SearchHit, SearchRequest } from '../search/search.ts';
import { excerptFor, snippetOf, toSnippetQuery } from '../search/snippet.ts';
import type { SnippetQuery } from '../search/find-hits.ts';
import { splitIntoPassages } from '../semantic/passages.ts';
import { SemanticSearch } from '../semantic/semantic-search.ts';
import type { Search } from '../semantic/semantic-search.ts';
import { followHops } from './follow-hops.ts';
import type { HopNote } from './follow-hops.ts';
import { createHopSource } from './hop-source.ts';

type SearchOptions = ConstructorParameters<typeof SemanticSearch>[0];

/** Hits that are ranked together with what the first of them lead to. An answer with hops has no others. */
const MAX_HITS = 100;

/** A search whose first hits are followed to other notes where a request wants that. */
export class HopSearch implements Search {
  readonly embeddings: Search['embeddings'];
  readonly #options: SearchOptions;
  readonly #search: SemanticSearch;
  readonly #orders = new PageOrders();

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#search = new SemanticSearch(options);
    this.embeddings = options.embeddings;
  }

  get state(): Search['state'] {
    return this.#search.state;
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    const answer = request.hops === 1 ? await this.#searchWithHops(request) : await this.#search.search(request);
    return request.isExplained === true && request.mode !== 'exact'
      ? { ...answer, hits: explainHits(answer, parseSearchQuery(request.query), this.#options) }
      : answer;
  }

  async #searchWithHops(request: SearchRequest): Promise<SearchAnswer> {
    const { graph, keywordSearch } = this.#options;
    const { limit: _limit, offset: _offset, caller: _caller, hops: _hops, ...asked } = request;
    const found = await this.#search.search({ ...asked, limit: MAX_HITS, snippetLength: 0 });
    const query = request.mode === 'exact' ? null : parseSearchQuery(request.query);
    const shown: SnippetQuery = query === null ? { clauses: [], literals: [request.query.trim()] } : toSnippetQuery(query, found.rarities);
    const source: ScanSource = {
      graph,
      readText: (path) => this.#options.readText(path),
      isInScope: scopeFilter(request.filter, graph),
      isEverything: request.filter === undefined,
    };
    const notes = await followHops(createHopSource(source, { request, query, keywordSearch }), { query, shown }, found.hits);
    const hits: SearchHit[] = [];
    const order = listCandidates(notes, { version: `hops ${graph.version}`, readText: (path) => this.#options.readText(path) });
    const extent = await this.#orders.page(request, order, ({ candidate, at }) => {
      hits.push(
        toHit(
          notes[candidate]!,
          { at, title: graph.get(notes[candidate]!.path)?.title ?? '', text: order.textAt(candidate) },
          { request, shown },
        ),
      );
    });
    return {
      ...found,
      confidence: (request.offset ?? 0) > 0 ? null : found.confidence,
      hits,
      ...extent,
      isLowerBound: extent.isLowerBound || found.isLowerBound || found.total > found.hits.length,
    };
  }
}

function toHit(
  note: HopNote,
  { at, title, text }: { readonly at: number; readonly title: string; readonly text: string },
  { request, shown }: { readonly request: SearchRequest; readonly shown: SnippetQuery },
): SearchHit {
  const { snippetLength: length, wholeLength: whole = -1 } = request;
  if (length <= 0) return { ...note, at, snippet: '', isWhole: false };
  const excerpt = excerptFor(text, shown, { length, whole });
  const heading = note.place?.heading ?? '';
  if (heading === '' || excerpt.isWhole) return { ...note, at, ...excerpt };
  const start = splitIntoPassages({ title, text }).find(({ section }) => section === heading)?.start ?? 0;
  const snippet = snippetOf(text.slice(start).trimStart(), { clauses: [], literals: [] }, length);
  return { ...note, at, snippet, isWhole: false };
}

/** Returns candidates in the order of a list. */
function listCandidates(
  notes: readonly HopNote[],
  { version, readText }: { readonly version: string; readonly readText: (path: NotePath) => string | null },
): Candidates {
  const places = new Map(notes.map(({ path }, at) => [path, at]));
  return {
    size: notes.length,
    areCertain: true,
    version,
    inOrder: () => notes.keys(),
    noteAt: (at) => notes[at]!,
    find: (path) => places.get(path) ?? null,
    matches: () => true,
    textAt: (at) => readText(notes[at]!.path) ?? '',
    rest: () => null,
  };
}
