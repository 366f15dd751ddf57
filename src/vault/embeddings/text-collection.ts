import type { ScoredKey, VectorCollection } from '../../graph/semantic/embeddings.ts';
import { BestKeys } from '../../graph/semantic/best-keys.ts';
import type { Vectors } from '../../graph/semantic/vectors.ts';
import { contentKey } from './content-key.ts';

/** The outcome of embedding a text. */
export type EmbeddingOutcome = 'embedded' | 'unavailable' | 'failed';

/** What a collection needs of the index behind it. */
export interface CollectionHost {
  /** Returns the vectors that a vector can be compared with: those of the same embedder. Null where there are none. */
  vectorsFor(vector: Float32Array): Vectors | null;
  has(content: string): boolean;
  /** Queues a text for embedding. */
  enqueue(content: string, text: string): void;
  /** Takes a text out of the queue, unless another collection needs it. */
  dequeue(content: string): void;
  whenSettled(content: string, signal: AbortSignal | undefined): Promise<EmbeddingOutcome>;
}

/** Keys and their texts, by the hash of the text: equal texts share a vector. */
export class TextCollection implements VectorCollection {
  readonly #host: CollectionHost;
  readonly #contents = new Map<string, string>();
  readonly #keys = new Map<string, string[]>();

  constructor(host: CollectionHost) {
    this.#host = host;
  }

  set(key: string, text: string): void {
    const content = contentKey(text);
    const before = this.#contents.get(key);
    if (before === content) return;
    if (before !== undefined) this.delete(key);
    this.#contents.set(key, content);
    const keys = this.#keys.get(content);
    if (keys === undefined) this.#keys.set(content, [key]);
    else keys.push(key);
    if (!this.#host.has(content)) this.#host.enqueue(content, text);
  }

  delete(key: string): void {
    const content = this.#contents.get(key);
    if (content === undefined) return;
    this.#contents.delete(key);
    const left = (this.#keys.get(content) ?? []).filter((other) => other !== key);
    if (left.length > 0) this.#keys.set(content, left);
    else {
      this.#keys.delete(content);
      this.#host.dequeue(content);
    }
  }

  has(key: string): boolean {
    const content = this.#contents.get(key);
    return content !== undefined && this.#host.has(content);
  }

  hasContent(content: string): boolean {
    return this.#keys.has(content);
  }

  contents(): IterableIterator<string> {
    return this.#keys.keys();
  }

  async whenSettled(key: string, signal?: AbortSignal): Promise<EmbeddingOutcome> {
    const content = this.#contents.get(key);
    return content === undefined ? 'failed' : this.#host.whenSettled(content, signal);
  }

  findNearest(
    vector: Float32Array,
    { limit, accept }: { readonly limit: number; readonly accept?: (key: string) => boolean },
  ): ScoredKey[] {
    const nearest = new BestKeys(limit);
    this.#host.vectorsFor(vector)?.scan(vector, (content, score) => {
      for (const key of this.#keys.get(content) ?? []) {
        const near = { key, score };
        if (nearest.wouldFit(near) && (accept === undefined || accept(key))) nearest.add(near);
      }
      return nearest.minScore;
    });
    return nearest.results();
  }
}
