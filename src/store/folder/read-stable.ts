import { setTimeout } from 'node:timers/promises';
import { RouxError } from '../../errors.ts';
import type { ReadOptions, StoredFile } from '../store.ts';
import { isSameState } from './file-system.ts';
import type { FileReader, FileState } from './file-system.ts';
import { checkVaultPath, findFile } from './find-file.ts';
import { MAX_FILE_BYTES, hashOf, isTooLarge, stampHashOf } from './hash.ts';
import { toStoreError } from './system-error.ts';

/** A file that is not in the middle of a save. */
export interface StableFile {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly state: FileState;
}

/** Returns a large file without reading it: its hash is of size and time, and accessing its bytes throws `TOO_LARGE`. */
export function unreadFile(path: string, state: FileState): StableFile {
  return {
    state,
    hash: stampHashOf(state),
    get bytes(): Buffer {
      throw tooLarge(path, state.size);
    },
  };
}

/** Returns the error for a file that is too large to be read or written. */
export function tooLarge(path: string, size: number): RouxError {
  const message = `${path} has ${size} bytes; roux writes files of up to ${MAX_FILE_BYTES} bytes. Split it into several notes; it can still be moved, renamed and deleted.`;
  return new RouxError('TOO_LARGE', message, { path, size, limit: MAX_FILE_BYTES });
}

/** Age above which a file is not in the middle of a save. */
const RECENT_MS = 1_000;
/** Time without changes after which a recently saved file counts as complete; pauses within one save are shorter. */
const STABLE_MS = 60;
/** The same for an empty file: longer, since a save in place starts by truncating. */
const STABLE_EMPTY_MS = 400;
const POLL_MS = 20;
/** Reads of a constantly changing file before a complete reading is accepted as it is. */
const MAX_READS = 12;
const EMPTY_READS_FACTOR = 3;

/**
 * Reads a file once it is stable (docs/architecture.md, Following the disk): one that is empty or was changed within the last second is
 * read again until it stays the same, because a save in place briefly shows an empty or partial file. Returns null when there is no regular
 * file. `isKnown` accepts content that was read completely before, without a second read. Large files identified by size and time are not
 * read (`unreadFile`), nor any that `large` excludes. `mayReturn`: waits a moment for a missing file, since some programs save by deleting
 * and creating.
 */
export async function readStable(
  files: FileReader,
  query: {
    readonly path: string;
    readonly isKnown: (hash: string, state: FileState) => boolean;
    readonly mayReturn?: boolean;
    readonly large?: 'read' | 'refuse' | 'leave';
    readonly maxBytes?: number | undefined;
  },
): Promise<StableFile | null> {
  const { path, isKnown, mayReturn = false, large = 'read', maxBytes } = query;
  let last: StableFile | null = null;
  let stableSince = performance.now();
  for (let reads = 1; ; reads++) {
    const result = readOnce(files, { path, isKnown, large, maxBytes });
    if (result === null && (reads > 1 || !mayReturn)) return null;
    if (result !== null && result !== 'torn') {
      const found = result.file;
      if (result.isKnown) return found;
      const age = files.now() - Number(found.state.mtimeNs / 1_000_000n);
      if (Math.abs(age) > RECENT_MS) return found;
      if (last === null || last.hash !== found.hash || !isSameState(last.state, found.state)) stableSince = performance.now();
      else if (performance.now() - stableSince >= (found.bytes.length === 0 ? STABLE_EMPTY_MS : STABLE_MS)) return found;
      last = found;
    }
    if (reads >= MAX_READS && last !== null && last.bytes.length > 0) return last;
    if (reads >= MAX_READS * EMPTY_READS_FACTOR) {
      if (last !== null) return last;
      throw new RouxError('IO_ERROR', `${path} keeps changing while it is read; try again.`, { path }, { retryable: true });
    }
    await setTimeout(POLL_MS);
  }
}

/** Reads a file once; `torn` when it changed meanwhile. Known content is complete even if the file changes meanwhile. */
function readOnce(
  files: FileReader,
  {
    path,
    isKnown,
    large,
    maxBytes,
  }: {
    readonly path: string;
    readonly isKnown: (hash: string, state: FileState) => boolean;
    readonly large: 'read' | 'refuse' | 'leave';
    readonly maxBytes: number | undefined;
  },
): { readonly file: StableFile; readonly isKnown: boolean } | 'torn' | null {
  const small = files.read(path, { maxBytes: MAX_FILE_BYTES });
  if (small === null) return null;
  const isLarge = isTooLarge(small.state);
  if (isLarge && large === 'refuse') throw tooLarge(path, small.state.size);
  if (isLarge && (large === 'leave' || isKnown(stampHashOf(small.state), small.state)))
    return { file: unreadFile(path, small.state), isKnown: true };
  const found = isLarge ? files.read(path, maxBytes === undefined ? {} : { length: maxBytes }) : small;
  if (found === null) return null;
  const { bytes, state } = found;
  const hash = bytes.length === state.size ? hashOf(bytes) : null;
  if (hash !== null && isKnown(hash, state)) return { file: { bytes, hash, state }, isKnown: true };
  const after = files.stat(path);
  if (after === null) return null;
  return hash === null || !isSameState(state, after) ? 'torn' : { file: { bytes, hash, state }, isKnown: false };
}

/** Reads a file that is not in the middle of a save; null when there is none. */
export async function readFile(
  files: FileReader,
  path: string,
  { known = null, large = 'read', maxBytes }: ReadOptions = {},
): Promise<StoredFile | null> {
  try {
    checkVaultPath(path);
    const isKnown = (hash: string): boolean => hash === known;
    // Nearly every path is the file itself; only a missing one may be behind a link.
    const plain = await readStable(files, { path, isKnown, large, maxBytes });
    if (plain !== null) return Object.assign(plain, { path, isLinked: false });
    const file = findFile(files, path);
    const found = file === null ? null : await readStable(files, { path: file.path, isKnown, large, maxBytes });
    return file === null || found === null ? null : Object.assign(found, { path: file.path, isLinked: file.isLinked });
  } catch (error) {
    throw toStoreError(error);
  }
}
