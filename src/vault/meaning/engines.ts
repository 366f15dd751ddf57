import { errorMessage } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NotePath } from '../../note/path.ts';
import type { Embedder, EmbedderSource, Machine, Ports } from '../../ports.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import { NoteFeed } from './note-feed.ts';
import { OpenedEmbedder } from './opened-embedder.ts';
import { dropOthers, listStored } from './vector-cache.ts';
import { VectorIndex } from './vector-index.ts';

/** The embedders of a vault, chosen where the program is assembled. */
export interface EmbedderChoice {
  /** Returns the embedder, or the reason why there is none. */
  choose(): Promise<EmbedderSource | string>;
  /** Returns an embedder that was used before, by its id; null where it is not available any more. */
  former(id: string): Promise<EmbedderSource | null>;
  readonly machine: Machine;
  /** Delay between a vault's first answers and background embedding, in milliseconds. */
  readonly delay: number;
}

/** What `Embedders` needs. */
export interface EngineOptions {
  readonly choice: EmbedderChoice;
  readonly graph: GraphView;
  readText(path: NotePath): string | null;
  /** Resolves when the graph is complete. */
  ready(): Promise<void>;
  readonly files: CacheFiles;
  readonly ports: Pick<Ports, 'clock' | 'log' | 'newId'>;
}

/** An embedder and its vectors. */
export interface Engine {
  readonly opened: OpenedEmbedder;
  readonly index: VectorIndex;
}

/** Share of the notes from which on a new embedder answers queries in place of the previous one. */
const ENOUGH = 0.95;
/** How often to look for vectors that another process saved. */
const NEWS_MS = 10_000;

/** The current embedder with its vectors, and the previous one for as long as it knows more notes. */
export class Engines {
  readonly #options: EngineOptions;
  #attaching: Promise<void> | null = null;
  #current: Engine | null = null;
  #former: Engine | null = null;
  #feed: NoteFeed | null = null;
  #off: string | null = null;
  #looked = -Infinity;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** Why there is no embedder; null where there is one, or before that is known. */
  get off(): string | null {
    return this.#off;
  }

  /** The embedder of new vectors. */
  get current(): Engine | null {
    return this.#current;
  }

  get feed(): NoteFeed | null {
    return this.#feed;
  }

  /** The embedder of queries. */
  get answering(): Engine | null {
    if (this.#former === null) return this.#current;
    const { embedded, all } = this.#feed?.notes ?? { embedded: 0, all: 0 };
    return embedded < all * ENOUGH ? this.#former : this.#current;
  }

  /** Chooses the embedder and loads its cached vectors, once. */
  attached(): Promise<void> {
    this.#attaching ??= this.#attach();
    return this.#attaching;
  }

  async #attach(): Promise<void> {
    const { choice, graph, files, ports } = this.#options;
    await this.#options.ready();
    const source = await choice.choose().catch((error: unknown) => errorMessage(error));
    if (typeof source === 'string') {
      this.#off = source;
      return;
    }
    const index = new VectorIndex(source.id, files, () => ports.newId());
    await index.load();
    const [last] = listStored(files);
    if (last !== undefined && last.id !== source.id) this.#former = await this.#openFormer(last.id);
    // Passages do not depend on the embedder.
    for (const [document, contents] of this.#former?.index.documents ?? []) index.describe(document, contents);
    const feed = new NoteFeed({ graph, readText: (path) => this.#options.readText(path), index });
    await feed.fill();
    this.#feed = feed;
    this.#current = { opened: new OpenedEmbedder(source, ports.clock), index };
  }

  async #openFormer(id: string): Promise<Engine | null> {
    const { choice, files, ports } = this.#options;
    const source = await choice.former(id).catch(() => null);
    if (source === null) return null;
    const index = new VectorIndex(id, files, () => ports.newId());
    return (await index.load()) ? { opened: new OpenedEmbedder(source, ports.clock), index } : null;
  }

  /** Loads an embedder. If the length of its vectors has changed, the cached ones are discarded and made again. */
  async open({ opened, index }: Engine): Promise<Embedder> {
    const embedder = await opened.get();
    if ((index.vectors?.dims ?? embedder.dims) !== embedder.dims) {
      index.clear();
      await this.#feed?.lookAgain();
    }
    return embedder;
  }

  /** Loads what another process has embedded since, at most once per interval. True where there was anything new. */
  async lookForNews(): Promise<boolean> {
    const now = performance.now();
    if (this.#current === null || now - this.#looked < NEWS_MS) return false;
    this.#looked = now;
    if (!(await this.#current.index.load())) return false;
    await this.#feed?.lookAgain();
    return true;
  }

  /** Drops the previous embedder when it is no longer needed; true if it did. */
  async forgetFormer(): Promise<boolean> {
    const former = this.#former;
    if (former === null || this.answering === former) return false;
    this.#former = null;
    await former.opened.close();
    return true;
  }

  /** Deletes the cached vectors of other embedders. */
  async dropOthers(): Promise<void> {
    await dropOthers(this.#options.files);
  }

  async close(): Promise<void> {
    await Promise.all([this.#current?.opened.close(), this.#former?.opened.close()]);
  }
}
