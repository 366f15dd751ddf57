import { setTimeout } from 'node:timers/promises';
import { RouxError } from '../../errors.ts';
import { isSameState } from './file-system.ts';
import type { FileReader, FileState } from './file-system.ts';
import { MAX_FILE_BYTES, hashOf, isTooLarge, stampHashOf } from './hash.ts';

/** Bytes of a file that nobody is in the middle of saving, their hash, and the file's state. */
export interface StableFile {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly state: FileState;
}

/** A large file that was not read: its hash stands for its size and time, and whoever asks for its bytes is refused with `TOO_LARGE`. */
export function unreadFile(path: string, state: FileState): StableFile {
  return {
    state,
    hash: stampHashOf(state),
    get bytes(): Buffer {
      throw tooLarge(path, state.size);
    },
  };
}

/** The refusal of a file that is too large to be read or written. */
export function tooLarge(path: string, size: number): RouxError {
  const message = `${path} has ${size} bytes; roux writes files of up to ${MAX_FILE_BYTES} bytes. Split it into several notes; it can still be moved, renamed and deleted.`;
  return new RouxError('TOO_LARGE', message, { path, size, limit: MAX_FILE_BYTES });
}

/** A file older than this in milliseconds is not in the middle of a save. */
const YOUNG_MS = 1_000;
/** So long after its last change a file whose bytes stay the same is whole: within one save the pauses are shorter. */
const STILL_MS = 60;
/** An empty file gets longer, since a save in place begins with emptying. */
const STILL_EMPTY_MS = 400;
const LOOK_AGAIN_MS = 20;
/** So often a file that is saved again and again is looked at before a whole reading of it is taken as it is; an empty one so many times more. */
const MAX_READS = 12;
const MORE_FOR_EMPTY = 3;

/**
 * The one stable read (docs/architecture.md, Following the disk): a file that is empty or was touched in the last second is read again until it
 * holds still, because a save in place shows an empty or partial file for an instant. Null when there is no regular file.
 * `isKnown` names contents that were seen whole before and need no second look; a large file that is known by its size and time is not
 * read (`unreadFile`), nor is any by which `large` tells so. `mayReturn`: a file that is gone is waited for a moment, since deleting and
 * creating anew is how some programs save.
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
  let stillSince = performance.now();
  for (let looks = 1; ; looks++) {
    const look = readWhole(files, { path, isKnown, large, maxBytes });
    if (look === null && (looks > 1 || !mayReturn)) return null;
    if (look !== null && look !== 'torn') {
      const found = look.file;
      if (look.isKnown) return found;
      const age = files.now() - Number(found.state.mtimeNs / 1_000_000n);
      if (Math.abs(age) > YOUNG_MS) return found;
      if (last === null || last.hash !== found.hash || !isSameState(last.state, found.state)) stillSince = performance.now();
      else if (performance.now() - stillSince >= (found.bytes.length === 0 ? STILL_EMPTY_MS : STILL_MS)) return found;
      last = found;
    }
    if (looks >= MAX_READS && last !== null && last.bytes.length > 0) return last;
    if (looks >= MAX_READS * MORE_FOR_EMPTY) {
      if (last !== null) return last;
      throw new RouxError('IO_ERROR', `${path} keeps changing while it is read; try again.`, { path }, { retryable: true });
    }
    await setTimeout(LOOK_AGAIN_MS);
  }
}

/** One look at a file; `torn` when it changed meanwhile. Bytes that were seen whole before are whole, whatever happens to the file meanwhile. */
function readWhole(
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
  const small = files.read(path, { most: MAX_FILE_BYTES });
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
