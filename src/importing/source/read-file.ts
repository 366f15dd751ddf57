import { RouxError } from '../../errors.ts';
import type { Tally } from '../imported.ts';
import type { SourceFile } from './source-files.ts';

/** Returns the bytes of a file. Throws `TOO_LARGE` for one of more than `maxBytes`, whatever size it claims to have. */
export async function readBytes(file: SourceFile, maxBytes: number): Promise<Buffer> {
  if (file.size > maxBytes) throw tooLarge(file, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of file.chunks()) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(file, maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Returns the text of a file in UTF-8, without a BOM. */
export async function readText(file: SourceFile, maxBytes: number): Promise<string> {
  return (await readBytes(file, maxBytes)).toString('utf8').replace(/^\ufeff/, '');
}

/** Returns the text of a file; null for one that is too large or cannot be read, which is left out and named. */
export async function readTextOrLeave(file: SourceFile, maxBytes: number, tally: Tally): Promise<string | null> {
  try {
    return await readText(file, maxBytes);
  } catch (error) {
    tally.leave(file.path, faultOf(error));
    return null;
  }
}

/** Returns why a file cannot be read, as a clause without a full stop. Throws what is no fault of the file. */
export function faultOf(error: unknown): string {
  const fault = error instanceof RouxError ? error.details?.['fault'] : undefined;
  if (typeof fault !== 'string') throw error;
  return fault;
}

/** Returns the first bytes of a file. */
export async function readStart(file: SourceFile, bytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of file.chunks()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytes) break;
  }
  return Buffer.concat(chunks, size).subarray(0, bytes);
}

function tooLarge({ path, size }: SourceFile, maxBytes: number): RouxError {
  const more = `has more than ${Math.round(maxBytes / 1024 ** 2)} MB`;
  return new RouxError('TOO_LARGE', `${path} ${more}, which is the most that is read of such a file.`, { path, size, fault: `it ${more}` });
}
