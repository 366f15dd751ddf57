import { errorMessage } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NotePath } from '../../note/path.ts';
import type { Embedder, EmbedderSource, Machine, Ports } from '../../ports.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import { NoteFeed } from './note-feed.ts';
import { OpenedEmbedder } from './opened-embedder.ts';
import { dropOthers, listStored } from './vector-cache.ts';
import { VectorIndex } from './vector-index.ts';

/** What embeds for a vault, chosen where the program is put together. */
export interface EmbedderChoice {
  /** The embedder, or why there is none. */
  choose(): Promise<EmbedderSource | string>;
  /** The embedder of an id that was used before, where it can still be had. */
  former(id: string): Promise<EmbedderSource | null>;
  readonly machine: Machine;
  /** From the first answers of a vault until what has no vector yet is embedded, in milliseconds. */
  readonly delay: number;
}

/** What the engines need. */
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

/** The share of the notes from which on a new embedder answers in place of the one before. */
const ENOUGH = 0.95;
/** How often it is looked for what another process embedded. */
const NEWS_MS = 10_000;

/** The embedder of now with its vectors, and the one before as long as it knows more notes. */
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

  /** Why there is no embedder; null where there is one, or it is not known yet. */
  get off(): string | null {
    return this.#off;
  }

  /** What new vectors are made with. */
  get current(): Engine | null {
    return this.#current;
  }

  get feed(): NoteFeed | null {
    return this.#feed;
  }

  /** What questions are put to. */
  get answering(): Engine | null {
    if (this.#former === null) return this.#current;
    const { embedded, all } = this.#feed?.notes ?? { embedded: 0, all: 0 };
    return embedded < all * ENOUGH ? this.#former : this.#current;
  }

  /** Chooses the embedder and takes over what is kept of its vectors, once. */
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
    // How notes are cut has nothing to do with who embeds them.
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

  /** The embedder, loaded. Where it gives vectors of another length than are kept of it, those are made anew. */
  async open({ opened, index }: Engine): Promise<Embedder> {
    const embedder = await opened.get();
    if ((index.vectors?.dims ?? embedder.dims) !== embedder.dims) {
      index.clear();
      await this.#feed?.lookAgain();
    }
    return embedder;
  }

  /** Takes what another process has embedded meanwhile, looking now and then; true where there was anything. */
  async lookForNews(): Promise<boolean> {
    const now = performance.now();
    if (this.#current === null || now - this.#looked < NEWS_MS) return false;
    this.#looked = now;
    if (!(await this.#current.index.load())) return false;
    await this.#feed?.lookAgain();
    return true;
  }

  /** Lets the embedder before go, when it is not needed any more; true where that is so. */
  async forgetFormer(): Promise<boolean> {
    const former = this.#former;
    if (former === null || this.answering === former) return false;
    this.#former = null;
    await former.opened.close();
    return true;
  }

  /** Removes what is kept of other embedders. */
  async dropOthers(): Promise<void> {
    await dropOthers(this.#options.files);
  }

  async close(): Promise<void> {
    await Promise.all([this.#current?.opened.close(), this.#former?.opened.close()]);
  }
}
