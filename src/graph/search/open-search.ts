import { errorMessage } from '../../errors.ts';
import type { NotePath } from '../../note/path.ts';
import type { Log } from '../../ports.ts';
import type { GraphChange, GraphView } from '../view.ts';
import { confidenceByWords } from './bm25.ts';
import { candidatesFrom, candidatesOf } from './candidates.ts';
import type { Candidates } from './candidates.ts';
import { openInvertedIndex } from './inverted/inverted-index.ts';
import { scopeFilter } from './match/conditions.ts';
import { toTermQuery } from './match/matcher.ts';
import { PageOrders } from './page-orders.ts';
import { parseSearchQuery } from './query/parse-query.ts';
import type { SearchQuery } from './query/query.ts';
import { scanExactly, scanNotes } from './scan.ts';
import type { ScanSource } from './scan.ts';
import type { SearchAnswer, SearchHit, SearchRequest, SearchView, UnreadNotes } from './search.ts';
import { excerptFor, toSnippetQuery } from './snippet.ts';
import type { SnippetQuery } from './find-hits.ts';
import { SearchFeed } from './worker/search-feed.ts';
import type { SnapshotStore } from './worker/search-feed.ts';
import type { SearchHost } from './worker/search-host.ts';
import { openSearchSlices } from './worker/search-slices.ts';
import { openSearchThread } from './worker/search-thread.ts';

/** Search with a life cycle. It answers from the start by reading notes until the index is built. */
export interface Search extends SearchView {
  /** Starts building the index in the background. Call it when the graph is complete. */
  start(): void;
  /** Handles changes of the graph. Does nothing before `start`, since building reads the graph. */
  follow(changes: readonly GraphChange[]): void;
  /** Stores the index, if there is one and a store. Returns false if notes changed meanwhile, so that it is to be tried again. */
  save(): Promise<boolean>;
  close(): Promise<void>;
}

/** Options of `openSearch`. */
export interface SearchOptions {
  readonly graph: GraphView;
  /** Returns the present text of a note; null when it was removed. With a hash, the text with that hash if roux has just written it. */
  readonly readText: (path: NotePath, hash?: string) => string | null;
  readonly log: Log;
  readonly snapshot?: SnapshotStore;
  /** Returns the notes that are not in the graph yet; null where search does not look for them. */
  readonly unread?: () => UnreadNotes | null;
  /** Whether the first search loads or builds the index if `start` was not called yet. */
  readonly isStartedOnDemand?: boolean;
  /** Where the index runs: in its own thread, or in slices on this one. By default in a thread when run from JavaScript. */
  readonly host?: () => SearchHost;
}

/** The notes that may be in an answer, and how much the words of the query tell. */
type Found = { readonly found: Candidates } & Pick<SearchAnswer, 'rarities'>;

/** Characters of changed notes that a search waits for; with more it reads the notes. */
const MAX_AWAITED_CHANGES = 65_536;

/** Hits that are put into the graph before their turn, since an answer shows what it knows of them. */
const MAX_SHOWN = 100;

const NO_EXCERPT = { snippet: '', isWhole: false };

