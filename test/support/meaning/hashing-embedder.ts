import { createHash } from 'node:crypto';
import type { EmbeddedKind, Embedder, EmbedderSource } from '../../../src/ports.ts';
import type { EmbedderChoice } from '../../../src/vault/embeddings/embedders.ts';

/** What a test makes of it. */
export interface HashingOptions {
  readonly id?: string;
  readonly dims?: number;
  readonly batch?: number;
  /** The CPU time that each call is said to take in another process; without it texts seem to be embedded elsewhere. */
  readonly cpuMs?: number;
  /** Called before each batch; may wait, or throw. */
  readonly before?: (texts: readonly string[], kind: EmbeddedKind) => void | Promise<void>;
  readonly open?: () => void | Promise<void>;
}

/** An embedder that knows words by their hashes: texts are near that share some. It keeps what it was given. */
export interface HashingSource extends EmbedderSource {
  readonly passages: string[];
  readonly queries: string[];
}

/** Such an embedder, not opened yet. */
export function hashingEmbedder({ id = 'hashing', dims = 64, batch = 4, cpuMs, before, open }: HashingOptions = {}): HashingSource {
  const [passages, queries]: [string[], string[]] = [[], []];
  let calls = 0;
  return {
    id,
    name: id,
    isRemote: false,
    passages,
    queries,
    async open(): Promise<Embedder> {
      await open?.();
      const embedder: Embedder = {
        id,
        dims,
        maxTokens: 1000,
        batch,
        async embed(texts, kind) {
          calls += 1;
          await before?.(texts, kind);
          (kind === 'query' ? queries : passages).push(...texts);
          return texts.map((text) => hashed(text, dims));
        },
        close: async () => undefined,
      };
      return cpuMs === undefined ? embedder : Object.defineProperty(embedder, 'cpuMs', { get: () => calls * cpuMs });
    },
  };
}

/** What embeds for a vault in a test: at once, on a machine at ease. */
export function choiceOf(source: EmbedderSource | string, former: readonly EmbedderSource[] = []): EmbedderChoice {
  return {
    choose: async () => source,
    findPrevious: async (id) => former.find((each) => each.id === id) ?? null,
    machine: { isOnBattery: () => false, isBusy: () => false },
    delayMs: 0,
  };
}

/** The vector of a text: a direction for each of its words, added up. */
export function hashed(text: string, dims: number): Float32Array {
  const sums = new Float32Array(dims);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const bytes = createHash('shake256', { outputLength: dims }).update(word).digest();
    for (let at = 0; at < dims; at += 1) sums[at]! += bytes[at]! - 127.5;
  }
  const length = Math.hypot(...sums);
  return sums.map((number) => number / length);
}
