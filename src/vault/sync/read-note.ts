import { errorMessage } from '../../errors.ts';
import type { Note, Problem } from '../../note/note.ts';
import { decodeNote, parseNote } from '../../note/parse.ts';
import type { NotePath } from '../../note/path.ts';
import { wholeBytes } from '../../note/text.ts';
import type { FileReader, FileState } from '../../store/folder/file-system.ts';
import { hashOf } from '../../store/folder/hash.ts';

/** The bytes of one file with their hash, before anything is made of them. `torn`: the file changed while it was read. */
export type ByteReading =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly state: FileState; readonly hash: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'torn' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Longest part of a note that is indexed, in bytes; the rest is still served. */
export const indexedBytes = 1024 * 1024;

/** Read and hash a file as it is this instant; the bytes are valid until the next read. What was read is whole if the size matches. */
export function readBytes(files: FileReader, path: string): ByteReading {
  try {
    const file = files.read(path, { isShared: true });
    if (file === null) return { kind: 'gone' };
    if (file.bytes.length !== file.state.size) return { kind: 'torn' };
    return { kind: 'bytes', bytes: file.bytes, state: file.state, hash: hashOf(file.bytes) };
  } catch (error) {
    return { kind: 'unreadable', reason: errorMessage(error) };
  }
}

/** Make a note of bytes. For the index of a huge note only its beginning is read. */
export function noteOf(path: NotePath, bytes: Buffer, { forIndex }: { forIndex: boolean }): Note {
  const isLarge = bytes.length > indexedBytes;
  const { text, problem } = decodeNote(isLarge && forIndex ? bytes.subarray(0, wholeBytes(bytes, indexedBytes)) : bytes);
  const problems: Problem[] = problem === undefined ? [] : [problem];
  if (isLarge) problems.push({ code: 'too-large', message: 'Only the first megabyte of this note is indexed.' });
  return parseNote(path, text, { problems });
}
