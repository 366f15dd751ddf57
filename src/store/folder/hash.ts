import { hash as digest } from 'node:crypto';
import { systemCode } from '../../errors.ts';
import type { FileBytes, FileReader, FileState } from './file-system.ts';

/** Largest file that a write may leave, in bytes. Larger ones that people keep are moved and removed without being read. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** sha-256 of bytes or text, hex: the `etag`, and what a compare-and-set compares. */
export function hashOf(content: Uint8Array | string): string {
  return digest('sha256', content, 'hex');
}

/** Whether a file is too large to be written, and is therefore known by its size and time alone. */
export function isTooLarge({ size }: Pick<FileState, 'size'>): boolean {
  return size > MAX_FILE_BYTES;
}

/** What stands for the hash of a file that is too large to be read for it: size and modification time, which a rename leaves as they are. */
export function stampHashOf({ size, mtimeNs }: Pick<FileState, 'size' | 'mtimeNs'>): string {
  return hashOf(`roux size and time ${size} ${mtimeNs}`);
}

/** Whether a file that was read is the one of this hash, which for a large file may be the one of its size and time. */
export function hasHash({ bytes, state }: FileBytes, hash: string): boolean {
  return (isTooLarge(state) && stampHashOf(state) === hash) || hashOf(bytes) === hash;
}

/**
 * Returns the hash of a file as it is now; null when there is none, `too large` for one that no write of roux left.
 * A large file that still has the size and time for which `expected` stands is not read.
 */
export function hashAt(files: Pick<FileReader, 'read'>, path: string, expected: string | null = null): string | null {
  try {
    if (expected !== null) {
      const known = files.read(path, { most: MAX_FILE_BYTES });
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
