import { errorMessage, RouxError } from '../../errors.ts';
import type { EmbeddingStatus, ScoredNotes, NoteEmbeddings, VectorCollection } from '../../graph/semantic/embeddings.ts';
import type { Vectors } from '../../graph/semantic/vectors.ts';
import type { GraphChange } from '../../graph/view.ts';
import type { NotePath } from '../../note/path.ts';
import type { ProcessIdentity } from '../../store/folder/process-identity.ts';
import type { SharedVectors } from '../../store/shared/shared-vault.ts';
import { BackgroundEmbedding } from './background-embedding.ts';
import { createLease } from './lease.ts';
import { Embedders } from './embedders.ts';
import type { IndexedEmbedder, EmbeddersOptions } from './embedders.ts';
import { StoreVectors } from './store-vectors.ts';
import { Throttle } from './throttle.ts';
import { TextCollection } from './text-collection.ts';
import type { EmbeddingOutcome, CollectionHost } from './text-collection.ts';
import { TextQueue } from './text-queue.ts';
import { isUnitVector } from './vector-cache.ts';
import { encodeVectorFile, parseVectorFile } from './vector-file.ts';
import type { VectorTransfer } from './vector-file.ts';
import type { VectorIndex } from './vector-index.ts';
import { Waiters } from './waiters.ts';

/** What the embeddings of a vault are opened with. */
export interface EmbeddingsOptions extends EmbeddersOptions {
  readonly self: ProcessIdentity;
  /** Whether to embed in the background: not in one-shot commands. */
  readonly canEmbed: boolean;
  /** Where nothing may be written, vectors are in memory for as long as the vault is open. */
  readonly canSave: boolean;
  /** The vectors of the shared vault that the folder follows; null for none. */
  readonly shared: SharedVectors | null;
}

/** Embeddings with their lifecycle. */
export interface OpenEmbeddings extends NoteEmbeddings, VectorTransfer {
  /** Starts background embedding after a delay; called when the vault is complete. */
  start(): void;
  applyChanges(changes: readonly GraphChange[]): void;
  /** Reports a call: background work pauses for a moment. */
  noteCall(): void;
  /** Reports that a caller read a note: it is embedded before others. */
  want(path: NotePath): void;
  close(): Promise<void>;
}

const MAX_CACHED_QUERIES = 64;
/** Longer queries are cut: embedders read less than this of one. */
const MAX_QUERY_CHARACTERS = 2_000;

/** Opens the embeddings of a vault. No embedder is chosen or loaded before the start or the first query. */
export function openEmbeddings(options: EmbeddingsOptions): OpenEmbeddings {
  return new VaultEmbeddings(options);
}

class VaultEmbeddings implements OpenEmbeddings, CollectionHost {
  readonly #options: EmbeddingsOptions;
  readonly #collections = new Map<string, TextCollection>();
  readonly #embedders: Embedders;
  readonly #queue = new TextQueue();
  readonly #waiters = new Waiters();
  readonly #throttle: Throttle;
  readonly #background: BackgroundEmbedding;
  readonly #store: StoreVectors | null;
  readonly #queryVectors = new Map<string, Float32Array>();
  /** The index that the vector of a query can be compared with. */
  readonly #indexOfQuery = new WeakMap<Float32Array, VectorIndex>();
  #isClosed = false;

