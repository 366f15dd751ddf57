import { countLines } from '../../note/text.ts';
import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import type { NotePath } from '../../note/path.ts';
import { scopeFilter } from '../search/match/conditions.ts';
import { PageOrders } from '../search/page-orders.ts';
import { parseSearchQuery } from '../search/query/parse-query.ts';
import type { SearchQuery } from '../search/query/query.ts';
import type { ScanSource } from '../search/scan.ts';
import type { SearchAnswer, SearchHit, SearchRequest, SearchView } from '../search/search.ts';
import type { PlaceInNote } from '../search/place-in-note.ts';
import { excerptFor, snippetOf, toSnippetQuery } from '../search/snippet.ts';
import type { SnippetQuery } from '../search/find-hits.ts';
import type { GraphView, NoteEntry } from '../view.ts';
import type { NoteEmbeddings, ScoredNotes } from './embeddings.ts';
import { confidenceByMeaning, fieldOf } from './fusion.ts';
import { FUSED_HITS, fuseOrders } from './hybrid.ts';
import { placesOfPassages } from './passages.ts';
import type { PassagePlace } from './passages.ts';
import { ENGLISH_ONLY, SearchModes } from './search-modes.ts';
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

/** The notes by meaning that meet the conditions of a query, and the similarities of all that do as far as that is known without reading. */
interface Near {
  readonly candidates: SemanticCandidates;
  readonly similar: ScoredNotes;
}

/** Hits by words whose scores count where they are among the best by meaning too. */
const KNOWN_HITS = 200;
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
    if (vector === null) return this.#searchByWords(request, warnings);
    const near = await this.#findNear(request, query, vector);
    const said = [...warnings, ...tellWhatWaits(near.similar)];
    if (mode === 'hybrid') return this.#searchHybrid(request, near, { query, warnings: said });
    const first = near.candidates.size > 0 ? near.candidates.noteAt(0).score : 0;
    const confidence = (request.offset ?? 0) > 0 ? null : confidenceByMeaning(first, fieldOf(near.similar));
    const answer = await this.#page(request, near.candidates, { query, rarities: [] });
    return { ...answer, confidence, warnings: [...said, ...answer.warnings] };
  }

  async #searchByWords(request: SearchRequest, warnings: readonly string[]): Promise<SearchAnswer> {
    const found = await this.#options.keywordSearch.search({ ...request, mode: 'keyword' });
    return { ...found, warnings: [...warnings, ...found.warnings] };
  }

  async #findNear(request: SearchRequest, query: SearchQuery, vector: Float32Array): Promise<Near> {
    const { graph } = this.#options;
    const readText = (path: NotePath): string | null => this.#options.readText(path);
    const source: ScanSource = {
      graph,
      readText,
      isInScope: scopeFilter(request.filter, graph),
      isEverything: request.filter === undefined,
    };
    const filtered = (notes: ScoredNotes): Promise<SemanticCandidates> =>
      createSemanticCandidates(source, {
        notes: sortByScore(notes.map(({ path, score, at }) => ({ path, score: Math.min(1, score), at }))),
        query,
        version: `meaning ${graph.version}`,
      });
    const all = this.embeddings.scoreNotes(vector);
    // Notes that point in another direction have nothing to do with the query, but the mean is of all that meet its conditions.
    const candidates = await filtered(all.filter(({ score }) => score > 0));
    if (!candidates.areCertain) return { candidates, similar: all };
    const others = await filtered(all.filter(({ score }) => score <= 0));
    if (candidates.size + others.size === all.length) return { candidates, similar: all };
    const similar = all.filter(({ path }) => candidates.find(path) !== null || others.find(path) !== null);
    return { candidates, similar };
  }

  /** Fuses the first notes of both orders; the rest of those with the words follows. */
  async #searchHybrid(
    request: SearchRequest,
    { candidates, similar }: Near,
    { query, warnings }: { readonly query: SearchQuery; readonly warnings: readonly string[] },
  ): Promise<SearchAnswer> {
    const { limit, offset = 0, caller: _caller, ...asked } = request;
    const wanted = Math.max(KNOWN_HITS, offset + limit + FUSED_HITS);
    const found = await this.#options.keywordSearch.search({ ...asked, mode: 'keyword', limit: wanted, snippetLength: 0 });
    const { graph } = this.#options;
    const readText = (path: NotePath): string | null => this.#options.readText(path);
    const read = (path: NotePath): ReturnType<Parameters<typeof fuseOrders>[0]['read']> => {
      const [entry, text] = [graph.get(path), readText(path)];
      return entry === null || text === null ? null : { entry, text };
    };
    const order = await fuseOrders(
      { query, found, near: await firstOf(candidates), similar, read },
      this.embeddings.status().language === 'en',
    );
    if (order === null) return this.#searchByWords(request, [`Searched by keyword: the notes are not in English, ${ENGLISH_ONLY}.`]);
    const last = order.notes.at(-1)?.score ?? 1;
    const fused = new Set(order.notes.map(({ path }) => path));
    const rest = found.hits.filter(({ path }) => !fused.has(path)).map(({ path, score }) => ({ path, score: last * score, at: null }));
    const notes: readonly ScoredPassage[] = [...order.notes, ...rest];
    const { hits, total } = await this.#page(
      request,
      reorder(candidates, notes, (path) => readText(path) ?? ''),
      { query, rarities: found.rarities },
    );
    const added = order.notes.filter(({ isWorded }) => !isWorded).length;
    return {
      hits,
      total: Math.max(total, found.total + added),
      isLowerBound: found.isLowerBound,
      confidence: offset > 0 ? null : order.confidence,
      mode: 'hybrid',
      by: found.by,
      rarities: found.rarities,
      warnings: [...warnings, ...found.warnings],
    };
  }

  async #page(
    request: SearchRequest,
    notes: SemanticCandidates,
    { query, rarities }: { readonly query: SearchQuery } & Pick<SearchAnswer, 'rarities'>,
  ): Promise<Omit<SearchAnswer, 'confidence'>> {
    const hits: SearchHit[] = [];
    const shown = toSnippetQuery(query, rarities);
    const extent = await this.#orders.page(request, notes, ({ candidate, at }) => {
      const { path, score, isWorded = false, byWords } = notes.noteAt(candidate);
      const text = notes.textAt(candidate);
      const passage = passageOf(this.#options.graph.get(path), { text, at: notes.passageAt(candidate) });
      const excerpt = excerptOf(text, passage, request, { shown, isWorded });
      hits.push({ path, score, at, ...excerpt, ...(byWords === undefined ? {} : { byWords }) });
    });
    return { hits, ...extent, mode: 'semantic', by: 'index', rarities: [], warnings: query.warnings };
  }
}

