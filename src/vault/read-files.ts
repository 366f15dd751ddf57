import { decodeNote } from '../note/parse.ts';
import { isIgnoredName } from '../note/path.ts';
import type { FileReader } from '../store/folder/file-system.ts';

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
export function readFollowed(files: FileReader, path: string): Buffer | null {
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
