import { hash as digest } from 'node:crypto';
import { systemCode } from '../../errors.ts';
import type { FileReader } from './file-system.ts';

/** sha-256 of bytes or text, hex: the `etag`, and what a compare-and-set compares. */
export function hashOf(content: Uint8Array | string): string {
  return digest('sha256', content, 'hex');
}

/** The hash of a file as it is now; null when there is none, `too large` for one that no write of roux left. */
export function hashAt(files: Pick<FileReader, 'read'>, path: string): string | null {
  try {
    const found = files.read(path);
    return found === null ? null : hashOf(found.bytes);
  } catch (error) {
    if (systemCode(error) !== 'EFBIG') throw error;
    return 'too large';
  }
}