/** Says how many passages of the notes that were compared still wait; empty where none does. */
function tellWhatWaits(similar: ScoredNotes): readonly string[] {
  const [all, embedded] = [similar.reduce((sum, note) => sum + note.passages, 0), similar.reduce((sum, note) => sum + note.embedded, 0)];
  return embedded < all ? [`Of their passages ${embedded} of ${all} are embedded so far.`] : [];
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
function passageOf(entry: NoteEntry | null, { text, at }: { readonly text: string; readonly at: number | null }): PassagePlace | null {
  return entry === null || at === null || at === 0 ? null : (placesOfPassages(entry, text)[at] ?? null);
}

/** Shows the matching passage, or the words of the query where the note contains them. */
function excerptOf(
  text: string,
  passage: PassagePlace | null,
  { snippetLength: length, wholeLength: whole = -1 }: SearchRequest,
  { shown, isWorded }: { readonly shown: SnippetQuery; readonly isWorded: boolean },
): Pick<SearchHit, 'snippet' | 'isWhole' | 'place'> {
  const place = passage === null ? {} : { place: placeOf(text, passage) };
  if (length <= 0) return { snippet: '', isWhole: false, ...place };
  if (isWorded || passage === null || text.length - bodyStartOf(text) <= whole)
    return { ...place, ...excerptFor(text, shown, { length, whole }) };
  return { snippet: snippetOf(text.slice(passage.start).trimStart(), { clauses: [], literals: [] }, length), isWhole: false, ...place };
}

function placeOf(text: string, { start, section }: PassagePlace): PlaceInNote {
  return { start, line: countLines(text, 0, start) + 1, heading: section };
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
