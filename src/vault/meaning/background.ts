import { errorMessage, RouxError } from '../../errors.ts';
import type { Embedder, Log } from '../../ports.ts';
import type { Claim } from './claim.ts';
import type { Engine, Engines } from './engines.ts';
import type { Pace } from './pace.ts';
import type { TextQueue, WaitingText } from './text-queue.ts';
import { isUnit } from './vector-cache.ts';
import type { Waiters } from './waiters.ts';

/** What background embedding works on. */
export interface BackgroundOptions {
  readonly engines: Engines;
  readonly wants: TextQueue;
  readonly waiters: Waiters;
  readonly pace: Pace;
  readonly claim: Claim;
  readonly log: Log;
  /** Whether a collection (not a note) needs a text. */
  isWanted(content: string): boolean;
  /** The keys of all texts that are needed. */
  contents(): ReadonlySet<string>;
}

const SAVE_MS = 30_000;
/** How long after the last text new vectors are saved. */
const REST_MS = 3_000;
/** How often to check whether another process still embeds. */
const CLAIM_MS = 10_000;

/** Embeds waiting texts in the background, batch by batch, and gives way to calls. */
export class Background {
  readonly #options: BackgroundOptions;
  /** Texts that the embedder refused. */
  readonly #refused = new Set<string>();
  #isStarted = false;
  #isRunning = false;
  #isAskedAgain = false;
  #isClosed = false;
  #isElsewhere = false;
  #isKeeping = true;
  #isNotesTurn = false;
  #saved = 0;
  #resting: NodeJS.Timeout | null = null;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  /** Whether another process embeds for this vault. */
  get isElsewhere(): boolean {
    return this.#isElsewhere;
  }

  isRefused(content: string): boolean {
    return this.#refused.has(content);
  }

