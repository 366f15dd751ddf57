import { hash as digest } from 'node:crypto';
import { isSameState } from '../../disk/disk.ts';
import type { Disk, DiskStat } from '../../disk/disk.ts';
import { errorMessage } from '../../errors.ts';
import type { Note, Problem } from '../../note/note.ts';
import { decodeNote, parseNote } from '../../note/parse.ts';
import type { NotePath } from '../../note/path.ts';

/** A note with the state of the file that it was read from. */
export interface ReadNote {
  readonly kind: 'note';
  readonly note: Note;
  readonly stat: DiskStat;
  /** sha-256 of the bytes, hex. */
  readonly hash: string;
}

/** What reading a note's file gave. `torn`: the file changed while it was read. */
export type NoteReading =
  ReadNote | { readonly kind: 'gone' } | { readonly kind: 'torn' } | { readonly kind: 'unreadable'; readonly reason: string };

/** The bytes of one file with their hash, before anything is made of them. */
export type ByteReading =
  { readonly kind: 'bytes'; readonly bytes: Buffer; readonly stat: DiskStat; readonly hash: string } | Exclude<NoteReading, ReadNote>;

/** Longest part of a note that is indexed, in bytes; the rest is still served. */
export const indexedBytes = 1024 * 1024;

/** Read and hash a file. What was read is whole if the size matches and, with `isStable`, nothing changed meanwhile. */
export function readBytes(disk: Disk, path: string, { isLink = false, isStable = false } = {}): ByteReading {
  try {
    const file = disk.read(path, { follow: isLink });
    if (file === null) return { kind: 'gone' };
    if (file.bytes.length !== file.stat.size) return { kind: 'torn' };
    if (isStable) {
      const after = isLink ? disk.follow(path) : disk.stat(path);
      if (after === null) return { kind: 'gone' };
      if (!isSameState(file.stat, after)) return { kind: 'torn' };
    }
    return { kind: 'bytes', bytes: file.bytes, stat: file.stat, hash: digest('sha256', file.bytes, 'hex') };
  } catch (error) {
    return { kind: 'unreadable', reason: errorMessage(error) };
  }
}

/** Make a note of bytes. For the index of a huge note only its beginning is read. */
export function noteOf(path: NotePath, bytes: Buffer, { forIndex }: { forIndex: boolean }): Note {
  const isLarge = bytes.length > indexedBytes;
  const { text, problem } = decodeNote(isLarge && forIndex ? beginning(bytes) : bytes);
  const note = parseNote(path, text);
  const problems: Problem[] = [...note.problems];
  if (problem !== undefined) problems.push(problem);
  if (isLarge && !problems.some(({ code }) => code === 'too-large')) {
    problems.push({ code: 'too-large', message: 'Only the first megabyte of this note is indexed.' });
  }
  return problems.length === note.problems.length ? note : { ...note, problems };
}

/** The first megabyte, cut between two characters. */
function beginning(bytes: Buffer): Buffer {
  let end = indexedBytes;
  while (end > indexedBytes - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}
