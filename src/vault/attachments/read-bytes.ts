import { setImmediate } from 'node:timers/promises';
import type { FileReader } from '../../store/folder/file-system.ts';
import { isSameState } from '../../store/folder/file-system.ts';

/** The largest file that is searched. */
export const MAX_FILE_BYTES = 100 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/** Reads a whole file in pieces, between which others run; null when it changes meanwhile, or is no regular file. Follows no link. */
export async function readBytes(files: FileReader, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const before = files.stat(path);
  if (before?.kind !== 'file' || before.size > MAX_FILE_BYTES) return null;
  const bytes = new Uint8Array(before.size);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = files.read(path, { start: at, length: Math.min(PIECE_BYTES, bytes.length - at), isShared: true });
    if (piece === null || !isSameState(piece.state, before)) return null;
    bytes.set(piece.bytes, at);
    await setImmediate();
  }
  const after = files.stat(path);
  return after !== null && isSameState(after, before) ? bytes : null;
}
