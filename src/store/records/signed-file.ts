import type { FileSystem } from '../folder/file-system.ts';
import { hashOf } from '../folder/hash.ts';
import { readAllowed } from '../folder/read-allowed.ts';
import type { Origin } from '../origin.ts';

/** What a file of roux's own turned out to be. */
export type SignedFile =
  | { readonly kind: 'ours'; readonly body: Buffer }
  /** It came with the folder, or the folder was copied. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'damaged' }
  | { readonly kind: 'missing' };

/** Writes a body as a file that shows where it comes from: one line with its hash and the mark of its origin, then its bytes. `label` is what it is. */
export function encodeSigned(label: string, body: Buffer, origin: Pick<Origin, 'sign'>): Buffer {
  return Buffer.concat([encodeHead(label, hashOf(body), origin), body]);
}

/** The line that stands before a body of this hash. */
export function encodeHead(label: string, sha256: string, origin: Pick<Origin, 'sign'>): Buffer {
  return Buffer.from(`${JSON.stringify({ sha256, origin: origin.sign(`${label} ${sha256}`) })}\n`);
}

/** Reads such a file. How large it is is believed of our own only. */
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

export const MAX_HEAD_BYTES = 1024;
const MAX_BYTES = 2 ** 31 - 1;

/** Reads that line, without its end; null when it is none. */
export function readHead(line: string): { sha256: string; origin: unknown } | null {
  try {
    const head: unknown = JSON.parse(line);
    const isHead = typeof head === 'object' && head !== null && 'sha256' in head && typeof head.sha256 === 'string' && 'origin' in head;
    return isHead ? { sha256: head.sha256 as string, origin: head.origin } : null;
  } catch {
    return null;
  }
}
