import { createHash } from 'node:crypto';
import { openGraph } from '../../../src/graph/open-graph.ts';
import type { CountedGraph } from '../../../src/graph/graph.ts';
import { openSearch } from '../../../src/graph/search/open-search.ts';
import type { Search, SearchOptions } from '../../../src/graph/search/open-search.ts';
import type { SearchAnswer, SearchRequest, UnreadNotes } from '../../../src/graph/search/search.ts';
import type { SnapshotStore } from '../../../src/graph/search/worker/search-feed.ts';
import type { FileStamp } from '../../../src/graph/view.ts';
import type { NotePath } from '../../../src/note/path.ts';
import { waitFor } from '../../support/wait-for.ts';
import { noteOf } from '../graph-of.ts';

/** A graph, the texts of its notes and search over both, as the vault puts them together. */
export interface Notes {
  readonly graph: CountedGraph;
  readonly search: Search;
  readonly log: readonly string[];
  /** Every note that search read, in that order; may be cleared. */
  readonly reads: string[];
  readonly put: (path: string, text: string, isHidden?: boolean) => void;
  readonly remove: (path: string) => void;
  readonly ask: (query: string, more?: Partial<SearchRequest>) => Promise<SearchAnswer>;
  /** Paths of an answer, in its order. */
  readonly find: (query: string, more?: Partial<SearchRequest>) => Promise<string[]>;
  /** Builds the index and waits for it. */
  readonly index: () => Promise<void>;
}

/** A place for a stored index, as the vault's cache is one. */
export function shelf(bytes: Uint8Array | null = null): SnapshotStore & { held: Uint8Array | null; complaints: number } {
  return {
    held: bytes,
    complaints: 0,
    load() {
      return Promise.resolve(this.held);
    },
    outdated() {
      this.complaints += 1;
    },
    async save(pieces) {
      const copies: Uint8Array[] = [];
      for await (const piece of pieces) copies.push(piece.slice());
      this.held = new Uint8Array(Buffer.concat(copies));
    },
  };
}

/** `isUnread`: a note is not in the graph yet when search begins, which has to look at it by itself. */
export function searchOf(
  files: Readonly<Record<string, string>>,
  {
    isUnread = () => false,
    ...options
  }: Partial<Pick<SearchOptions, 'host' | 'snapshot' | 'isStartedOnDemand'>> & { readonly isUnread?: (path: string) => boolean } = {},
): Notes {
  const graph = openGraph();
  const texts = new Map<string, string>();
  const log: string[] = [];
  const reads: string[] = [];
  const keep = (message: string): void => void log.push(message);
  const unread = new Map<string, string>();
  const search = openSearch({
    graph,
    unread: () => (unread.size === 0 ? null : unreadNotes(unread, { read: put })),
    readText: (path) => {
      reads.push(path);
      return texts.get(path) ?? null;
    },
    log: { info: () => undefined, warn: keep, error: keep },
    ...options,
  });
  graph.onChange((changes) => search.follow(changes));
  function put(path: string, text: string, isHidden = false): void {
    texts.set(path, text);
    unread.delete(path);
    const hash = createHash('sha256').update(text).digest('hex');
    graph.put(noteOf(path, text), { stamp: stampOf(text), hash, isHidden });
  }
  for (const [path, text] of Object.entries(files)) {
    if (!isUnread(path)) put(path, text);
    else texts.set(path, unread.set(path, text) && text);
  }
  const ask = (query: string, more: Partial<SearchRequest> = {}): Promise<SearchAnswer> =>
    search.search({ query, mode: 'keyword', limit: 50, snippetLength: 100, ...more });
  return {
    graph,
    search,
    log,
    reads,
    put,
    ask,
    remove: (path) => {
      texts.delete(path);
      graph.remove(path as NotePath);
    },
    find: async (query, more) => (await ask(query, more)).hits.map(({ path }) => path),
    index: async () => {
      search.start();
      await waitFor(() => search.state === 'ready', { what: 'the index' });
    },
  };
}

const stampOf = (text: string): FileStamp => ({ size: text.length, mtimeNs: 0n, ctimeNs: 0n, ino: 0n });

function unreadNotes(texts: ReadonlyMap<string, string>, { read }: { readonly read: (path: string, text: string) => void }): UnreadNotes {
  return {
    each: async (look) => {
      for (const [path, text] of texts) {
        const bytes = Buffer.from(text);
        look(path as NotePath, bytes, { indexed: bytes.length, size: text.length, isHidden: () => false });
      }
    },
    read: async (paths) => {
      for (const path of paths) if (texts.has(path)) read(path, texts.get(path) ?? '');
    },
    pauseDuring: (work) => work(),
  };
}

/** Runs the same check before the notes are in the graph, while search reads them, and when the index is built. */
export async function eitherWay(files: Readonly<Record<string, string>>, check: (notes: Notes) => Promise<void>): Promise<void> {
  const early = searchOf(files, { isUnread: () => true });
  await check(early);
  await early.search.close();
  await onceRead(files, check);
}

/** Runs the same check while search reads the notes, and when the index is built. */
export async function onceRead(files: Readonly<Record<string, string>>, check: (notes: Notes) => Promise<void>): Promise<void> {
  const notes = searchOf(files);
  try {
    await check(notes);
    await notes.index();
    await check(notes);
  } finally {
    await notes.search.close();
  }
}
