import type { EmbeddingOutcome } from './text-collection.ts';

/** Callers waiting for texts to be embedded. */
export class Waiters {
  readonly #waiting = new Map<string, ((settled: EmbeddingOutcome) => void)[]>();

  get size(): number {
    return this.#waiting.size;
  }

  has(content: string): boolean {
    return this.#waiting.has(content);
  }

  keys(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Rejects only when the signal aborts. */
  wait(content: string, signal?: AbortSignal): Promise<EmbeddingOutcome> {
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(content);
      if (others === undefined) this.#waiting.set(content, [resolve]);
      else others.push(resolve);
      if (signal?.aborted === true) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  settle(content: string, settled: EmbeddingOutcome): void {
    const waiting = this.#waiting.get(content);
    this.#waiting.delete(content);
    for (const resolve of waiting ?? []) resolve(settled);
  }

  settleAll(settled: EmbeddingOutcome): void {
    for (const content of this.keys()) this.settle(content, settled);
  }
}
