import type { FileSystem } from '../folder/file-system.ts';
import { hashOf } from '../folder/hash.ts';
import { readAllowed } from '../folder/system-error.ts';
import type { Origin } from '../origin.ts';

/** The result of reading a signed file. */
export type SignedFile =
  | { readonly kind: 'ours'; readonly body: Buffer }
  /** It came with the folder, or the folder was copied. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'missing' };

export const MAX_HEAD_BYTES = 1024;
const MAX_BYTES = 2 ** 31 - 1;

/**
 * Encodes a body as a signed file: one line with the body's hash and origin mark, then the body. `label` names the purpose of the file and
 * is signed too.
 */
export function encodeSigned(label: string, body: Buffer, origin: Pick<Origin, 'sign'>): Buffer {
  return Buffer.concat([encodeHead(label, hashOf(body), origin), body]);
}

/** Encodes the first line of a signed file. */
export function encodeHead(label: string, sha256: string, origin: Pick<Origin, 'sign'>): Buffer {
  return Buffer.from(`${JSON.stringify({ sha256, origin: origin.sign(`${label} ${sha256}`) })}\n`);
}

/** Reads a signed file. The size is trusted only after the signature was checked. */
export function readSigned(
  files: Pick<FileSystem, 'read'>,
  { path, label }: { readonly path: string; readonly label: string },
  origin: Pick<Origin, 'isOurs'>,
): SignedFile {
  const start = readAllowed(files, path, { length: MAX_HEAD_BYTES })?.bytes;
  if (start === undefined) return { kind: 'missing' };
  const end = start.indexOf(0x0a);
  const head = end < 0 ? null : readHead(start.toString('utf8', 0, end));
  if (head === null) return { kind: 'damaged' };
  if (!origin.isOurs(`${label} ${head.sha256}`, head.origin)) return { kind: 'foreign' };
  const body = readAllowed(files, path, { length: MAX_BYTES })?.bytes.subarray(end + 1);
  return body !== undefined && hashOf(body) === head.sha256 ? { kind: 'ours', body } : { kind: 'damaged' };
}

/** Parses the first line, without its newline; null when it is not valid. */
export function readHead(line: string): { sha256: string; origin: unknown } | null {
  try {
    const head: unknown = JSON.parse(line);
    const isHead = typeof head === 'object' && head !== null && 'sha256' in head && typeof head.sha256 === 'string' && 'origin' in head;
    return isHead ? { sha256: head.sha256 as string, origin: head.origin } : null;
  } catch {
    return null;
  }
}
