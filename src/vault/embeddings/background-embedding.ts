import { setImmediate } from 'node:timers/promises';
import { errorMessage, RouxError } from '../../errors.ts';
import type { Embedder, Log } from '../../ports.ts';
import type { Lease } from './lease.ts';
import type { IndexedEmbedder, Embedders } from './embedders.ts';
import type { Throttle } from './throttle.ts';
import type { TextQueue, WaitingText } from './text-queue.ts';
import { MAX_LOOKUP } from './store-vectors.ts';
import type { StoreVectors } from './store-vectors.ts';
import { isUnitVector } from './vector-cache.ts';
import type { Shard } from './vector-cache.ts';
import type { Waiters } from './waiters.ts';

/** What background embedding works on. */
export interface BackgroundEmbeddingOptions {
  readonly embedders: Embedders;
  readonly queue: TextQueue;
  readonly waiters: Waiters;
  readonly throttle: Throttle;
  readonly lease: Lease;
  readonly canSave: boolean;
  /** The vectors of the shared vault; null where the vault is not shared. */
  readonly store: StoreVectors | null;
  readonly log: Log;
  /** Whether a collection (not a note) needs a text. */
  isNeeded(content: string): boolean;
  /** The keys of all texts that are needed. */
  neededKeys(): ReadonlySet<string>;
}

const SAVE_MS = 30_000;
/** How long after the last text new vectors are saved. */
const IDLE_SAVE_MS = 3_000;
/** How often to check whether another process still embeds. */
const LEASE_POLL_MS = 10_000;

/** Embeds waiting texts in the background, batch by batch, and gives way to calls. */
export class BackgroundEmbedding {
  readonly #options: BackgroundEmbeddingOptions;
  /** Texts that the embedder refused. */
  readonly #refused = new Set<string>();
  #isStarted = false;
  #isRunning = false;
  #hasNewWork = false;
  #isClosed = false;
  #isOtherProcessEmbedding = false;
  #hasLease = false;
  #canSave: boolean;
  #saved = 0;
  #idleTimer: NodeJS.Timeout | null = null;

  constructor(options: BackgroundEmbeddingOptions) {
    this.#options = options;
    this.#canSave = options.canSave;
  }

  /** Whether another process embeds for this vault. */
  get isOtherProcessEmbedding(): boolean {
    return this.#isOtherProcessEmbedding;
  }

  isRefused(content: string): boolean {
    return this.#refused.has(content);
  }

