import { errorMessage, RouxError } from '../../errors.ts';
import type { Ports } from '../../ports.ts';
import type { SharedVectors } from '../../store/shared/shared-vault.ts';
import { isUnitVector } from './vector-cache.ts';
import type { VectorIndex } from './vector-index.ts';

/** The most texts that are looked up at once. */
export const MAX_LOOKUP = 256;
/** How long it is remembered that the store does not have a vector: another machine may be embedding the same text. */
const MISSING_MS = 10_000;
/** How long the store is left alone after a failure. */
const PAUSE_MS = 60_000;
/** How often all vectors are offered again, so that the store knows that they are in use. */
const OFFER_MS = 24 * 60 * 60 * 1000;

/** The vectors of a shared vault: found there before a text is embedded, and added to them afterwards. No call fails if the store does. */
export class StoreVectors {
  readonly #shared: SharedVectors;
  readonly #ports: Pick<Ports, 'clock' | 'log' | 'random'>;
  readonly #stored = new Set<string>();
  #offeredAt = -Infinity;
  #missing: ReadonlySet<string> = new Set();
  #missingUntil = -Infinity;
  #retryAt = -Infinity;
  #problem: string | null = null;
  #mayPut: boolean;
  #found = 0;
  #offers: Promise<void> = Promise.resolve();

  constructor(
    shared: SharedVectors,
    { ports, canSave }: { readonly ports: Pick<Ports, 'clock' | 'log' | 'random'>; readonly canSave: boolean },
  ) {
    this.#shared = shared;
    this.#ports = ports;
    this.#mayPut = canSave;
  }

  /** How many vectors came from the store, and why it has no part in embedding now. */
  get status(): { readonly found: number; readonly problem?: string } {
    return { found: this.#found, ...(this.#problem === null ? {} : { problem: this.#problem }) };
  }

  /** Asks the store for nothing, so that `status` says whether it answers. */
  async check(): Promise<void> {
    await this.#try(() => this.#shared.findMissing('', []));
  }

  /** Whether the store has to be asked before this text is embedded. */
  mayHave(content: string): boolean {
    const now = this.#ports.clock.now();
    return now >= this.#retryAt && (now >= this.#missingUntil || !this.#missing.has(content));
  }

  /** Returns the vectors that the store has, except those that this embedder cannot have made. At most `MAX_LOOKUP`. */
  async find(
    embedder: { readonly id: string; readonly dims: number },
    contents: readonly string[],
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const bytes = await this.#try(() => this.#shared.get(embedder.id, contents, embedder.dims * 4));
    const found = new Map<string, Float32Array>();
    for (const content of contents) {
      const vector = toVector(bytes?.get(content), embedder.dims);
      if (vector !== null) found.set(content, vector);
    }
    for (const content of found.keys()) this.#stored.add(content);
    this.#found += found.size;
    this.#missing = new Set(contents.filter((content) => !found.has(content)));
    this.#missingUntil = this.#ports.clock.now() + MISSING_MS;
    return found;
  }

  /** Begins anywhere: machines that embed at the same time then seldom embed the same texts. */
  rotate<T>(texts: readonly T[]): readonly T[] {
    const from = Math.floor(this.#ports.random() * texts.length);
    return [...texts.slice(from), ...texts.slice(0, from)];
  }

  /** Adds vectors to the store in the background: those that were just made, or all that it may not have. */
  offer(index: VectorIndex, made?: readonly string[]): void {
    this.#offers = this.#offers.then(() => this.#offer(index, made));
  }

  async #offer(index: VectorIndex, made: readonly string[] | undefined): Promise<void> {
    const now = this.#ports.clock.now();
    if (now - this.#offeredAt > OFFER_MS) {
      this.#stored.clear();
      this.#offeredAt = now;
    }
    const left = [...(made ?? index.vectors?.contents() ?? [])].filter((content) => !this.#stored.has(content));
    for (let at = 0; at < left.length && this.#canPut(); at += MAX_LOOKUP) {
      const some = left.slice(at, at + MAX_LOOKUP);
      await this.#try(async () => {
        const missing = made ?? (await this.#shared.findMissing(index.id, some));
        await this.#put(index, missing);
        for (const content of some) this.#stored.add(content);
      });
    }
  }

  #canPut(): boolean {
    return this.#mayPut && this.#ports.clock.now() >= this.#retryAt;
  }

  async #put(index: VectorIndex, contents: readonly string[]): Promise<void> {
    const vectors = new Map<string, Uint8Array>();
    for (const content of contents) {
      const vector = index.vectors?.get(content) ?? null;
      // A copy: the memory of all vectors may move while it is sent.
      if (vector !== null) vectors.set(content, new Uint8Array(vector.slice().buffer));
    }
    if (vectors.size > 0) await this.#shared.put(index.id, vectors);
  }

  async #try<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      const answer = await ask();
      this.#problem = null;
      return answer;
    } catch (error) {
      // A machine that may only read takes vectors and adds none.
      if (error instanceof RouxError && error.code === 'READ_ONLY') this.#mayPut = false;
      else {
        this.#retryAt = this.#ports.clock.now() + PAUSE_MS;
        if (error instanceof RouxError && error.code === 'CANCELLED') return null;
        if (this.#problem === null) this.#ports.log.warn(`Vectors are not shared for now: ${errorMessage(error)}`);
        this.#problem = errorMessage(error);
      }
      return null;
    }
  }
}

/** Decodes a vector from anybody; null where it is no vector of this length. */
function toVector(bytes: Buffer | undefined, dims: number): Float32Array | null {
  if (bytes?.length !== dims * 4) return null;
  // Copied to its own buffer, which is aligned.
  const vector = new Float32Array(new Uint8Array(bytes).buffer);
  return isUnitVector(vector) ? vector : null;
}
