import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import type { NotePath } from '../../note/path.ts';
import { scopeFilter } from '../search/match/conditions.ts';
import { PageOrders } from '../search/page-orders.ts';
import { parseSearchQuery } from '../search/query/parse-query.ts';
import type { SearchQuery } from '../search/query/query.ts';
import type { ScanSource } from '../search/scan.ts';
import type { SearchAnswer, SearchHit, SearchRequest, SearchView } from '../search/search.ts';
import { excerptFor, snippetOf } from '../search/snippet.ts';
import type { GraphView } from '../view.ts';
import type { NoteEmbeddings } from './embeddings.ts';
import { splitIntoPassages } from './passages.ts';
import type { Passage } from './passages.ts';
import { fuseRankings } from './rank-fusion.ts';
import { SearchModes } from './search-modes.ts';
import { sortByScore, createSemanticCandidates } from './semantic-candidates.ts';
import type { SemanticCandidates, ScoredPassage } from './semantic-candidates.ts';

/** What search in all modes needs. */
interface SemanticSearchOptions {
  readonly graph: GraphView;
  readText(path: NotePath): string | null;
  readonly keywordSearch: SearchView;
  readonly embeddings: NoteEmbeddings;
}

/** Finding notes by words and by meaning. */
export interface Search extends SearchView {
  /** Vectors of notes and queries. They are there without an embedder too, and say that there is none. */
  readonly embeddings: NoteEmbeddings;
}

/** How many of the best hits of each ranking are fused. */
const FUSED_HITS = 100;
/** Maximum notes read for the semantic ranking where the query has conditions on their text. */
const MAX_EXAMINED = 300;

/** Searches by keyword, by meaning, or by both. Falls back to keywords where embeddings are missing, and says so in a warning. */
export class SemanticSearch implements Search {
  readonly embeddings: NoteEmbeddings;
  readonly #options: SemanticSearchOptions;
  readonly #modes: SearchModes;
  readonly #orders = new PageOrders();

  constructor(options: SemanticSearchOptions) {
    this.#options = options;
    this.embeddings = options.embeddings;
    this.#modes = new SearchModes(options.embeddings);
  }

  get state(): Search['state'] {
    return this.#options.keywordSearch.state;
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    const { keywordSearch } = this.#options;
    if (request.mode === 'keyword' || request.mode === 'exact') return keywordSearch.search(request);
    const query = parseSearchQuery(request.query);
    const { mode, vector, warnings } = await this.#modes.choose(request, query);
    if (vector === null) {
      const found = await keywordSearch.search({ ...request, mode: 'keyword' });
      return { ...found, warnings: [...warnings, ...found.warnings] };
    }
    const near = await this.#findNear(request, query, vector);
    const answer = mode === 'semantic' ? await this.#page(request, near, query) : await this.#searchHybrid(request, near, query);
    return { ...answer, mode, warnings: [...warnings, ...answer.warnings] };
  }