  constructor(options: EmbeddingsOptions) {
    this.#options = options;
    this.#embedders = new Embedders(options);
    this.#throttle = new Throttle(options.choice.machine);
    this.#store = options.shared === null ? null : new StoreVectors(options.shared, options);
    this.#background = new BackgroundEmbedding({
      embedders: this.#embedders,
      queue: this.#queue,
      waiters: this.#waiters,
      throttle: this.#throttle,
      store: this.#store,
      lease: createLease(options.files, options.self, options.ports.clock, { canSave: options.canSave }),
      canSave: options.canSave,
      log: options.ports.log,
      isNeeded: (content) => [...this.#collections.values()].some((space) => space.hasContent(content)),
      neededKeys: () =>
        new Set([
          ...(this.#embedders.feed?.contents() ?? []),
          ...[...this.#collections.values()].flatMap((space) => [...space.contents()]),
        ]),
    });
  }

  start(): void {
    if (this.#options.canEmbed) void this.#background.start(this.#options.choice.delayMs);
  }

  applyChanges(changes: readonly GraphChange[]): void {
    if (this.#embedders.feed === null) return;
    this.#embedders.feed.applyChanges(changes);
    this.#run();
  }

  noteCall(): void {
    this.#throttle.noteCall();
  }

  want(path: NotePath): void {
    this.#embedders.feed?.want(path);
  }

  async ensureLoaded(): Promise<void> {
    await this.#embedders.ensureLoaded();
    this.#dequeueCached();
  }

  whenLoaded(): Promise<void> {
    return this.#embedders.whenLoaded;
  }

  async checkStore(): Promise<void> {
    await this.#store?.check();
  }

  status(): EmbeddingStatus {
    const { unavailableReason: off, current, feed } = this.#embedders;
    const counts = {
      embedded: current?.index.size ?? 0,
      waiting: this.#queue.waiting + (feed?.waiting ?? 0),
      notes: feed?.notes ?? { embedded: 0, all: 0 },
      ...(this.#store === null ? {} : { store: this.#store.status }),
    };
    if (off !== null) return { provider: 'none', state: 'off', ...counts, reason: off };
    if (current === null) return { provider: 'none', state: 'loading', ...counts };
    const reason = current.embedder.reason ?? (counts.waiting === 0 ? null : this.#whyWaiting());
    const state = current.embedder.reason === null ? 'ready' : 'failed';
    const { name: provider, language } = current.embedder.source;
    return { provider, state, ...counts, ...(language === undefined ? {} : { language }), ...(reason === null ? {} : { reason }) };
  }

  #whyWaiting(): string | null {
    if (!this.#options.canEmbed) return 'only a server, "roux mcp" or "roux serve", embeds while it runs';
    return this.#background.isOtherProcessEmbedding ? 'another process embeds' : this.#throttle.reason;
  }

  collection(name: string): VectorCollection {
    const space = this.#collections.get(name) ?? new TextCollection(this);
    this.#collections.set(name, space);
    return space;
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | null> {
    const question = text.trim().slice(0, MAX_QUERY_CHARACTERS);
    if (question === '' || this.#isClosed) return null;
    return untilAborted(this.#ask(question, signal), signal);
  }

  async #ask(question: string, signal: AbortSignal | undefined): Promise<Float32Array | null> {
    await this.ensureLoaded();
    const indexed = this.#embedders.forQueries;
    if (indexed === null) return null;
    const key = `${indexed.index.id}\n${question}`;
    const known = this.#queryVectors.get(key);
    if (known !== undefined) return known;
    try {
      const embedder = await this.#embedders.open(indexed);
      this.#run();
      const [vector] = await embedder.embed([question], 'query', signal);
      if (vector === undefined || !isUnitVector(vector)) throw new Error('The embedder gave no vector.');
      indexed.embedder.recordSuccess();
      this.#remember(key, vector, indexed);
      return vector;
    } catch (error) {
      if (signal?.aborted !== true && !this.#isClosed) this.#fail(indexed, error);
      return null;
    }
  }

  #remember(key: string, vector: Float32Array, { index }: IndexedEmbedder): void {
    this.#indexOfQuery.set(vector, index);
    this.#queryVectors.set(key, vector);
    for (const oldest of this.#queryVectors.keys()) if (this.#queryVectors.size > MAX_CACHED_QUERIES) this.#queryVectors.delete(oldest);
  }

  #fail({ embedder: opened }: IndexedEmbedder, error: unknown): void {
    if (opened.pauseMs > 0) return;
    opened.recordFailure(error);
    this.#options.ports.log.warn(`Search by meaning does not work now: ${errorMessage(error)}`);
  }

  get coverage(): number {
    const { forQueries: answering, current, feed } = this.#embedders;
    if (answering === null || feed === null) return 0;
    return answering === current && feed.notes.all > 0 ? feed.notes.embedded / feed.notes.all : 1;
  }

  scoreNotes(vector: Float32Array): ScoredNotes {
    const vectors = this.vectorsFor(vector);
    return vectors === null ? [] : (this.#embedders.feed?.scoreNotes(vector, vectors) ?? []);
  }

  async getNoteVector(path: NotePath, signal?: AbortSignal): Promise<Float32Array | null> {
    await this.ensureLoaded();
    const [indexed, feed] = [this.#embedders.forQueries, this.#embedders.feed];
    const kept = indexed?.index.vectors == null ? null : (feed?.getNoteVector(path, indexed.index.vectors) ?? null);
    if (kept !== null && indexed !== null) {
      this.#indexOfQuery.set(kept, indexed.index);
      return kept;
    }
    const text = feed?.getFirstPassage(path) ?? null;
    return text === null ? null : this.embedQuery(text, signal);
  }

  vectorsFor(vector: Float32Array): Vectors | null {
    const vectors = (this.#indexOfQuery.get(vector) ?? this.#embedders.forQueries?.index)?.vectors ?? null;
    return vectors?.dims === vector.length ? vectors : null;
  }

  has(content: string): boolean {
    return this.#embedders.current?.index.has(content) === true;
  }

  isEmbedded(path: NotePath): boolean {
    return this.#embedders.feed?.isEmbedded(path) === true;
  }

  enqueue(content: string, text: string): void {
    if (this.#embedders.unavailableReason !== null || this.#background.isRefused(content)) return;
    this.#queue.add(content, text);
    this.#run();
  }

  dequeue(content: string): void {
    if ([...this.#collections.values()].some((space) => space.hasContent(content))) return;
    this.#queue.delete(content);
    this.#waiters.settle(content, 'unavailable');
  }

  async whenSettled(content: string, signal: AbortSignal | undefined): Promise<EmbeddingOutcome> {
    signal?.throwIfAborted();
    await this.ensureLoaded();
    if (this.has(content)) return 'embedded';
    if (this.#background.isRefused(content)) return 'failed';
    const { current } = this.#embedders;
    if (current === null || current.embedder.pauseMs > 0 || !this.#options.canEmbed || this.#isClosed) return 'unavailable';
    const waiting = this.#waiters.wait(content, signal);
    this.#run();
    return waiting;
  }

  async exportVectors(): ReturnType<VectorTransfer['exportVectors']> {
    const { id, vectors, documents } = (await this.#requireIndexed()).index;
    if (vectors === null || vectors.size === 0) {
      const message = 'No note of this vault is embedded yet: "roux mcp" and "roux serve" do that while they run. Try again later.';
      throw new RouxError('UNAVAILABLE', message, undefined, { retryable: true });
    }
    return { bytes: encodeVectorFile(id, vectors, [...documents]), vectors: vectors.size };
  }

  async importVectors(bytes: Buffer): ReturnType<VectorTransfer['importVectors']> {
    const indexed = await this.#requireIndexed();
    const file = parseVectorFile(bytes, { id: indexed.index.id, dims: indexed.index.vectors?.dims });
    const added = await this.#background.addVectors(indexed, file);
    this.#dequeueCached();
    this.#run();
    return { vectors: file.keys.length, added };
  }

  async #requireIndexed(): Promise<IndexedEmbedder> {
    await this.#embedders.ensureLoaded();
    const { current, unavailableReason } = this.#embedders;
    if (current === null) throw new RouxError('UNAVAILABLE', `This vault has no vectors: ${unavailableReason ?? 'it is being closed'}.`);
    return current;
  }

  #run(): void {
    if (this.#options.canEmbed) this.#background.run();
  }

  /** Drops texts from the queue that turned out to be cached. */
  #dequeueCached(): void {
    if (this.#queue.waiting === 0) return;
    for (const content of this.#queue.keys()) if (this.has(content)) this.#queue.delete(content);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#background.close();
    await this.#embedders.close();
  }
}

/** Resolves to null when the signal aborts first. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | null> {
  if (signal === undefined) return work;
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  return Promise.race([work, aborted]);
}
