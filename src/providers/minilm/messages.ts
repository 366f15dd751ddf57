import type { ModelFiles } from './model.ts';

/** What the thread is started with. */
export interface MiniLmFiles {
  /** Files other than those of the package. */
  readonly model?: ModelFiles;
  /** Where ONNX Runtime is. */
  readonly onnx?: string;
}

/** What the thread is asked; without texts only to be ready. */
export interface MiniLmAsk {
  readonly id: number;
  readonly texts: readonly string[];
}

/** What the thread answers. */
export type MiniLmReply = { readonly id: number } & ({ readonly vectors: readonly Float32Array[] } | { readonly error: string });
