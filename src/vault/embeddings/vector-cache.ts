import type { Vectors } from '../../graph/semantic/vectors.ts';
import { MAX_DIMENSIONS } from '../../graph/semantic/vectors.ts';
import { isRecord } from '../../is-record.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import { contentKey, isContentKey } from './content-key.ts';

/* Vectors on disk. The file `vectors` lists the embedders that have any; each `vectors-<hash of its id>-<n>` has a part of one embedder's vectors, a line of JSON followed by the numbers. Only the last part of each is ever rewritten. */

/** An embedder's vectors on disk. */
export interface StoredIndex {
  readonly id: string;
  /** Changes whenever the files are rewritten from the start. */
  readonly generation: string;
  readonly dims: number;
  readonly files: number;
  readonly rows: number;
}

/** The contents of one file. */
export interface Shard {
  readonly keys: readonly string[];
  readonly vectors: readonly Float32Array[];
  readonly documents: readonly (readonly [string, readonly string[]])[];
}

/** Vectors per file: 1.5 MB with the local model. */
export const SHARD_ROWS = 1024;

const FORMAT = 'roux-vectors-1';
const INDEX_LIST = 'vectors';
/** The current embedder and the previous one. */
const MAX_INDEXES = 2;
const MAX_FILES = 10_000;

/** Lists the stored indexes, the last used first. Empty where nothing was written on this machine. */
export function listStoredIndexes(files: CacheFiles): readonly StoredIndex[] {
  const head = parse(files.load(INDEX_LIST)?.toString('utf8'));
  if (!isRecord(head) || head['format'] !== FORMAT || !Array.isArray(head['indexes'])) return [];
  return head['indexes'].filter(isStoredIndex).slice(0, MAX_INDEXES);
}

/** Puts an index first in the list and drops the oldest ones. */
export async function saveIndexList(files: CacheFiles, index: StoredIndex): Promise<void> {
  const others = listStoredIndexes(files).filter(({ id }) => id !== index.id);
  const indexes = [index, ...others].slice(0, MAX_INDEXES);
  await files.save(INDEX_LIST, [Buffer.from(JSON.stringify({ format: FORMAT, indexes }))]);
  for (const gone of others.slice(MAX_INDEXES - 1)) removeShards(files, gone.id, 0, gone.files);
}

/** Deletes all but the first index. */
export async function removeOtherIndexes(files: CacheFiles): Promise<void> {
  const [first, ...others] = listStoredIndexes(files);
  if (first === undefined || others.length === 0) return;
  await files.save(INDEX_LIST, [Buffer.from(JSON.stringify({ format: FORMAT, indexes: [first] }))]);
  for (const gone of others) removeShards(files, gone.id, 0, gone.files);
}

/** Reads the vectors of one file; null where it is missing, damaged or was not written on this machine. */
export function loadShard(files: CacheFiles, { id, dims }: Pick<StoredIndex, 'id' | 'dims'>, number: number): Shard | null {
  const bytes = files.load(shardName(id, number));
  const shard = bytes === null ? null : parseShard(bytes);
  return shard?.id === id && shard.dims === dims ? shard : null;
}

/** Parses the bytes of one file; null where they are damaged, or are no such file. */
export function parseShard(bytes: Buffer): (Shard & { readonly id: string; readonly dims: number }) | null {
  const end = bytes.indexOf(0x0a);
  const head = end < 0 ? null : parse(bytes.toString('utf8', 0, end));
  if (!isRecord(head) || head['format'] !== FORMAT) return null;
  const { id, dims, keys, documents } = head;
  if (typeof id !== 'string' || !isCount(dims, MAX_DIMENSIONS) || dims === 0) return null;
  if (!Array.isArray(keys) || !keys.every(isContentKey) || !Array.isArray(documents) || !documents.every(isDocument)) return null;
  const numbers = bytes.subarray(end + 1);
  if (numbers.length !== keys.length * dims * 4) return null;
  // Copied to its own buffer, which is aligned.
  const all = new Float32Array(new Uint8Array(numbers).buffer);
  const vectors = keys.map((_, at) => all.subarray(at * dims, (at + 1) * dims));
  return vectors.every(isUnitVector) ? { id, dims, keys, vectors, documents } : null;
}

/** Writes one file as a whole. Keys without a vector are left out. */
export async function saveShard(
  files: CacheFiles,
  index: { readonly id: string; readonly vectors: Vectors },
  shard: { readonly number: number; readonly keys: readonly string[]; readonly documents: Shard['documents'] },
): Promise<void> {
  await files.save(shardName(index.id, shard.number), encodeShard(index, shard));
}

/** Encodes vectors as one file. Keys without a vector are left out. */
export function encodeShard(
  { id, vectors }: { readonly id: string; readonly vectors: Vectors },
  shard: { readonly keys: readonly string[]; readonly documents: Shard['documents'] },
): readonly Buffer[] {
  const kept = shard.keys.filter((key) => vectors.has(key));
  const head = { format: FORMAT, id, dims: vectors.dims, keys: kept, documents: shard.documents };
  const numbers = new Float32Array(kept.length * vectors.dims);
  for (const [at, key] of kept.entries()) numbers.set(vectors.get(key) ?? [], at * vectors.dims);
  return [Buffer.from(`${JSON.stringify(head)}\n`), Buffer.from(numbers.buffer)];
}

/** Deletes the files with a number from `from` to before `end`. */
export function removeShards(files: CacheFiles, id: string, from: number, end: number): void {
  for (let number = from; number < end; number += 1) files.remove(shardName(id, number));
}

/** Whether a vector has length 1. */
export function isUnitVector(vector: Float32Array): boolean {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += vector[at]! * vector[at]!;
  return Math.abs(sum - 1) < 0.01;
}

function shardName(id: string, number: number): string {
  return `${INDEX_LIST}-${contentKey(id).slice(0, 10)}-${number}`;
}

function isStoredIndex(value: unknown): value is StoredIndex {
  if (!isRecord(value)) return false;
  const { id, generation, dims, files, rows } = value;
  return (
    typeof id === 'string' &&
    typeof generation === 'string' &&
    isCount(dims, MAX_DIMENSIONS) &&
    dims > 0 &&
    isCount(files, MAX_FILES) &&
    isCount(rows, MAX_FILES * SHARD_ROWS)
  );
}

function isDocument(value: unknown): value is readonly [string, readonly string[]] {
  return Array.isArray(value) && value.length === 2 && isContentKey(value[0]) && Array.isArray(value[1]) && value[1].every(isContentKey);
}

function isCount(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
