import { errorMessage } from '../../errors.ts';
import type { MeaningStatus, NearNotes, NoteMeaning, VectorSpace } from '../../graph/meaning/meaning.ts';
import type { Vectors } from '../../graph/meaning/vectors.ts';
import type { GraphChange } from '../../graph/view.ts';
import type { NotePath } from '../../note/path.ts';
import type { ProcessIdentity } from '../../store/folder/process-identity.ts';
import { Background } from './background.ts';
import { openClaim } from './claim.ts';
import { Engines } from './engines.ts';
import type { EmbedderChoice, Engine, EngineOptions } from './engines.ts';
import { Pace } from './pace.ts';
import { Space } from './spaces.ts';
import type { Settled, SpaceHost } from './spaces.ts';
import { TextQueue } from './text-queue.ts';
import { isUnit } from './vector-cache.ts';
import type { VectorIndex } from './vector-index.ts';
import { Waiters } from './waiters.ts';

/** What the embeddings of a vault are opened with. */
export interface MeaningOptions extends EngineOptions {
  readonly self: ProcessIdentity;
  /** Whether to embed in the background and save vectors: not in one-shot commands, nor where nothing may be written. */
  readonly isWorking: boolean;
}

/** Embeddings with their lifecycle. */
export interface OpenMeaning extends NoteMeaning {
  /** Starts background embedding after a delay; called when the vault is complete. */
  start(): void;
  follow(changes: readonly GraphChange[]): void;
  /** Reports a call: background work pauses for a moment. */
  touch(): void;
  close(): Promise<void>;
}

const MAX_QUESTIONS = 64;
/** Longer queries are cut: embedders read less than this of one. */
const MAX_QUESTION_CHARACTERS = 2_000;

/** For vaults opened without an embedder. */
export const noEmbedding: EmbedderChoice = {
  choose: async () => 'the program that opened the vault has no embedder',
  former: async () => null,
  machine: { isOnBattery: () => false, isBusy: () => false },
  delay: 0,
};

/** Opens the embeddings of a vault. No embedder is chosen or loaded before the start or the first query. */
export function openMeaning(options: MeaningOptions): OpenMeaning {
  return new VaultMeaning(options);
}

class VaultMeaning implements OpenMeaning, SpaceHost {
  readonly #options: MeaningOptions;
  readonly #spaces = new Map<string, Space>();
  readonly #engines: Engines;
  readonly #wants = new TextQueue();
  readonly #waiters = new Waiters();
  readonly #pace: Pace;
  readonly #background: Background;
  readonly #questions = new Map<string, Float32Array>();
  /** The index that the vector of a query can be compared with. */
  readonly #asked = new WeakMap<Float32Array, VectorIndex>();
  #isClosed = false;

