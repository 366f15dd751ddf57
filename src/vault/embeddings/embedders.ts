import { errorMessage } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NotePath } from '../../note/path.ts';
import type { Embedder, EmbedderSource, Machine, Ports } from '../../ports.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import { NoteFeed } from './note-feed.ts';
import { LazyEmbedder } from './lazy-embedder.ts';
import { removeOtherIndexes, listStoredIndexes } from './vector-cache.ts';
import { VectorIndex } from './vector-index.ts';

/** The embedders of a vault, chosen where the program is assembled. */
export interface EmbedderChoice {
  /** Returns the embedder, or the reason why there is none. */
  choose(): Promise<EmbedderSource | string>;
  /** Returns an embedder that was used before, by its id; null where it is not available any more. */
  findPrevious(id: string): Promise<EmbedderSource | null>;
  readonly machine: Machine;
  /** Delay between a vault's first answers and background embedding, in milliseconds. */
  readonly delayMs: number;
}

/** For vaults opened without an embedder. */
export const noEmbedder: EmbedderChoice = {
  choose: async () => 'the program that opened the vault has no embedder',
  findPrevious: async () => null,
  machine: { isOnBattery: () => false, isBusy: () => false },
  delayMs: 0,
};

/** What `Embedders` needs. */
export interface EmbeddersOptions {
  readonly choice: EmbedderChoice;
  readonly graph: GraphView;
  readText(path: NotePath): string | null;
  /** Resolves when the graph is complete. */
  ready(): Promise<void>;
  readonly files: CacheFiles;
  readonly ports: Pick<Ports, 'clock' | 'log' | 'newId' | 'random'>;
}

/** An embedder and its vectors. */
export interface IndexedEmbedder {
  readonly embedder: LazyEmbedder;
  readonly index: VectorIndex;
}

/** Share of the notes from which on a new embedder answers queries in place of the previous one. */
const MIN_COVERAGE = 0.95;
/** How often to look for vectors that another process saved. */
const RELOAD_MS = 10_000;

/** The current embedder with its vectors, and the previous one for as long as it knows more notes. */
export class Embedders {
  readonly #options: EmbeddersOptions;
  #loading: Promise<void> | null = null;
  #current: IndexedEmbedder | null = null;
  #previous: IndexedEmbedder | null = null;
  #feed: NoteFeed | null = null;
  #unavailableReason: string | null = null;
  #lastReload = -Infinity;
  /** Resolves when an embedder and its cached vectors are loaded. */
  readonly whenLoaded: Promise<void>;
  #reportLoaded: () => void = () => undefined;

  constructor(options: EmbeddersOptions) {
    this.#options = options;
    this.whenLoaded = new Promise((resolve) => (this.#reportLoaded = resolve));
  }

  /** Why there is no embedder; null where there is one, or before that is known. */
  get unavailableReason(): string | null {
    return this.#unavailableReason;
  }

  /** The embedder of new vectors. */
  get current(): IndexedEmbedder | null {
    return this.#current;
  }

  get feed(): NoteFeed | null {
    return this.#feed;
  }

  /** The embedder of queries. */
  get forQueries(): IndexedEmbedder | null {
    if (this.#previous === null) return this.#current;
    const { embedded, all } = this.#feed?.notes ?? { embedded: 0, all: 0 };
    return embedded < all * MIN_COVERAGE ? this.#previous : this.#current;
  }

  /** Chooses the embedder and loads its cached vectors, once. */
  ensureLoaded(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    const { choice, graph, files, ports } = this.#options;
    await this.#options.ready();
    const source = await choice.choose().catch((error: unknown) => errorMessage(error));
    if (typeof source === 'string') {
      this.#unavailableReason = source;
      return;
    }
    const index = new VectorIndex(source.id, files, () => ports.newId());
    await index.load();
    const [last] = listStoredIndexes(files);
    if (last !== undefined && last.id !== source.id) this.#previous = await this.#openPrevious(last.id);
    // Passages do not depend on the embedder.
    for (const [document, contents] of this.#previous?.index.documents ?? []) index.setDocument(document, contents);
    const feed = new NoteFeed({ graph, readText: (path) => this.#options.readText(path), index });
    await feed.addAll();
    this.#feed = feed;
    this.#current = { embedder: new LazyEmbedder(source, ports.clock), index };
    this.#reportLoaded();
  }

  async #openPrevious(id: string): Promise<IndexedEmbedder | null> {
    const { choice, files, ports } = this.#options;
    const source = await choice.findPrevious(id).catch(() => null);
    if (source === null) return null;
    const index = new VectorIndex(id, files, () => ports.newId());
    return (await index.load()) ? { embedder: new LazyEmbedder(source, ports.clock), index } : null;
  }

  /** Loads an embedder. If the length of its vectors has changed, the cached ones are discarded and made again. */
  async open({ embedder: opened, index }: IndexedEmbedder): Promise<Embedder> {
    const embedder = await opened.get();
    if ((index.vectors?.dims ?? embedder.dims) !== embedder.dims) {
      index.clear();
      await this.#feed?.refresh();
    }
    return embedder;
  }

  /** Loads what another process has embedded since, at most once per interval. True where there was anything new. */
  async loadNewVectors(): Promise<boolean> {
    const now = performance.now();
    if (this.#current === null || now - this.#lastReload < RELOAD_MS) return false;
    this.#lastReload = now;
    if (!(await this.#current.index.load())) return false;
    await this.#feed?.refresh();
    return true;
  }

  /** Drops the previous embedder when it is no longer needed; true if it did. */
  async dropPrevious(): Promise<boolean> {
    const previous = this.#previous;
    if (previous === null || this.forQueries === previous) return false;
    this.#previous = null;
    await previous.embedder.close();
    return true;
  }

  /** Deletes the cached vectors of other embedders. */
  async removeOtherIndexes(): Promise<void> {
    await removeOtherIndexes(this.#options.files);
  }

  async close(): Promise<void> {
    await Promise.all([this.#current?.embedder.close(), this.#previous?.embedder.close()]);
  }
}
