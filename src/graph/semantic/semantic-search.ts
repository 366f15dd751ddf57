import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import type { NotePath } from '../../note/path.ts';
import { scopeFilter } from '../search/match/conditions.ts';
import { PageOrders } from '../search/page-orders.ts';
import { parseSearchQuery } from '../search/query/parse-query.ts';
import type { SearchQuery } from '../search/query/query.ts';
import type { ScanSource } from '../search/scan.ts';
import type { SearchAnswer, SearchHit, SearchMode, SearchRequest, SearchView } from '../search/search.ts';
import { excerptFor, snippetOf } from '../search/snippet.ts';
import type { GraphView } from '../view.ts';
import { fuseRankings } from './rank-fusion.ts';
import type { NoteEmbeddings } from './embeddings.ts';
import { sortByScore, createSemanticCandidates } from './semantic-candidates.ts';
import type { SemanticCandidates, ScoredPassage } from './semantic-candidates.ts';
import { splitIntoPassages } from './passages.ts';

/** What search in all modes needs. */
export interface SemanticSearchOptions {
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
/** How long to wait for the query's vector, in milliseconds: when the caller did not ask for semantic search, and when they did. */
const AUTO_TIMEOUT_MS = 500;
const SEMANTIC_TIMEOUT_MS = 30_000;
/** Share of the notes that must have a vector before semantic search is used without being asked for. */
const MIN_COVERAGE = 0.95;
/** Number of queries whose further pages are answered in the mode of their first page. */
const MAX_REMEMBERED_MODES = 64;

/** How a query is answered, and which warnings go with the answer. */
interface SearchMethod {
  readonly mode: 'keyword' | 'semantic' | 'hybrid';
  readonly vector: Float32Array | null;
  readonly warnings: readonly string[];
}

/** Creates search by keyword, by meaning, or by both. Falls back to keywords where embeddings are missing, and says so in a warning. */
export function createSemanticSearch(options: SemanticSearchOptions): Search {
  const { graph, keywordSearch: words, embeddings: meaning } = options;
  const orders = new PageOrders();
  const turned = new Map<string, SearchMode>();

  async function search(request: SearchRequest): Promise<SearchAnswer> {
    if (request.mode === 'keyword' || request.mode === 'exact') return words.search(request);
    const query = parseSearchQuery(request.query);
    const { mode, vector, warnings } = await wayOf(request, query);
    remember(request, mode);
    if (vector === null || mode === 'keyword') {
      const found = await words.search({ ...request, mode: 'keyword' });
      return { ...found, warnings: [...warnings, ...found.warnings] };
    }
    const near = await nearOf(request, query, vector);
    const answer = mode === 'semantic' ? await page(request, near, query) : await searchHybrid(request, near, query);
    return { ...answer, mode, warnings: [...warnings, ...answer.warnings] };
  }

  /** Chooses the mode. What was chosen for the first page holds for the next ones, so that the order does not change between two pages. */
  async function wayOf(request: SearchRequest, query: SearchQuery): Promise<SearchMethod> {
    const isWanted = request.mode !== 'auto';
    const before = (request.offset ?? 0) > 0 ? turned.get(keyOf(request)) : undefined;
    if (before === 'keyword') return { mode: 'keyword', vector: null, warnings: [] };
    const mode = request.mode === 'semantic' ? 'semantic' : 'hybrid';
    const byWords = (why: string): SearchMethod => ({
      mode: 'keyword',
      vector: null,
      warnings: why === '' ? [] : [`Searched by keyword: ${why}.`],
    });
    if (query.plainTexts.trim() === '')
      return byWords(isWanted ? 'the query has operators only, and no words whose meaning could be compared' : '');
    if (isWanted) await meaning.ensureLoaded();
    const { state, reason, notes } = meaning.status();
    if (state === 'off') return byWords(isWanted ? `nothing embeds the notes, as ${reason ?? 'there is no embedder'}` : '');
    const share = `${notes.embedded} of ${notes.all} notes are embedded so far`;
    if (isWanted && state === 'ready' && meaning.coverage === 0) return byWords(`${share}${reason === undefined ? '' : `; ${reason}`}`);
    if (!isWanted && before === undefined && (state !== 'ready' || meaning.coverage < MIN_COVERAGE))
      return byWords(state === 'failed' ? `search by meaning does not work now (${reason ?? 'unknown'})` : state === 'ready' ? share : '');
    const patience = AbortSignal.timeout(isWanted || before !== undefined ? SEMANTIC_TIMEOUT_MS : AUTO_TIMEOUT_MS);
    const signal = request.signal === undefined ? patience : AbortSignal.any([patience, request.signal]);
    const vector = await meaning.embedQuery(query.plainTexts, signal);
    request.signal?.throwIfAborted();
    if (vector === null) return byWords(`the query could not be embedded (${meaning.status().reason ?? 'not in time'})`);
    return { mode, vector, warnings: [`Searched by ${mode}${meaning.coverage < 1 ? `: ${share}` : ''}.`] };
  }

  function remember(request: SearchRequest, mode: SearchMode): void {
    if (request.mode !== 'auto' || request.caller === undefined) return;
    const key = keyOf(request);
    turned.delete(key);
    turned.set(key, mode);
    for (const oldest of turned.keys()) if (turned.size > MAX_REMEMBERED_MODES) turned.delete(oldest);
  }

  function nearOf(request: SearchRequest, query: SearchQuery, vector: Float32Array): Promise<SemanticCandidates> {
    const source: ScanSource = {
      graph,
      readText: (path) => options.readText(path),
      isInScope: scopeFilter(request.filter),
      isEverything: request.filter === undefined,
    };
    // Notes that point in another direction have nothing to do with the query.
    const notes = meaning.scoreNotes(vector).flatMap(({ path, score, at }) => (score > 0 ? [{ path, score: Math.min(1, score), at }] : []));
    return createSemanticCandidates(source, { notes: sortByScore(notes), query, version: `meaning ${graph.version}` });
  }

  async function searchHybrid(request: SearchRequest, near: SemanticCandidates, query: SearchQuery): Promise<SearchAnswer> {
    const { limit: _limit, offset: _offset, caller: _caller, ...asked } = request;
    const found = await words.search({ ...asked, mode: 'keyword', limit: FUSED_HITS, snippetLength: 0 });
    const byMeaning = await firstOf(near);
    const passages = new Map(byMeaning.map((note) => [note.path, note.at]));
    const byWords = found.hits.map(({ path }) => path);
    const notes = fuseRankings([byWords, byMeaning.map(({ path }) => path)]).map(({ key, score }): ScoredPassage => ({
      path: key as NotePath,
      score,
      at: passages.get(key as NotePath) ?? null,
    }));
    const worded = new Set<NotePath>(byWords);
    const { hits, total, isLowerBound } = await page(
      request,
      reorder(near, notes, (path) => options.readText(path) ?? ''),
      query,
      worded,
    );
    const isMore = isLowerBound || found.isLowerBound || found.total > byWords.length || near.size > byMeaning.length;
    return { hits, total, isLowerBound: isMore, mode: 'hybrid', by: found.by, warnings: found.warnings };
  }

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

  async function page(
    request: SearchRequest,
    near: SemanticCandidates,
    query: SearchQuery,
    worded: ReadonlySet<NotePath> = new Set(),
  ): Promise<SearchAnswer> {
    const hits: SearchHit[] = [];
    const extent = await orders.page(request, near, ({ candidate, at }) => {
      const note = near.noteAt(candidate);
      const shown = showNote(
        { ...note, at: near.passageAt(candidate) },
        request,
        { query, isWorded: worded.has(note.path) },
        near.textAt(candidate),
      );
      hits.push({ path: note.path, score: note.score, at, ...shown });
    });
    return { hits, ...extent, mode: 'semantic', by: 'index', warnings: query.warnings };
  }

  /** Shows the matching passage, or the words of the query where the note contains them. */
  function showNote(
    { path, at }: ScoredPassage,
    { snippetLength: length, wholeLength: whole = -1 }: SearchRequest,
    { query, isWorded }: { readonly query: SearchQuery; readonly isWorded: boolean },
    text: string,
  ): Pick<SearchHit, 'snippet' | 'isWhole' | 'section'> {
    const passage = at === null || at === 0 ? undefined : splitIntoPassages({ title: graph.get(path)?.title ?? '', text })[at];
    const section = passage === undefined || passage.section === '' ? {} : { section: passage.section };
    if (length <= 0) return { snippet: '', isWhole: false, ...section };
    const clauses = query.shown.words.flatMap((word) => query.words[word] ?? []);
    if (isWorded || passage === undefined || text.length - bodyStartOf(text) <= whole)
      return { ...excerptFor(text, { clauses, literals: query.shown.literals }, { length, whole }), ...section };
    return { snippet: snippetOf(text.slice(passage.start).trimStart(), { clauses: [], literals: [] }, length), isWhole: false, ...section };
  }

  return {
    search,
    embeddings: meaning,
    get state() {
      return words.state;
    },
  };
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

function keyOf({ caller, query, filter }: SearchRequest): string {
  return JSON.stringify([caller, query, filter?.under, filter?.type]);
}