  #findNear(request: SearchRequest, query: SearchQuery, vector: Float32Array): Promise<SemanticCandidates> {
    const { graph } = this.#options;
    const source: ScanSource = {
      graph,
      readText: (path) => this.#options.readText(path),
      isInScope: scopeFilter(request.filter),
      isEverything: request.filter === undefined,
    };
    // Notes that point in another direction have nothing to do with the query.
    const notes = this.embeddings
      .scoreNotes(vector)
      .flatMap(({ path, score, at }) => (score > 0 ? [{ path, score: Math.min(1, score), at }] : []));
    return createSemanticCandidates(source, { notes: sortByScore(notes), query, version: `meaning ${graph.version}` });
  }

  async #searchHybrid(request: SearchRequest, near: SemanticCandidates, query: SearchQuery): Promise<SearchAnswer> {
    const { limit: _limit, offset: _offset, caller: _caller, ...asked } = request;
    const found = await this.#options.keywordSearch.search({ ...asked, mode: 'keyword', limit: FUSED_HITS, snippetLength: 0 });
    const byMeaning = await firstOf(near);
    const passages = new Map(byMeaning.map((note) => [note.path, note.at]));
    const byWords = found.hits.map(({ path }) => path);
    const notes = fuseRankings([byWords, byMeaning.map(({ path }) => path)]).map(({ key, score }): ScoredPassage => ({
      path: key as NotePath,
      score,
      at: passages.get(key as NotePath) ?? null,
    }));
    const fused = reorder(near, notes, (path) => this.#options.readText(path) ?? '');
    const { hits, total, isLowerBound } = await this.#page(request, fused, query, new Set(byWords));
    const isMore = isLowerBound || found.isLowerBound || found.total > byWords.length || near.size > byMeaning.length;
    return { hits, total, isLowerBound: isMore, mode: 'hybrid', by: found.by, warnings: found.warnings };
  }

  /** `worded`: the notes that contain the words of the query. */
  async #page(
    request: SearchRequest,
    near: SemanticCandidates,
    query: SearchQuery,
    worded: ReadonlySet<NotePath> = new Set(),
  ): Promise<SearchAnswer> {
    const hits: SearchHit[] = [];
    const extent = await this.#orders.page(request, near, ({ candidate, at }) => {
      const { path, score } = near.noteAt(candidate);
      const text = near.textAt(candidate);
      const title = this.#options.graph.get(path)?.title ?? '';
      const passage = passageOf({ title, text }, near.passageAt(candidate));
      hits.push({ path, score, at, ...excerptOf(text, passage, request, { query, isWorded: worded.has(path) }) });
    });
    return { hits, ...extent, mode: 'semantic', by: 'index', warnings: query.warnings };
  }
}

/** Returns the best candidates, as many as are fused. */
async function firstOf(near: SemanticCandidates): Promise<readonly ScoredPassage[]> {
  const first: ScoredPassage[] = [];
  const end = near.areCertain ? near.size : Math.min(near.size, MAX_EXAMINED);
  for (let at = 0; at < end && first.length < FUSED_HITS; at += 1) {
    if (near.areCertain || near.matches(at)) first.push({ ...near.noteAt(at), at: near.passageAt(at) });
    const rest = near.rest();
    if (rest !== null) await rest;
  }
  return first;
}

/** Returns a passage of a note; null for its beginning, or none. */
function passageOf(note: { readonly title: string; readonly text: string }, at: number | null): Passage | null {
  return at === null || at === 0 ? null : (splitIntoPassages(note)[at] ?? null);
}

/** Shows the matching passage, or the words of the query where the note contains them. */
function excerptOf(
  text: string,
  passage: Passage | null,
  { snippetLength: length, wholeLength: whole = -1 }: SearchRequest,
  { query, isWorded }: { readonly query: SearchQuery; readonly isWorded: boolean },
): Pick<SearchHit, 'snippet' | 'isWhole' | 'section'> {
  const section = passage === null || passage.section === '' ? {} : { section: passage.section };
  if (length <= 0) return { snippet: '', isWhole: false, ...section };
  const clauses = query.shown.words.flatMap((word) => query.words[word] ?? []);
  if (isWorded || passage === null || text.length - bodyStartOf(text) <= whole)
    return { ...excerptFor(text, { clauses, literals: query.shown.literals }, { length, whole }), ...section };
  return { snippet: snippetOf(text.slice(passage.start).trimStart(), { clauses: [], literals: [] }, length), isWhole: false, ...section };
}

/** Reorders candidates that are known to match. */
function reorder(near: SemanticCandidates, notes: readonly ScoredPassage[], textOf: (path: NotePath) => string): SemanticCandidates {
  const places = new Map(notes.map((note, at) => [note.path, at]));
  return {
    ...near,
    size: notes.length,
    areCertain: true,
    inOrder: () => notes.keys(),
    noteAt: (at) => notes[at]!,
    passageAt: (at) => notes[at]?.at ?? null,
    find: (path) => places.get(path) ?? null,
    matches: () => true,
    textAt: (at) => textOf(notes[at]!.path),
    rest: () => null,
  };
}
