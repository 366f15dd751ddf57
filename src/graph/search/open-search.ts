import { errorMessage } from '../../errors.ts';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { Log } from '../../ports.ts';
import type { GraphChange, GraphView } from '../view.ts';
import { noteFilter } from './filter.ts';
import { openInvertedIndex } from './inverted/inverted-index.ts';
import { parseSearchQuery, phraseClauses } from './query.ts';
import type { SearchQuery } from './query.ts';
import { keepMatching, scanExactly, scanNotes } from './scan.ts';
import type { ScanSource, ScoredNote } from './scan.ts';
import type { SearchAnswer, SearchRequest, SearchView } from './search.ts';
import { snippetOf } from './snippet.ts';
import type { SnippetQuery } from './snippet.ts';
import { SearchFeed } from './worker/search-feed.ts';
import type { SnapshotStore } from './worker/search-feed.ts';
import type { SearchHost } from './worker/search-host.ts';
import { openSearchSlices } from './worker/search-slices.ts';
import { openSearchThread } from './worker/search-thread.ts';

/** Search with its life: it answers from the first moment, by reading the notes until the index is built. */
export interface Search extends SearchView {
  /** Begins to build the index in the background; called when the graph is complete. */
  start(): void;
  /** Takes over changes of the graph. Before `start` there is nothing to do: building reads the graph as it is then. */
  follow(changes: readonly GraphChange[]): void;
  /** Stores the index, when there is one and a place for it. */
  save(): Promise<void>;
  close(): Promise<void>;
}

/** What search needs from outside. */
export interface SearchOptions {
  readonly graph: GraphView;
  /** The text of a note as it is now, or null when it is gone. */
  readText(path: NotePath): string | null;
  readonly log: Log;
  readonly snapshot?: SnapshotStore;
  /** Where the index works: in a thread of its own, or in slices on this one. Left out: in a thread, when run from JavaScript. */
  readonly host?: () => SearchHost;
}

/** Characters of changed notes that a search still waits for; with more it reads the notes instead. */
const MOST_AWAITED = 65_536;

/** Opens search over a graph. Nothing is read before `start` or the first search. */
export function openSearch(options: SearchOptions): Search {
  const { graph, log } = options;
  const feed = new SearchFeed({ ...options, host: options.host ?? defaultHost });

  async function search(request: SearchRequest): Promise<SearchAnswer> {
    const query = request.mode === 'exact' ? null : parseSearchQuery(request.query);
    const isLiteral = query === null || isEmpty(query);
    const literal = request.query.trim();
    if (isLiteral && literal === '') return { hits: [], total: 0, by: 'scan' };
    const source: ScanSource = {
      graph,
      readText: (path) => options.readText(path),
      filter: noteFilter(graph, { query, filter: request.filter }),
    };
    if (isLiteral)
      return answer(request, { found: await scanExactly(source, literal), by: 'scan', show: { clauses: [], literals: [literal] } });
    const ranked = await askIndex(source, query);
    const found = ranked ?? (await scanNotes(source, query));
    const show = { clauses: query.clauses, literals: query.phrases };
    return answer(request, { found, by: ranked === null ? 'scan' : 'index', show });
  }

  /** Null when the index cannot tell: not complete, too far behind, broken, or a phrase without any word it knows. */
  async function askIndex(source: ScanSource, query: SearchQuery): Promise<ScoredNote[] | null> {
    const must = query.phrases.map(phraseClauses);
    if (must.some((clauses) => clauses.length === 0) || feed.isBehind(MOST_AWAITED)) return null;
    const within = query.conditions.flatMap((condition) => (condition.kind === 'property' ? phraseClauses(condition.key) : []));
    try {
      const ranked = await feed.rank({ clauses: query.clauses, must: must.flat(), within, without: query.without.clauses });
      const mayHoldUnwanted = await notesWithWordsOf(query.without.phrases);
      return await keepMatching(source, { ranked, mayHoldUnwanted, query });
    } catch (error) {
      if (!feed.isOff) throw error;
      return null;
    }
  }

  /** The notes with all words of one of the phrases, which may hold it. */
  async function notesWithWordsOf(phrases: readonly string[]): Promise<ReadonlySet<string>> {
    const notes = new Set<string>();
    for (const phrase of phrases) {
      for (const { path } of await feed.rank({ clauses: [], must: phraseClauses(phrase), within: [], without: [] })) notes.add(path);
    }
    return notes;
  }

  function answer(request: SearchRequest, from: { found: ScoredNote[]; by: SearchAnswer['by']; show: SnippetQuery }): SearchAnswer {
    const offset = request.offset ?? 0;
    const page = from.found.sort(byScoreThenPath).slice(offset, offset + request.limit);
    const hits = page.map(({ path, score }) => ({
      path,
      score,
      snippet: snippetOf(options.readText(path) ?? '', from.show, request.snippetLength),
    }));
    return { hits, total: from.found.length, by: from.by };
  }

  return {
    search,
    get state() {
      return feed.state;
    },
    start: () => feed.start(),
    follow: (changes) => feed.follow(changes),
    save: async () => {
      try {
        await feed.save();
      } catch (error) {
        log.warn(`The search index could not be stored, and will be built again next time: ${errorMessage(error)}`);
      }
    },
    close: () => feed.close(),
  };
}

function defaultHost(): SearchHost {
  return import.meta.url.endsWith('.ts') ? openSearchSlices(openInvertedIndex()) : openSearchThread();
}

function isEmpty(query: SearchQuery): boolean {
  const { clauses, phrases, conditions, without } = query;
  return [clauses, phrases, conditions, without.clauses, without.phrases, without.conditions].every((list) => list.length === 0);
}

function byScoreThenPath(a: ScoredNote, b: ScoredNote): number {
  return b.score - a.score || compareText(a.path, b.path);
}
