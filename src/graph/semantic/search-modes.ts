import type { SearchQuery } from '../search/query/query.ts';
import type { SearchMode, SearchRequest } from '../search/search.ts';
import type { NoteEmbeddings } from './embeddings.ts';
import { isEnglish } from './english.ts';

/** How a query is answered, and which warnings go with the answer. */
export interface SearchMethod {
  readonly mode: 'keyword' | 'semantic' | 'hybrid';
  /** The vector of the query; null when it is answered by keyword. */
  readonly vector: Float32Array | null;
  readonly warnings: readonly string[];
}

/** Ends the reason why meaning was not used. */
export const ENGLISH_ONLY = 'the only language that the embedded model reads';

/** How long to wait for the query's vector, in milliseconds: when the caller did not ask for semantic search, and when they did. */
const AUTO_TIMEOUT_MS = 500;
const SEMANTIC_TIMEOUT_MS = 30_000;
/** Share of the notes that must have a vector before semantic search is used without being asked for. */
const MIN_COVERAGE = 0.95;
/** Number of queries whose further pages are answered in the mode of their first page. */
const MAX_REMEMBERED_MODES = 64;

/** Chooses between search by keyword, by meaning and by both. */
export class SearchModes {
  readonly #embeddings: NoteEmbeddings;
  readonly #modeByQuery = new Map<string, SearchMode>();

  constructor(embeddings: NoteEmbeddings) {
    this.#embeddings = embeddings;
  }

  /** Chooses the mode of a query. The next pages have the mode of the first one, so that the order does not change between them. */
  async choose(request: SearchRequest, query: SearchQuery): Promise<SearchMethod> {
    const before = (request.offset ?? 0) > 0 ? this.#modeByQuery.get(keyOf(request)) : undefined;
    const method = before === 'keyword' ? byKeyword('') : await this.#choose(request, query, before !== undefined);
    this.#remember(request, method.mode);
    return method;
  }

  /** `isNextPage`: the first page was not answered by keyword. */
  async #choose(request: SearchRequest, query: SearchQuery, isNextPage: boolean): Promise<SearchMethod> {
    const embeddings = this.#embeddings;
    const isWanted = request.mode !== 'auto';
    if (query.plainTexts.trim() === '')
      return byKeyword(isWanted ? 'the query has operators only, and no words whose meaning could be compared' : '');
    if (isWanted) await embeddings.ensureLoaded();
    const { state, reason, notes, language } = embeddings.status();
    if (state === 'off') return byKeyword(isWanted ? `nothing embeds the notes, as ${reason ?? 'there is no embedder'}` : '');
    const share = `${notes.embedded} of ${notes.all} notes are embedded so far`;
    if (isWanted && state === 'ready' && embeddings.coverage === 0)
      return byKeyword(`${share}${reason === undefined ? '' : `; ${reason}`}`);
    if (!isWanted && !isNextPage && (state !== 'ready' || embeddings.coverage < MIN_COVERAGE))
      return byKeyword(
        state === 'failed' ? `search by meaning does not work now (${reason ?? 'unknown'})` : state === 'ready' ? share : '',
      );
    if (request.mode !== 'semantic' && language === 'en' && isEnglish(query.plainTexts) === false)
      return byKeyword(`the query is not in English, ${ENGLISH_ONLY}`);
    const patience = AbortSignal.timeout(isWanted || isNextPage ? SEMANTIC_TIMEOUT_MS : AUTO_TIMEOUT_MS);
    const signal = request.signal === undefined ? patience : AbortSignal.any([patience, request.signal]);
    const vector = await embeddings.embedQuery(query.plainTexts, signal);
    request.signal?.throwIfAborted();
    if (vector === null) return byKeyword(`the query could not be embedded (${embeddings.status().reason ?? 'not in time'})`);
    const mode = request.mode === 'semantic' ? 'semantic' : 'hybrid';
    return { mode, vector, warnings: [`Searched by ${mode}${embeddings.coverage < 1 ? `: ${share}` : ''}.`] };
  }

  #remember(request: SearchRequest, mode: SearchMode): void {
    if (request.mode !== 'auto' || request.caller === undefined) return;
    const modes = this.#modeByQuery;
    const key = keyOf(request);
    modes.delete(key);
    modes.set(key, mode);
    for (const oldest of modes.keys()) if (modes.size > MAX_REMEMBERED_MODES) modes.delete(oldest);
  }
}

/** `why`: the reason for a warning; '' for none. */
function byKeyword(why: string): SearchMethod {
  return { mode: 'keyword', vector: null, warnings: why === '' ? [] : [`Searched by keyword: ${why}.`] };
}

function keyOf({ caller, query, filter }: SearchRequest): string {
  return JSON.stringify([caller, query, filter?.under, filter?.type]);
}
