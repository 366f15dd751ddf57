import type { GraphView } from '../graph/view.ts';
import { decodeNote } from '../note/parse.ts';
import { isIgnoredName } from '../note/path.ts';
import type { FileReader } from '../store/folder/file-system.ts';
import { glanceAtNote } from './sync/read-note-now.ts';

/** Whether a vault may be written to: a folder without any write permission is one that nobody wants written to, whoever runs roux. */
export function isWritable(files: FileReader): boolean {
  return ((files.stat('')?.mode ?? 0) & 0o222) !== 0;
}

/** The text of a note for search, as it is this instant: a snippet does not wait for a save to end. */
export function readText(files: FileReader, path: string): string | null {
  const bytes = readFollowed(files, path);
  return bytes === null ? null : decodeNote(bytes).text;
}

/** The bytes under a name, also where it is a link inside the vault; null when they cannot be read. */
function readFollowed(files: FileReader, path: string): Buffer | null {
  try {
    const own = files.read(path);
    if (own !== null) return own.bytes;
    const real = files.realPath(path);
    const isOpen = real.kind === 'inside' && !real.path.split('/').some(isIgnoredName);
    return isOpen ? (files.read(real.path)?.bytes ?? null) : null;
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
    readAttachment: (path: string) => (graph.isAttachment(path) ? readFollowed(files, path) : null),
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