  async start(delay: number): Promise<void> {
    if (delay > 0 && !(await this.#options.throttle.wait(delay))) return;
    this.#isStarted = true;
    this.run();
  }

  /** Starts work if there is any. Before `start`, only texts that a caller waits for are embedded. */
  run(): void {
    if (this.#isClosed || !(this.#isStarted || this.#options.waiters.size > 0)) return;
    this.#hasNewWork = true;
    if (this.#options.waiters.size > 0) this.#options.throttle.wake();
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#runUntilIdle()
      .catch((error: unknown) => this.#options.log.warn(`Embedding stopped: ${errorMessage(error)}`))
      .finally(() => {
        this.#isRunning = false;
        if (this.#hasNewWork) this.run();
      });
  }

  async #runUntilIdle(): Promise<void> {
    const { embedders, queue, waiters, store } = this.#options;
    await embedders.ensureLoaded();
    if (embedders.current !== null) store?.offer(embedders.current.index);
    if (embedders.current === null) waiters.settleAll('unavailable');
    for (let indexed = embedders.current; indexed !== null && !this.#isClosed; indexed = embedders.current) {
      this.#hasNewWork = false;
      const isIdle = queue.waiting === 0 && (embedders.feed?.waiting ?? 0) === 0;
      if (isIdle || !(await this.#embedNext(indexed))) break;
    }
    this.#hasNewWork &&= embedders.current !== null;
    if (this.#hasNewWork || this.#isClosed) return;
    // With a delay: one write to a note is often followed by another.
    this.#idleTimer ??= setTimeout(() => {
      this.#idleTimer = null;
      if (!this.#isRunning && !this.#isClosed) void this.#finishIdle();
    }, IDLE_SAVE_MS).unref();
  }

  /** Embeds one batch; false when there is nothing to do now. */
  async #embedNext(indexed: IndexedEmbedder): Promise<boolean> {
    const { embedders, queue, waiters, throttle } = this.#options;
    const isAwaited = (): boolean => waiters.keys().some((content) => queue.has(content));
    if (!this.#isStarted && !isAwaited()) return false;
    const isOurs = await this.#acquireLease();
    // A text that a caller waits for is embedded by the caller's own process.
    if (!isOurs && !isAwaited()) {
      if (!(await throttle.wait(LEASE_POLL_MS))) return false;
      await embedders.loadNewVectors();
      return true;
    }
    return (await throttle.waitForTurn(isAwaited)) && this.#embedBatch(indexed, isOurs);
  }

  async #acquireLease(): Promise<boolean> {
    const isOurs = await this.#options.lease.tryAcquire().catch(() => true);
    // The previous lease holder may have saved vectors that this process does not have yet.
    if (isOurs && !this.#hasLease) await this.#options.embedders.loadNewVectors();
    this.#isOtherProcessEmbedding = !isOurs;
    this.#hasLease = isOurs;
    return isOurs;
  }

  async #releaseLease(): Promise<void> {
    this.#hasLease = false;
    await this.#options.lease.release().catch(() => undefined);
  }

  /** Adds vectors that were made elsewhere, and saves them; returns how many are new. Throws `CONFLICT` while another process embeds. */
  async addVectors({ index }: IndexedEmbedder, { keys, vectors, documents }: Shard): Promise<number> {
    if (!(await this.#acquireLease())) {
      const message =
        'Another process embeds the notes of this vault. Stop it, or wait until "roux stats" says that no note waits, and try again.';
      throw new RouxError('CONFLICT', message, undefined, { retryable: true });
    }
    const before = index.size;
    for (const [at, key] of keys.entries()) if (!index.has(key)) index.add(key, vectors[at]!);
    for (const [document, contents] of documents) index.setDocument(document, contents);
    await index.save();
    if (!this.#isRunning) await this.#releaseLease();
    await this.#options.embedders.feed?.refresh();
    return index.size - before;
  }

  async #embedBatch(indexed: IndexedEmbedder, isOurs: boolean): Promise<boolean> {
    const { embedders, throttle, waiters } = this.#options;
    let texts: readonly WaitingText[] | null = [];
    let embedder: Embedder;
    let elsewhereMs = 0;
    try {
      embedder = await embedders.open(indexed);
      texts = await this.#takeMissing(indexed, embedder, isOurs);
      if (texts === null) return false;
      const before = embedder.cpuMs ?? 0;
      await this.#embed(indexed, embedder, texts);
      elsewhereMs = (embedder.cpuMs ?? 0) - before;
      indexed.embedder.recordSuccess();
    } catch (error) {
      this.#requeue(texts ?? []);
      return this.#pauseAfter(indexed, error);
    }
    const contents = texts.map(({ content }) => content);
    embedders.feed?.markDone(contents);
    this.#options.store?.offer(indexed.index, contents);
    if (await embedders.dropPrevious()) {
      await this.#save();
      if (this.#canSave) await embedders.removeOtherIndexes().catch(() => undefined);
    }
    if (performance.now() - this.#saved > SAVE_MS) await this.#save();
    if (waiters.size === 0 && embedder.cpuMs !== undefined) await throttle.rest(elsewhereMs);
    return true;
  }

  /** Takes texts for one batch, without those whose vectors the shared vault has; null when none wait. */
  async #takeMissing({ index }: IndexedEmbedder, embedder: Embedder, isOurs: boolean): Promise<readonly WaitingText[] | null> {
    const { store, embedders, waiters } = this.#options;
    const texts = this.#take(embedder.batch, isOurs);
    if (texts.length === 0) return null;
    if (store === null || !texts.some(({ content }) => store.mayHave(content))) return texts;
    const asked = new Map(texts.map((text) => [text.content, text]));
    for (let before = 0; isOurs && before < asked.size && asked.size < MAX_LOOKUP;) {
      before = asked.size;
      await setImmediate();
      for (const text of this.#take(MAX_LOOKUP - asked.size, isOurs)) asked.set(text.content, text);
    }
    const found = await store.find(embedder, [...asked.keys()]);
    for (const [content, vector] of found) {
      index.add(content, vector);
      asked.delete(content);
      waiters.settle(content, 'embedded');
    }
    embedders.feed?.markDone([...found.keys()]);
    const missing = waiters.size > 0 ? [...asked.values()] : store.rotate([...asked.values()]);
    this.#requeue(missing.slice(embedder.batch));
    return missing.slice(0, embedder.batch);
  }

  /** Takes texts that a caller waits for; otherwise alternates between collections and notes. */
  #take(most: number, isOurs: boolean): readonly WaitingText[] {
    const { queue, waiters, embedders } = this.#options;
    const awaited = waiters.size === 0 ? [] : queue.take(most, (content) => waiters.has(content));
    if (awaited.length > 0 || !isOurs) return awaited;
    // What an agent stored it soon asks for; notes are found by their words meanwhile.
    for (const source of [queue, embedders.feed]) {
      const texts = source?.take(most, (content) => !this.#refused.has(content)) ?? [];
      if (texts.length > 0) return texts;
    }
    return [];
  }

  #requeue(texts: readonly WaitingText[]): void {
    this.#options.embedders.feed?.requeue(texts);
    this.#options.queue.requeue(texts.filter(({ content }) => this.#options.isNeeded(content)));
  }

  /** Embeds a batch; if the embedder refuses a text, each one by itself, so that it does not stop the others. */
  async #embed(indexed: IndexedEmbedder, embedder: Embedder, texts: readonly WaitingText[]): Promise<void> {
    const { waiters, log } = this.#options;
    if (texts.length === 0) return;
    try {
      const vectors = await embedder.embed(
        texts.map(({ text }) => text),
        texts.every(({ isBeginning }) => isBeginning === true) ? 'beginning' : 'passage',
      );
      if (vectors.length !== texts.length || !vectors.every(isUnitVector)) throw new Error('The embedder gave no vectors for these texts.');
      for (const [at, { content }] of texts.entries()) {
        indexed.index.add(content, vectors[at]!);
        waiters.settle(content, 'embedded');
      }
    } catch (error) {
      const isOfText = error instanceof RouxError && (error.code === 'INVALID_PARAMS' || error.code === 'TOO_LARGE');
      if (!isOfText) throw error;
      const [only, ...others] = texts;
      if (others.length > 0) {
        for (const one of texts) await this.#embed(indexed, embedder, [one]);
      } else if (only !== undefined) {
        this.#refused.add(only.content);
        waiters.settle(only.content, 'failed');
        log.info(`A text could not be embedded: ${errorMessage(error)}`);
      }
    }
  }

  async #pauseAfter({ embedder: opened }: IndexedEmbedder, error: unknown): Promise<boolean> {
    if (this.#isClosed) return false;
    if (opened.pauseMs === 0) opened.recordFailure(error);
    this.#options.log.warn(`Embedding is put off: ${errorMessage(error)}`);
    this.#options.waiters.settleAll('unavailable');
    return this.#options.throttle.wait(opened.pauseMs);
  }

  /** Saves and tidies up when there is nothing to embed. */
  async #finishIdle(): Promise<void> {
    const { embedders } = this.#options;
    const [indexed, feed] = [embedders.current, embedders.feed];
    if (indexed === null || feed === null) return;
    if (this.#isStarted) indexed.index.shrink({ contents: this.#options.neededKeys(), documents: feed.documentKeys() });
    await this.#save();
    await this.#releaseLease();
  }

  async #save(): Promise<void> {
    this.#saved = performance.now();
    if (!this.#canSave || this.#isOtherProcessEmbedding) return;
    try {
      await this.#options.embedders.current?.index.save();
    } catch (error) {
      // Without the saved vectors the next start embeds again; nothing else is lost.
      this.#canSave = false;
      this.#options.log.info(`Vectors cannot be kept: ${errorMessage(error)}`);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#options.throttle.close();
    this.#options.waiters.settleAll('unavailable');
    await this.#save();
    await this.#releaseLease();
  }
}
