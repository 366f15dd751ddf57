import { RouxError } from '../../errors.ts';
import type { Vectors } from '../../graph/semantic/vectors.ts';
import { encodeShard, parseShard } from './vector-cache.ts';
import type { Shard } from './vector-cache.ts';

/** Vectors are in memory: a file with more is refused. */
const MAX_IMPORTED_VECTORS = 150_000;

/** Carries the vectors of a vault to another machine, which then need not embed the same texts. */
export interface VectorTransfer {
  /** Returns all vectors of the present embedder as one file, by the hashes of their texts. It has no text and no name of a note. */
  exportVectors(): Promise<{ readonly bytes: Buffer; readonly vectors: number }>;
  /**
   * Adds the vectors of such a file, and saves them. `INVALID_PARAMS` where it is damaged or of another embedder, `TOO_LARGE`, and a retryable
   * `CONFLICT` while another process embeds.
   */
  importVectors(bytes: Buffer): Promise<{ readonly vectors: number; readonly added: number }>;
}

/** Encodes all vectors of an embedder, with the texts of each note by their hashes, so that no note has to be read to find its vectors. */
export function encodeVectorFile(id: string, vectors: Vectors, documents: Shard['documents']): Buffer {
  return Buffer.concat(encodeShard({ id, vectors }, { keys: [...vectors.contents()], documents }));
}

/** Parses and checks a file of vectors, which may come from anybody. */
export function parseVectorFile(bytes: Buffer, expected: { readonly id: string; readonly dims: number | undefined }): Shard {
  const file = parseShard(bytes);
  if (file === null)
    throw new RouxError('INVALID_PARAMS', 'This file is damaged, or was not written by "roux export --vectors"; export the vectors again.');
  const count = Math.max(file.keys.length, file.documents.length);
  if (count > MAX_IMPORTED_VECTORS) {
    const message = `This file has ${count} vectors or notes; at most ${MAX_IMPORTED_VECTORS} are imported.`;
    throw new RouxError('TOO_LARGE', message, { vectors: count });
  }
  if (file.id !== expected.id || file.dims !== (expected.dims ?? file.dims)) {
    const message =
      'These vectors are of another model than the one that this vault uses; export them with the same model and version of roux.';
    throw new RouxError('INVALID_PARAMS', message, { expected: expected.id });
  }
  return file;
}
