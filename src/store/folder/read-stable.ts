import { setTimeout } from 'node:timers/promises';
import { RouxError } from '../../errors.ts';
import { isSameState } from './file-system.ts';
import type { FileReader, FileState } from './file-system.ts';
import { hashOf } from './hash.ts';

/** Bytes of a file that nobody is in the middle of saving, their hash, and the file's state. */
export interface StableFile {
  readonly bytes: Buffer;
  readonly hash: string;
  readonly state: FileState;
}

/** A file older than this in milliseconds is not in the middle of a save. */
const YOUNG_MS = 1_000;
/** So long after its last change a file whose bytes stay the same is whole: within one save the pauses are shorter. */
const STILL_MS = 60;
/** An empty file gets longer, since a save in place begins with emptying. */
const STILL_EMPTY_MS = 400;
const LOOK_AGAIN_MS = 20;
/** So often a file that is saved again and again is looked at before a whole reading of it is taken as it is; an empty one so many times more. */
const MOST_LOOKS = 12;
const MORE_FOR_EMPTY = 3;

/**
 * The one stable read (docs/architecture.md, Following the disk): a file that is empty or was touched in the last second is read again until it
 * holds still, because a save in place shows an empty or partial file for an instant. Null when there is no regular file.
 * `isKnown` names contents that were seen whole before and need no second look. `mayReturn`: a file that is gone is waited
 * for a moment, since deleting and creating anew is how some programs save.
 */
export async function readStable(
  files: FileReader,
  query: { readonly path: string; readonly isKnown: (hash: string, state: FileState) => boolean; readonly mayReturn?: boolean },
): Promise<StableFile | null> {
  const { path, isKnown, mayReturn = false } = query;
  let last: StableFile | null = null;
  let stillSince = performance.now();
  for (let looks = 1; ; looks++) {
    const found = readWhole(files, path, isKnown);
    if (found === null && (looks > 1 || !mayReturn)) return null;
    if (found !== null && found !== 'torn') {
      if (found.isKnown) return found;
      const age = files.now() - Number(found.state.mtimeNs / 1_000_000n);
      if (Math.abs(age) > YOUNG_MS) return found;
      if (last === null || last.hash !== found.hash || !isSameState(last.state, found.state)) stillSince = performance.now();
      else if (performance.now() - stillSince >= (found.bytes.length === 0 ? STILL_EMPTY_MS : STILL_MS)) return found;
      last = found;
    }
    if (looks >= MOST_LOOKS && last !== null && last.bytes.length > 0) return last;
    if (looks >= MOST_LOOKS * MORE_FOR_EMPTY) {
      if (last !== null) return last;
      throw new RouxError('IO_ERROR', `${path} keeps changing while it is read; try again.`, { path }, { retryable: true });
    }
    await setTimeout(LOOK_AGAIN_MS);
  }
}

/** One look at a file; `torn` when it changed meanwhile. Bytes that were seen whole before are whole, whatever happens to the file meanwhile. */
function readWhole(
  files: FileReader,
  path: string,
  isKnown: (hash: string, state: FileState) => boolean,
): (StableFile & { readonly isKnown: boolean }) | 'torn' | null {
  const found = files.read(path);
  if (found === null) return null;
  const { bytes, state } = found;
  const hash = bytes.length === state.size ? hashOf(bytes) : null;
  if (hash !== null && isKnown(hash, state)) return { bytes, hash, state, isKnown: true };
  const after = files.stat(path);
  if (after === null) return null;
  return hash === null || !isSameState(state, after) ? 'torn' : { bytes, hash, state, isKnown: false };
}
