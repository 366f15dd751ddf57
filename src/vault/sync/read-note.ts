import { isAscii } from 'node:buffer';
import { errorMessage, systemCode } from '../../errors.ts';
import type { Note, Problem } from '../../note/note.ts';
import { decodeNote, parseNote } from '../../note/parse.ts';
import type { ReadText } from '../../note/parse.ts';
import type { NotePath } from '../../note/path.ts';
import { wholeBytes } from '../../note/text.ts';
import type { FileBytes, FileReader, FileState } from '../../store/folder/file-system.ts';
import { ONLINE_ONLY, WHY_ONLINE_ONLY } from '../../store/folder/online-only.ts';
import { MAX_FILE_BYTES, hashOf, isTooLarge, stampHashOf } from '../../store/folder/hash.ts';

/** The bytes of a file with their hash. `torn`: the file changed while it was read. `read`: what is known of their text. */
export type ByteReading =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly state: FileState; readonly hash: string; readonly read?: ReadText }
  | { readonly kind: 'gone' }
  | { readonly kind: 'torn' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Bytes of a note that are indexed; the rest is still served. */
export const indexedBytes = 1024 * 1024;

/** Bytes that are read of such a note: the last character may extend beyond the limit. */
const BEGINNING_BYTES = indexedBytes + 4;

const TOO_LARGE = `This note is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB: only its first megabyte is indexed, and it is not written to. Split it into several notes.`;

/**
 * Reads and hashes a file at once; the bytes are valid until the next read, and complete if the size matches. Of a file that is too large to
 * be written only the beginning is read, and its hash covers size and time.
 */
export function readBytes(files: FileReader, path: string): ByteReading {
  try {
    const file = files.read(path, { isShared: true, maxBytes: MAX_FILE_BYTES });
    if (file === null) return { kind: 'gone' };
    if (isTooLarge(file.state)) {
      const beginning = readBeginning(files, path);
      return beginning === null ? { kind: 'gone' } : { kind: 'bytes', ...beginning, hash: stampHashOf(beginning.state) };
    }
    if (file.bytes.length !== file.state.size) return { kind: 'torn' };
    return { kind: 'bytes', bytes: file.bytes, state: file.state, hash: hashOf(file.bytes) };
  } catch (error) {
    return { kind: 'unreadable', reason: systemCode(error) === ONLINE_ONLY ? WHY_ONLINE_ONLY : errorMessage(error) };
  }
}

/** Reads the beginning of a large file; null if it is missing. */
export function readBeginning(files: Pick<FileReader, 'read'>, path: string): FileBytes | null {
  return files.read(path, { length: BEGINNING_BYTES });
}

/**
 * Reads at once what is searched of a note, even in the middle of a save; null if it cannot be read, or is one of those that are not read.
 * Valid until the next read. `indexed`: as many of its bytes are parsed.
 */
export function readForIndex(
  files: FileReader,
  path: string,
  held: ReadonlyMap<string, unknown>,
): { readonly bytes: Buffer; readonly indexed: number; readonly size: number } | null {
  try {
    const small = held.size === 0 ? (files.glance?.(path) ?? null) : null;
    if (small !== null) return { bytes: small, indexed: indexedOf(small), size: small.length };
    const found = files.read(path, { isShared: true, maxBytes: MAX_FILE_BYTES });
    const file = found !== null && isTooLarge(found.state) ? readBeginning(files, path) : found;
    if (file === null) return null;
    const { bytes, state } = file;
    if (held.size > 0 && held.has(isTooLarge(state) ? stampHashOf(state) : hashOf(bytes))) return null;
    const indexed = indexedOf(bytes);
    return { bytes: isTooLarge(state) ? bytes.subarray(0, indexed) : bytes, indexed, size: state.size };
  } catch {
    return null;
  }
}

/** Returns how many bytes of a note are parsed. */
function indexedOf(bytes: Buffer): number {
  return bytes.length > indexedBytes ? wholeBytes(bytes, indexedBytes) : bytes.length;
}

/** Decodes like `decodeNote`, at half the cost where all is ASCII. */
function decode(bytes: Buffer): ReturnType<typeof decodeNote> {
  return isAscii(bytes) ? { text: bytes.toString('latin1') } : decodeNote(bytes);
}

/**
 * Parses a note. Only the beginning of a huge note is indexed; if `size` exceeds the bytes, they are its beginning. `read`: a text whose body
 * was read before, probably this one.
 */
export function noteOf(
  path: NotePath,
  bytes: Buffer,
  { forIndex, size = bytes.length, read }: { forIndex: boolean; size?: number; read?: ReadText | undefined },
): Note {
  const isLarge = size > indexedBytes;
  const isCut = isLarge && (forIndex || bytes.length < size);
  const { text, problem } = decode(isCut ? bytes.subarray(0, wholeBytes(bytes, indexedBytes)) : bytes);
  const problems: Problem[] = problem === undefined ? [] : [problem];
  if (isTooLarge({ size })) problems.push({ code: 'too-large-to-write', message: TOO_LARGE });
  else if (isLarge) problems.push({ code: 'too-large', message: 'Only the first megabyte of this note is indexed.' });
  return parseNote(path, text, { problems, body: read?.text === text ? read.body : null });
}