  async start(delay: number): Promise<void> {
    if (delay > 0 && !(await this.#options.pace.wait(delay))) return;
    this.#isStarted = true;
    this.run();
  }

  /** Starts work if there is any. Before `start`, only texts that a caller waits for are embedded. */
  run(): void {
    if (this.#isClosed || !(this.#isStarted || this.#options.waiters.size > 0)) return;
    this.#isAskedAgain = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#work()
      .catch((error: unknown) => this.#options.log.warn(`Embedding stopped: ${errorMessage(error)}`))
      .finally(() => {
        this.#isRunning = false;
        if (this.#isAskedAgain) this.run();
      });
  }

  async #work(): Promise<void> {
    const { engines, wants, waiters } = this.#options;
    await engines.attached();
    if (engines.current === null) waiters.settleAll('unavailable');
    for (let engine = engines.current; engine !== null && !this.#isClosed; engine = engines.current) {
      this.#isAskedAgain = false;
      const isIdle = wants.waiting === 0 && (engines.feed?.waiting ?? 0) === 0;
      if (isIdle || !(await this.#turn(engine))) break;
    }
    this.#isAskedAgain &&= engines.current !== null;
    if (this.#isAskedAgain || this.#isClosed) return;
    // With a delay: one write to a note is often followed by another.
    this.#resting ??= setTimeout(() => {
      this.#resting = null;
      if (!this.#isRunning && !this.#isClosed) void this.#rest();
    }, REST_MS).unref();
  }

  /** Embeds one batch; false when there is nothing to do now. */
  async #turn(engine: Engine): Promise<boolean> {
    const { engines, wants, waiters, pace } = this.#options;
    const isAwaited = (): boolean => waiters.contents().some((content) => wants.has(content));
    if (!this.#isStarted && !isAwaited()) return false;
    const isOurs = await this.#isOurs();
    // A text that a caller waits for is embedded by the caller's own process.
    if (!isOurs && !isAwaited()) {
      if (!(await pace.wait(CLAIM_MS))) return false;
      await engines.lookForNews();
      return true;
    }
    return (await pace.turn()) && this.#step(engine, isOurs);
  }

  async #isOurs(): Promise<boolean> {
    const isOurs = await this.#options.claim.isOurs().catch(() => true);
    // The previous lease holder may have saved vectors that this process does not have yet.
    if (isOurs && this.#isElsewhere) await this.#options.engines.lookForNews();
    this.#isElsewhere = !isOurs;
    return isOurs;
  }

  async #step(engine: Engine, isOurs: boolean): Promise<boolean> {
    const { engines } = this.#options;
    let texts: readonly WaitingText[] = [];
    try {
      const embedder = await engines.open(engine);
      texts = this.#take(embedder.batch, isOurs);
      if (texts.length === 0) return false;
      await this.#embed(engine, embedder, texts);
      engine.opened.worked();
    } catch (error) {
      this.#putBack(texts);
      return this.#pauseAfter(engine, error);
    }
    engines.feed?.done(texts.map(({ content }) => content));
    if (await engines.forgetFormer()) {
      await this.#save();
      if (this.#isKeeping) await engines.dropOthers().catch(() => undefined);
    }
    if (performance.now() - this.#saved > SAVE_MS) await this.#save();
    return true;
  }

  /** Takes texts that a caller waits for; otherwise alternates between collections and notes. */
  #take(most: number, isOurs: boolean): readonly WaitingText[] {
    const { wants, waiters, engines } = this.#options;
    const awaited = waiters.size === 0 ? [] : wants.take(most, (content) => waiters.has(content));
    if (awaited.length > 0 || !isOurs) return awaited;
    this.#isNotesTurn = !this.#isNotesTurn;
    for (const source of this.#isNotesTurn ? [engines.feed, wants] : [wants, engines.feed]) {
      const texts = source?.take(most, (content) => !this.#refused.has(content)) ?? [];
      if (texts.length > 0) return texts;
    }
    return [];
  }

  #putBack(texts: readonly WaitingText[]): void {
    this.#options.engines.feed?.putBack(texts);
    this.#options.wants.putBack(texts.filter(({ content }) => this.#options.isWanted(content)));
  }

  /** Embeds a batch; if the embedder refuses a text, each one by itself, so that it does not stop the others. */
  async #embed(engine: Engine, embedder: Embedder, texts: readonly WaitingText[]): Promise<void> {
    const { waiters, log } = this.#options;
    try {
      const vectors = await embedder.embed(
        texts.map(({ text }) => text),
        'passage',
      );
      if (vectors.length !== texts.length || !vectors.every(isUnit)) throw new Error('The embedder gave no vectors for these texts.');
      for (const [at, { content }] of texts.entries()) {
        engine.index.add(content, vectors[at]!);
        waiters.settle(content, 'embedded');
      }
    } catch (error) {
      const isOfText = error instanceof RouxError && (error.code === 'INVALID_PARAMS' || error.code === 'TOO_LARGE');
      if (!isOfText) throw error;
      const [only, ...others] = texts;
      if (others.length > 0) {
        for (const one of texts) await this.#embed(engine, embedder, [one]);
      } else if (only !== undefined) {
        this.#refused.add(only.content);
        waiters.settle(only.content, 'failed');
        log.info(`A text could not be embedded: ${errorMessage(error)}`);
      }
    }
  }

  async #pauseAfter({ opened }: Engine, error: unknown): Promise<boolean> {
    if (this.#isClosed) return false;
    if (opened.pause === 0) opened.fail(error);
    this.#options.log.warn(`Embedding is put off: ${errorMessage(error)}`);
    this.#options.waiters.settleAll('unavailable');
    return this.#options.pace.wait(opened.pause);
  }

  /** Saves and tidies up when there is nothing to embed. */
  async #rest(): Promise<void> {
    const { engines, claim } = this.#options;
    const [engine, feed] = [engines.current, engines.feed];
    if (engine === null || feed === null) return;
    if (this.#isStarted) engine.index.shrink({ contents: this.#options.contents(), documents: feed.documents() });
    await this.#save();
    await claim.release().catch(() => undefined);
  }

  async #save(): Promise<void> {
    this.#saved = performance.now();
    if (!this.#isKeeping || this.#isElsewhere) return;
    try {
      await this.#options.engines.current?.index.save();
    } catch (error) {
      // Without the saved vectors the next start embeds again; nothing else is lost.
      this.#isKeeping = false;
      this.#options.log.info(`Vectors cannot be kept: ${errorMessage(error)}`);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#resting !== null) clearTimeout(this.#resting);
    this.#options.pace.end();
    this.#options.waiters.settleAll('unavailable');
    await this.#save();
    await this.#options.claim.release().catch(() => undefined);
  }
}