/** Opens search over a graph. Nothing is read before `start` or the first search. */
export function openSearch(options: SearchOptions): Search {
  const { graph, log } = options;
  const orders = new PageOrders();
  const feed = new SearchFeed({ ...options, host: options.host ?? defaultHost });

  async function search(request: SearchRequest): Promise<SearchAnswer> {
    const unread = options.unread?.() ?? null;
    if (unread === null) return searchAmong(request, null);
    return unread.pauseDuring(async () => {
      const found = await searchAmong(request, unread);
      await unread.read(found.hits.slice(0, MAX_SHOWN).map(({ path }) => path));
      return found;
    });
  }

  async function searchAmong(request: SearchRequest, unread: UnreadNotes | null): Promise<SearchAnswer> {
    const query = request.mode === 'exact' ? null : parseSearchQuery(request.query);
    const literal = request.query.trim();
    const source = sourceOf(options, request);
    if (query === null || query.isBlank) {
      const notes = literal === '' ? [] : await scanExactly(await addUnread(source, { unread, wanted: literal, request }), literal);
      const found = candidatesFrom(source, notes, version('scan'));
      return answer(request, {
        found,
        by: 'scan',
        rarities: [],
        show: { clauses: [], literals: [literal] },
        warnings: query?.warnings ?? [],
      });
    }
    // The index leaves reserved files out, and there are few.
    const areReserved = request.filter?.areReserved === true;
    const ranked = areReserved || unread !== null ? null : await askIndex(source, query);
    if (ranked !== null)
      return answer(request, { ...ranked, by: 'index', show: toSnippetQuery(query, ranked.rarities), warnings: query.warnings });
    const { notes, rarities, unknownWords } = await scanNotes(await addUnread(source, { unread, wanted: query, request }), query);
    const warnings = [...query.warnings, ...(areReserved ? [] : warnOfUnknown(unknownWords, feed.state))];
    return answer(request, {
      found: candidatesFrom(source, notes, version('scan')),
      by: 'scan',
      rarities,
      show: toSnippetQuery(query, rarities),
      warnings,
    });
  }

  /** Returns null when the index cannot answer: incomplete, too far behind, or broken. */
  async function askIndex(source: ScanSource, query: SearchQuery): Promise<Found | null> {
    if (options.isStartedOnDemand === true) feed.start();
    await feed.loaded();
    if (feed.isBehind(MAX_AWAITED_CHANGES)) return null;
    try {
      const of = version('index');
      const found = await feed.rank(toTermQuery(query));
      return {
        found: await candidatesOf(source, { ranked: found, query, version: of, answersOf: (test) => feed.answersOf(test) }),
        rarities: found.rarities,
      };
    } catch (error) {
      if (!feed.isOff) throw error;
      return null;
    }
  }

  function version(by: SearchAnswer['by']): string {
    return `${by} ${graph.version}`;
  }

  async function answer(
    request: SearchRequest,
    { found, by, rarities, show, warnings }: Found & { show: SnippetQuery } & Pick<SearchAnswer, 'by' | 'warnings'>,
  ): Promise<SearchAnswer> {
    const { snippetLength: length, wholeLength: whole = -1 } = request;
    const hits: SearchHit[] = [];
    const extent = await orders.page(request, found, ({ candidate, at }) => {
      const excerpt = length > 0 ? excerptFor(found.textAt(candidate), show, { length, whole }) : NO_EXCERPT;
      hits.push({ ...found.noteAt(candidate), at, ...excerpt });
    });
    const isExact = request.mode === 'exact';
    const confidence = isExact || (request.offset ?? 0) > 0 ? null : confidenceByWords(hits[0]?.score ?? 0);
    return { hits, ...extent, confidence, mode: isExact ? 'exact' : 'keyword', by, rarities, warnings };
  }

  return {
    search,
    get state() {
      return feed.state;
    },
    start: () => feed.start(),
    follow: (changes) => feed.follow(changes),
    save: () =>
      feed.save().catch((error: unknown) => {
        log.warn(`The search index could not be stored, and will be built again next time: ${errorMessage(error)}`);
        return true;
      }),
    close: () => feed.close(),
  };
}

function sourceOf({ graph, readText }: SearchOptions, { filter, signal }: SearchRequest): ScanSource {
  return { graph, readText, isInScope: scopeFilter(filter, graph), isEverything: filter === undefined, signal };
}

interface Sought {
  readonly unread: UnreadNotes | null;
  readonly wanted: SearchQuery | string;
  readonly request: SearchRequest;
}

async function addUnread(source: ScanSource, { unread, wanted, request: { filter } }: Sought): Promise<ScanSource> {
  // Only a first start needs it.
  return unread === null ? source : (await import('./unread.ts')).withUnread(source, unread, wanted, filter?.type !== undefined);
}

function defaultHost(): SearchHost {
  return import.meta.url.endsWith('.ts') ? openSearchSlices(openInvertedIndex()) : openSearchThread();
}

/** Warns that a scan, which otherwise gives the index's results, does not find misspelt words. */
function warnOfUnknown(words: readonly string[], state: SearchView['state']): string[] {
  if (words.length === 0) return [];
  const why = state === 'off' ? 'there is no search index' : 'the search index is not complete yet';
  return [
    `No note has ${words.map((word) => JSON.stringify(word)).join(', ')}; as ${why}, the notes themselves were read, and words spelt alike were not looked for.`,
  ];
}
