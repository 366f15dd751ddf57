import type { ModelFiles } from './model.ts';

/** The parameters of the thread. */
export interface MiniLmFiles {
  /** The model's files, if not those of the package. */
  readonly model?: ModelFiles;
  /** The folder of ONNX Runtime. */
  readonly onnx?: string;
}

/** A request to the thread. Without texts it only waits until the model is loaded. */
export interface MiniLmAsk {
  readonly id: number;
  readonly texts: readonly string[];
  /** Each is truncated after this number of tokens. */
  readonly maxTokens: number;
}

/** The answer of the thread. */
export type MiniLmReply = { readonly id: number } & (
  { readonly vectors: readonly Float32Array[]; readonly cpuMs: number } | { readonly error: string }
);
