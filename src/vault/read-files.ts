import type { GraphView } from '../graph/view.ts';
import { decodeNote } from '../note/parse.ts';
import { isIgnoredName } from '../note/path.ts';
import { wholeBytes } from '../note/text.ts';
import type { FileReader } from '../store/folder/file-system.ts';
import { isTooLarge, MAX_FILE_BYTES } from '../store/folder/hash.ts';
import { indexedBytes, readBeginning } from './sync/read-note.ts';
import { glanceAtNote, readInChunks } from './sync/read-note-now.ts';

/** Whether a vault may be written to: a folder without any write permission is one that nobody wants written to, whoever runs roux. */
export function isWritable(files: FileReader): boolean {
  return ((files.stat('')?.mode ?? 0) & 0o222) !== 0;
}

/** The text of a note for search, as it is this instant: a snippet does not wait for a save to end. Of one that is too large to be written its beginning. */
export function readText(files: FileReader, path: string): string | null {
  const bytes = readFollowed(files, path, readBounded);
  return bytes === null ? null : decodeNote(bytes).text;
}

/** The bytes of a note, as many of a large one as are indexed. */
function readBounded(files: FileReader, path: string): Buffer | null {
  const found = files.read(path, { most: MAX_FILE_BYTES });
  if (found === null || !isTooLarge(found.state)) return found?.bytes ?? null;
  const beginning = readBeginning(files, path)?.bytes;
  return beginning === undefined ? null : beginning.subarray(0, wholeBytes(beginning, indexedBytes));
}

const readAll = (files: FileReader, path: string): Buffer | null => files.read(path)?.bytes ?? null;

/** The bytes under a name, also where it is a link inside the vault; null when they cannot be read. */
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

/** The text in the bytes of an attachment, null for none. */
export function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** When a file was last written to, in milliseconds; null when it is not there. */
export function savedAt(files: FileReader, path: string): number | null {
  const state = files.stat(path);
  return state === null ? null : Number(state.mtimeNs / 1_000_000n);
}

/** Size and times of a file, as queries ask for them. */
export interface FileTimes {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since 1970 UTC. */
  readonly createdMs: number;
  readonly modifiedMs: number;
}

/** Reads of what is there at this instant, as the vault offers them. */
export function openReads(files: FileReader, graph: Pick<GraphView, 'isAttachment'>) {
  return {
    glance: (path: string) => glanceAtNote(files, path),
    peek: (path: string) => readText(files, path),
    readAttachment: (path: string) => (graph.isAttachment(path) ? readFollowed(files, path, readAll) : null),
    readInChunks: (path: string) => readInChunks(files, path),
    timesOf: (path: string) => timesOf(files, path),
  };
}

/** Size and times of a file at this instant, without reading it; null when it is not there. */
function timesOf(files: FileReader, path: string): FileTimes | null {
  const state = files.stat(path);
  if (state === null) return null;
  const [modifiedMs, bornMs] = [Number(state.mtimeNs / 1_000_000n), Number(state.birthNs / 1_000_000n)];
  // Some file systems keep no birth time.
  return { size: state.size, modifiedMs, createdMs: bornMs > 0 ? Math.min(bornMs, modifiedMs) : modifiedMs };
}
