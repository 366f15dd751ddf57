import { hash as digest } from 'node:crypto';
import { systemCode } from '../../errors.ts';
import type { FileBytes, FileReader, FileState } from './file-system.ts';

/** Largest file that roux writes, in bytes. Larger files of people are moved and removed without being read. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Returns the sha-256 of bytes or text in hex: the `etag`, and what expectations are compared with. */
export function hashOf(content: Uint8Array | string): string {
  return digest('sha256', content, 'hex');
}

/** Returns whether a file is too large to be written, and is therefore identified by size and time only. */
export function isTooLarge({ size }: Pick<FileState, 'size'>): boolean {
  return size > MAX_FILE_BYTES;
}

/** Returns the substitute hash of a file that is too large to be read: of its size and modification time, which a rename preserves. */
export function stampHashOf({ size, mtimeNs }: Pick<FileState, 'size' | 'mtimeNs'>): string {
  return hashOf(`roux size and time ${size} ${mtimeNs}`);
}

/** Whether a file that was read is the one of this hash, which for a large file may be the one of its size and time. */
export function hasHash({ bytes, state }: FileBytes, hash: string): boolean {
  return (isTooLarge(state) && stampHashOf(state) === hash) || hashOf(bytes) === hash;
}

/**
 * Returns the present hash of a file; null when there is none, `too large` for one larger than roux ever writes. A large file that still
 * has the size and time of `expected` is not read.
 */
export function hashAt(files: Pick<FileReader, 'read'>, path: string, expected: string | null = null): string | null {
  try {
    if (expected !== null) {
      const known = files.read(path, { maxBytes: MAX_FILE_BYTES });
      if (known === null) return null;
      if (!isTooLarge(known.state)) return hashOf(known.bytes);
      if (stampHashOf(known.state) === expected) return expected;
    }
    const found = files.read(path);
    return found === null ? null : hashOf(found.bytes);
  } catch (error) {
    if (systemCode(error) !== 'EFBIG') throw error;
    return 'too large';
  }
}
