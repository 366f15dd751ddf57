import type { GraphView } from '../graph/view.ts';
import { decodeNote } from '../note/parse.ts';
import { isIgnoredName } from '../note/path.ts';
import { wholeBytes } from '../note/text.ts';
import type { FileReader } from '../store/folder/file-system.ts';
import type { WriteCounts } from './history/write-counts.ts';
import { createPlaceFinder } from '../git/places.ts';
import { isTooLarge, MAX_FILE_BYTES } from '../store/folder/hash.ts';
import { indexedBytes, readBeginning } from './sync/read-note.ts';
import { glanceAtNote, readInChunks } from './sync/read-note-now.ts';

/** Returns whether the vault may be written to. A folder without any write permission counts as read-only even for root. */
export function isWritable(files: FileReader): boolean {
  return ((files.stat('')?.mode ?? 0) & 0o222) !== 0;
}

/**
 * Returns the text of a note for search as it is right now, even in the middle of a save. A note that is too large to be written is read up
 * to the indexed size. Null when it cannot be read.
 */
export function readText(files: FileReader, path: string): string | null {
  const bytes = readFollowed(files, path, readBounded);
  return bytes === null ? null : decodeNote(bytes).text;
}

/** Reads a note; of a large one only the part that is indexed. */
function readBounded(files: FileReader, path: string): Buffer | null {
  const found = files.read(path, { maxBytes: MAX_FILE_BYTES });
  if (found === null || !isTooLarge(found.state)) return found?.bytes ?? null;
  const beginning = readBeginning(files, path)?.bytes;
  return beginning === undefined ? null : beginning.subarray(0, wholeBytes(beginning, indexedBytes));
}

const readAll = (files: FileReader, path: string): Buffer | null => files.read(path)?.bytes ?? null;

/** Reads a file, following a symbolic link that stays inside the vault; null when it cannot be read. */
function readFollowed(files: FileReader, path: string, read: typeof readAll): Buffer | null {
  try {
    const own = read(files, path);
    if (own !== null) return own;
    const real = files.realPath(path);
    const isOpen = real.kind === 'inside' && !real.path.split('/').some(isIgnoredName);
    return isOpen ? read(files, real.path) : null;
  } catch {
    // The note is listed as unreadable by the sync.
    return null;
  }
}

/** Reads a file that is no symbolic link; null when it cannot be read. */
function readPlain(files: FileReader, path: string): Buffer | null {
  try {
    return readAll(files, path);
  } catch {
    return null;
  }
}

/** Decodes the bytes of an attachment; null for null. */
export function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Returns the modification time of a file in milliseconds; null when it does not exist. */
export function savedAt(files: FileReader, path: string): number | null {
  const state = files.stat(path);
  return state === null ? null : Number(state.mtimeNs / 1_000_000n);
}

/** Size and times of a file, for queries. */
export interface FileTimes {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970 UTC. */
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Its content is not on this machine: a sync service keeps it elsewhere. */
  readonly isOnlineOnly: boolean;
}

/** Creates the members of a vault that read files as they are right now. */
export function createReads({
  root,
  files,
  graph,
  counts,
}: {
  readonly root: string;
  readonly files: FileReader;
  readonly graph: Pick<GraphView, 'isAttachment' | 'get'>;
  readonly counts: Pick<WriteCounts, 'findNow'>;
}) {
  return {
    readUnstable(path: string) {
      const found = glanceAtNote(files, path);
      return found === null || found.rev !== null
        ? found
        : { ...found, rev: counts.findNow(path)?.(found.isPartial ? null : found.hash) ?? null };
    },
    readTextUnstable: (path: string) => readText(files, path),
    readAttachment: (path: string) => (graph.isAttachment(path) ? readFollowed(files, path, readAll) : null),
    readBytes: (path: string) => (graph.isAttachment(path) || graph.get(path) !== null ? readPlain(files, path) : null),
    readInChunks: (path: string) => readInChunks(files, path),
    timesOf: (path: string) => timesOf(files, path),
    isFolder: (path: string) => files.stat(path)?.kind === 'folder',
    realPath(path: string) {
      const real = files.realPath(path);
      return real.kind === 'inside' ? real.path : null;
    },
    createPlaceFinder: () => createPlaceFinder(root),
  };
}

/** Returns size and times of a file without reading it; null when it does not exist. */
function timesOf(files: FileReader, path: string): FileTimes | null {
  const state = files.stat(path);
  if (state === null) return null;
  const [modifiedMs, bornMs] = [Number(state.mtimeNs / 1_000_000n), Number(state.birthNs / 1_000_000n)];
  // Some file systems do not store a birth time.
  const createdMs = bornMs > 0 ? Math.min(bornMs, modifiedMs) : modifiedMs;
  return { size: state.size, modifiedMs, createdMs, isOnlineOnly: state.isOnlineOnly === true };
}
