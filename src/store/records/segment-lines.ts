import type { FileReader, FileState, FileSystem } from '../folder/file-system.ts';
import { readAllowed } from '../folder/read-allowed.ts';
import { removeIfThere, writeAll } from '../folder/write-file.ts';
import { isPacked, unpackLine } from './compact/packed-lines.ts';

/** One line of an append-only file: a sequence number that only grows, and a time that names the segment. */
export interface SequencedLine {
  readonly seq: number;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The line was not written in this folder by this user, where that is looked at. Never in the line itself; answers show it by this name. */
  readonly foreign?: true;
}

/** With so many bytes a segment is full, and the month goes on in the next one. */
export const FULL_BYTES = 2 * 1024 * 1024;
/** Nobody's segment is larger, packed or unpacked; of one that was put there, no more than this is read. */
export const MAX_SEGMENT_BYTES = 64 * 1024 * 1024;

/** The names of the segments in a folder, oldest first. */
export function listSegments(files: Pick<FileReader, 'list'>, folder: string): readonly string[] {
  return (files.list(folder) ?? [])
    .filter(({ name, kind }) => kind === 'file' && segmentName.test(name))
    .map(({ name }) => name)
    .sort(byTime);
}

/** Whether the lines of a segment are packed. */
export function isSegmentPacked(files: Pick<FileReader, 'read'>, path: string): boolean {
  return isPacked(readAllowed(files, path, { length: PACKED_BEGINNING_BYTES })?.bytes.toString('utf8') ?? '');
}

/** The lines of a text, those that are packed in it unpacked. What is more than a segment may hold, or is damaged, is left out. */
export function* linesOf(text: string): Generator<string> {
  let room = MAX_SEGMENT_BYTES;
  for (const line of text.split('\n')) {
    if (!isPacked(line)) {
      yield line;
      continue;
    }
    const unpacked = unpackLine(line, room);
    if (unpacked === null) continue;
    room -= Buffer.byteLength(unpacked);
    yield* unpacked.split('\n');
  }
}

/** Reads one line without its end; null for what is none, or has a number that cannot have been given by counting until `now`. */
export function parseLine<Line extends SequencedLine>(text: string, isLine: (value: unknown) => value is Line, now: number): Line | null {
  if (text === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isLine(value) || !isCounted(value.seq, now)) return null;
    // Of the file, and of no concern to whoever reads events; and what no line says of itself.
    if ('chain' in value) delete (value as { chain?: unknown }).chain;
    if ('foreign' in value) delete (value as { foreign?: unknown }).foreign;
    return value;
  } catch {
    return null;
  }
}

/**
 * Whether a number can have been given by counting: not more than one a millisecond since 1970. Whoever plants a line cannot use
 * the numbers up: the limit moves on faster than anybody counts.
 */
function isCounted(seq: number, now: number): boolean {
  return Number.isInteger(seq) && seq >= 0 && seq <= now;
}

/** Gives the last line of a segment its end when it is whole, and else cuts it off; null when nothing was to do. */
export async function repairEnd(
  files: FileSystem,
  { path, size }: { readonly path: string; readonly size: number },
  isWhole: (text: string) => boolean,
): Promise<string | null> {
  const start = Math.max(0, size - MAX_SEGMENT_BYTES);
  const bytes = files.read(path, { start, length: MAX_SEGMENT_BYTES })?.bytes ?? Buffer.alloc(0);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end === bytes.length) return null;
  const file = isWhole(bytes.toString('utf8', end)) ? files.append(path) : null;
  if (file === null) files.cut(path, start + end);
  try {
    if (file !== null) writeAll(file, Buffer.from('\n'));
    await file?.sync();
  } finally {
    file?.close();
  }
  return file === null
    ? `The last line of ${path} was incomplete, as a crash or a full disk leaves it: its ${bytes.length - end} bytes were cut off.`
    : `The last line of ${path} had no end; it was given one.`;
}

/** One with a second name would change elsewhere too; one without rights is not for writing. */
export function mayBeWritten({ kind, links, mode }: FileState): boolean {
  return kind === 'file' && links <= 1 && (mode & 0o600) === 0o600;
}

/** Takes back what an append that failed has written; `size`: what the segment had before, undefined where there was none. */
export function takeBack(files: FileSystem, path: string, size: number | undefined): void {
  try {
    if (size === undefined) removeIfThere(files, path);
    else files.cut(path, size);
  } catch {
    // The failure that led here is the one to tell.
  }
}

export const SUFFIX = '.jsonl';
/** Enough to tell whether a segment is packed. */
const PACKED_BEGINNING_BYTES = 32;
const segmentName = /^\d{4}-\d{2}(?:-\d{4})?\.jsonl$/;

/** `2026-11.jsonl` before `2026-11-0002.jsonl`. */
export function byTime(a: string, b: string): number {
  const [one, other] = [a.slice(0, -SUFFIX.length), b.slice(0, -SUFFIX.length)];
  return one < other ? -1 : one > other ? 1 : 0;
}