  constructor(options: MeaningOptions) {
    this.#options = options;
    this.#engines = new Engines(options);
    this.#pace = new Pace(options.choice.machine);
    this.#background = new Background({
      engines: this.#engines,
      wants: this.#wants,
      waiters: this.#waiters,
      pace: this.#pace,
      claim: openClaim(options.files, options.self, options.ports.clock),
      log: options.ports.log,
      isWanted: (content) => [...this.#spaces.values()].some((space) => space.holds(content)),
      contents: () =>
        new Set([...(this.#engines.feed?.contents() ?? []), ...[...this.#spaces.values()].flatMap((space) => [...space.contents()])]),
    });
  }

  start(): void {
    if (this.#options.isWorking) void this.#background.start(this.#options.choice.delay);
  }

  follow(changes: readonly GraphChange[]): void {
    if (this.#engines.feed === null) return;
    this.#engines.feed.follow(changes);
    this.#run();
  }

  touch(): void {
    this.#pace.touch();
  }

  async attached(): Promise<void> {
    await this.#engines.attached();
    this.#forgetKnown();
  }

  status(): MeaningStatus {
    const { off, current, feed } = this.#engines;
    const counts = {
      embedded: current?.index.size ?? 0,
      waiting: this.#wants.waiting + (feed?.waiting ?? 0),
      notes: feed?.notes ?? { embedded: 0, all: 0 },
    };
    if (off !== null) return { provider: 'none', state: 'off', ...counts, reason: off };
    if (current === null) return { provider: 'none', state: 'loading', ...counts };
    const reason = current.opened.reason ?? (counts.waiting === 0 ? null : this.#whyWaiting());
    const state = current.opened.reason === null ? 'ready' : 'failed';
    return { provider: current.opened.source.name, state, ...counts, ...(reason === null ? {} : { reason }) };
  }

  #whyWaiting(): string | null {
    if (!this.#options.isWorking) return 'only a server that may write, "roux mcp" or "roux serve", embeds while it runs';
    return this.#background.isElsewhere ? 'another process embeds' : this.#pace.reason;
  }

  space(name: string): VectorSpace {
    const space = this.#spaces.get(name) ?? new Space(this);
    this.#spaces.set(name, space);
    return space;
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | null> {
    const question = text.trim().slice(0, MAX_QUESTION_CHARACTERS);
    if (question === '' || this.#isClosed) return null;
    return untilAborted(this.#ask(question, signal), signal);
  }

  async #ask(question: string, signal: AbortSignal | undefined): Promise<Float32Array | null> {
    await this.attached();
    const engine = this.#engines.answering;
    if (engine === null) return null;
    const key = `${engine.index.id}\n${question}`;
    const known = this.#questions.get(key);
    if (known !== undefined) return known;
    try {
      const embedder = await this.#engines.open(engine);
      this.#run();
      const [vector] = await embedder.embed([question], 'query', signal);
      if (vector === undefined || !isUnit(vector)) throw new Error('The embedder gave no vector.');
      engine.opened.worked();
      this.#remember(key, vector, engine);
      return vector;
    } catch (error) {
      if (signal?.aborted !== true && !this.#isClosed) this.#fail(engine, error);
      return null;
    }
  }

  #remember(key: string, vector: Float32Array, { index }: Engine): void {
    this.#asked.set(vector, index);
    this.#questions.set(key, vector);
    for (const oldest of this.#questions.keys()) if (this.#questions.size > MAX_QUESTIONS) this.#questions.delete(oldest);
  }

  #fail({ opened }: Engine, error: unknown): void {
    if (opened.pause > 0) return;
    opened.fail(error);
    this.#options.ports.log.warn(`Search by meaning does not work now: ${errorMessage(error)}`);
  }

  get coverage(): number {
    const { answering, current, feed } = this.#engines;
    if (answering === null || feed === null) return 0;
    return answering === current && feed.notes.all > 0 ? feed.notes.embedded / feed.notes.all : 1;
  }

  nearNotes(vector: Float32Array): NearNotes {
    const vectors = this.vectorsFor(vector);
    return vectors === null ? [] : (this.#engines.feed?.near(vector, vectors) ?? []);
  }

  async vectorOf(path: NotePath, signal?: AbortSignal): Promise<Float32Array | null> {
    await this.attached();
    const [engine, feed] = [this.#engines.answering, this.#engines.feed];
    const kept = engine?.index.vectors == null ? null : (feed?.vectorOf(path, engine.index.vectors) ?? null);
    if (kept !== null && engine !== null) {
      this.#asked.set(kept, engine.index);
      return kept;
    }
    const text = feed?.beginningOf(path) ?? null;
    return text === null ? null : this.embedQuery(text, signal);
  }

  vectorsFor(vector: Float32Array): Vectors | null {
    const vectors = (this.#asked.get(vector) ?? this.#engines.answering?.index)?.vectors ?? null;
    return vectors?.dims === vector.length ? vectors : null;
  }

  has(content: string): boolean {
    return this.#engines.current?.index.has(content) === true;
  }

  isEmbedded(path: NotePath): boolean {
    return this.#engines.feed?.isEmbedded(path) === true;
  }

  want(content: string, text: string): void {
    if (this.#engines.off !== null || this.#background.isRefused(content)) return;
    this.#wants.add(content, text);
    this.#run();
  }

  unwant(content: string): void {
    if ([...this.#spaces.values()].some((space) => space.holds(content))) return;
    this.#wants.delete(content);
    this.#waiters.settle(content, 'unavailable');
  }

  async settled(content: string, signal: AbortSignal | undefined): Promise<Settled> {
    signal?.throwIfAborted();
    await this.attached();
    if (this.has(content)) return 'embedded';
    if (this.#background.isRefused(content)) return 'failed';
    const { current } = this.#engines;
    if (current === null || current.opened.pause > 0 || !this.#options.isWorking || this.#isClosed) return 'unavailable';
    const waiting = this.#waiters.wait(content, signal);
    this.#run();
    return waiting;
  }

  #run(): void {
    if (this.#options.isWorking) this.#background.run();
  }

  /** Drops texts from the queue that turned out to be cached. */
  #forgetKnown(): void {
    if (this.#wants.waiting === 0) return;
    for (const content of this.#wants.contents()) if (this.has(content)) this.#wants.delete(content);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#background.close();
    await this.#engines.close();
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
