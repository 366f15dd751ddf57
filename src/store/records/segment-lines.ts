import { isSameState } from '../folder/file-system.ts';
import type { FileReader, FileState, FileSystem } from '../folder/file-system.ts';
import { ifAllowed, ifAllowedLater, readAllowed } from '../folder/system-error.ts';
import { removeIfThere, writeAll } from '../folder/write-file.ts';
import { createSlice, runInSlices } from '../slices.ts';
import { isPacked, unpackLine } from './compact/packed-lines.ts';
import { readMark } from './line-chain.ts';
import type { LineAuthorship } from './line-chain.ts';

/** A line of an append-only file. Sequence numbers only grow; the time determines the segment. */
export interface SequencedLine {
  readonly seq: number;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The line was not written in this folder by this user, if that was checked. Never stored in the line; answers show it by this name. */
  readonly foreign?: true;
}

/** The lines of a part of a segment, up to the last complete one. */
export interface ParsedLines<Line> {
  readonly lines: readonly Line[];
  /** Offset of the end of the last complete line, in bytes. */
  readonly end: number;
  /** Checksum of the last line; null when there is none. */
  readonly sum: string | null;
  readonly isTorn: boolean;
  readonly isPacked: boolean;
  /** Total length of the lines, unpacked. */
  readonly length: number;
}

/** Lines of a segment with the state of its file when they were read; null without a file that may be read. */
export interface ReadLines<Line> extends ParsedLines<Line> {
  readonly state: FileState | null;
}

/** How to recognise lines. */
export interface ReadRules<Line extends SequencedLine> {
  readonly isLine: (value: unknown) => value is Line;
  /** Marks new lines and recognises foreign ones. Without it authorship is not checked. */
  readonly authorship?: LineAuthorship;
}

/** Bytes at the end of the segments that are read first. */
export const TAIL_BYTES = 64 * 1024;

/** A segment of this size is full; the month continues in another one. */
export const FULL_BYTES = 2 * 1024 * 1024;
/** roux writes no larger segment, packed or unpacked. Of a larger file only the last part is read. */
export const MAX_SEGMENT_BYTES = 64 * 1024 * 1024;

/** A valid line is never shorter: its sequence number, its time and the punctuation alone take this much. */
const MIN_LINE_CHARACTERS = 48;

/**
 * Maximum lines that are read of a segment. Its own lines are always among them: 64 MB hold fewer, and so does a file that is small enough to
 * be appended to, even if its lines are empty.
 */
const MAX_LINES = 4_000_000;

/** Enough bytes to recognise a packed segment. */
const PACKED_PREFIX_BYTES = 32;
const segmentName = /^\d{4}-\d{2}(?:-\d{4})?\.jsonl$/;

/** Reads the segments in a folder, without the writer lock. Finds nothing where this user has no permission. */
export class SegmentReader<Line extends SequencedLine> {
  protected readonly files: FileSystem;
  protected readonly folder: string;
  readonly #rules: ReadRules<Line>;

  constructor(files: FileSystem, folder: string, rules: ReadRules<Line>) {
    this.files = files;
    this.folder = folder;
    this.#rules = rules;
  }

  names(): readonly string[] {
    return ifAllowed(() => listSegments(this.files, this.folder), []);
  }

  stateOf(name: string): FileState | null {
    return ifAllowed(() => this.files.stat(this.pathOf(name)), null);
  }

  read(name: string): Promise<readonly Line[]> {
    return ifAllowedLater(async () => (await runInSlices(createSlice(), this.#readInSteps(name, this.#endStart(name)))).lines, []);
  }

  readAtOnce(name: string): readonly Line[] {
    return ifAllowed(() => this.readFrom(name, this.#endStart(name)).lines, []);
  }

  tail(bytes = TAIL_BYTES): readonly Line[] {
    const found: (readonly Line[])[] = [];
    let left = bytes;
    for (const name of this.names().toReversed()) {
      if (left <= 0) break;
      const size = this.#sizeOf(name);
      const start = Math.max(0, size - left);
      const { lines, length } = this.readFrom(name, start > 0 && isSegmentPacked(this.files, this.pathOf(name)) ? 0 : start);
      found.unshift(lines);
      left -= Math.max(size, length);
    }
    return found.flat();
  }

  protected pathOf(name: string): string {
    return `${this.folder}/${name}`;
  }

  /** Reads a segment from an offset to its last complete line, at most `most` lines. */
  protected readFrom(name: string, start: number, most = MAX_LINES): ReadLines<Line> {
    const steps = this.#readInSteps(name, start, most);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  *#readInSteps(name: string, start: number, most = MAX_LINES): Generator<void, ReadLines<Line>> {
    const { isLine, authorship } = this.#rules;
    const found = readAllowed(this.files, this.pathOf(name), { start, length: MAX_SEGMENT_BYTES });
    const bytes = found?.bytes ?? Buffer.alloc(0);
    const own = bytes.length === 0 ? {} : { isOwn: authorship?.recognizer() };
    const parsed = yield* parseLines(bytes, { isLine, now: this.files.now(), most, ...own });
    return { ...parsed, end: start + parsed.end, isPacked: start === 0 && parsed.isPacked, state: found?.state ?? null };
  }

  #sizeOf(name: string): number {
    return this.stateOf(name)?.size ?? 0;
  }

  /** Returns where the part of an oversized segment begins that is read. */
  #endStart(name: string): number {
    return Math.max(0, this.#sizeOf(name) - MAX_SEGMENT_BYTES);
  }
}

/** Lists the segments in a folder, oldest first. */
export function listSegments(files: Pick<FileReader, 'list'>, folder: string): readonly string[] {
  return (files.list(folder) ?? [])
    .filter(({ name, kind }) => kind === 'file' && segmentName.test(name))
    .map(({ name }) => name)
    .sort(byTime);
}

/** Whether the lines of a segment are packed. */
export function isSegmentPacked(files: Pick<FileReader, 'read'>, path: string): boolean {
  return isPacked(readAllowed(files, path, { length: PACKED_PREFIX_BYTES })?.bytes.toString('utf8') ?? '');
}

/** Yields the lines of a text and unpacks packed ones. Skips damaged lines and what exceeds the size of a segment. */
export function* linesOf(text: string): Generator<string> {
  let room = MAX_SEGMENT_BYTES;
  for (const line of splitLines(text)) {
    if (!isPacked(line)) {
      yield line;
      continue;
    }
    const unpacked = unpackLine(line, room);
    if (unpacked === null) continue;
    room -= Buffer.byteLength(unpacked);
    yield* splitLines(unpacked);
  }
}

/** Yields the lines of a text one by one: 64 MB may be as many empty lines, and an array of them half a gigabyte. */
function* splitLines(text: string): Generator<string> {
  for (let start = 0; ;) {
    const end = text.indexOf('\n', start);
    yield text.slice(start, end === -1 ? text.length : end);
    if (end === -1) return;
    start = end + 1;
  }
}

/** Parses the lines of a part of a segment, one a step, up to the last complete one. `isOwn`: whether a line was written here. */
function* parseLines<Line extends SequencedLine>(
  bytes: Buffer,
  how: {
    readonly isLine: (value: unknown) => value is Line;
    readonly isOwn?: ((line: string) => boolean) | undefined;
    readonly now: number;
    readonly most: number;
  },
): Generator<void, ParsedLines<Line>> {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const text = bytes.toString('utf8', 0, end);
  const lines: Line[] = [];
  let last: string | null = null;
  let [length, count] = [0, 0];
  for (const line of linesOf(text)) {
    yield;
    count += 1;
    if (count > how.most) break;
    length += line.length + 1;
    const value = parseLine(line, how.isLine, how.now);
    if (value === null) continue;
    lines.push(how.isOwn === undefined || how.isOwn(line) ? value : Object.assign(value, { foreign: true as const }));
    last = line;
  }
  const sum = last === null ? null : readMark(last).sum;
  return { lines, end, sum, isTorn: bytes.length > end, isPacked: isPacked(text), length };
}

/** Parses one line without its newline; null for anything that is not a valid line or has an impossible sequence number. */
export function parseLine<Line extends SequencedLine>(text: string, isLine: (value: unknown) => value is Line, now: number): Line | null {
  // Each failure of the parser takes microseconds, and millions of invalid lines seconds. git may have added carriage returns.
  const line = text.trim();
  if (line.length < MIN_LINE_CHARACTERS || !line.startsWith('{') || !line.endsWith('}')) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isLine(value) || !isCounted(value.seq, now)) return null;
    // `chain` is internal to the file, and a line cannot say of itself that it is foreign.
    if ('chain' in value) delete (value as { chain?: unknown }).chain;
    if ('foreign' in value) delete (value as { foreign?: unknown }).foreign;
    return value;
  } catch {
    return null;
  }
}

/** Whether a sequence number is plausible: at most one per millisecond since 1970. So a planted line cannot use the numbers up. */
function isCounted(seq: number, now: number): boolean {
  return Number.isInteger(seq) && seq >= 0 && seq <= now;
}

/**
 * Completes the last line of a segment: adds a missing newline, or cuts off half a line. Returns a report for people; null when the line
 * was complete.
 */
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

/** Whether a segment may be appended to. A file with a second name would change elsewhere too. */
export function mayBeWritten({ kind, links, mode }: FileState): boolean {
  return kind === 'file' && links <= 1 && (mode & 0o600) === 0o600;
}

/** The state of a folder of segments and of its last segment. */
export interface SegmentStamp {
  readonly name: string | null;
  readonly home: FileState | null;
  readonly segment: FileState | null;
}

/** Returns whether two stamps are of the same lines. */
export function isSameStamp(a: SegmentStamp, b: SegmentStamp): boolean {
  const isSame = (one: FileState | null, other: FileState | null): boolean =>
    one === null || other === null ? one === other : isSameState(one, other) && one.dev === other.dev;
  return a.name === b.name && isSame(a.home, b.home) && isSame(a.segment, b.segment);
}

/** Undoes a failed append. `size` is the size before; undefined when the file did not exist. */
export function undoAppend(files: FileSystem, path: string, size: number | undefined): void {
  try {
    if (size === undefined) removeIfThere(files, path);
    else files.cut(path, size);
  } catch {
    // The caller throws the original error.
  }
}

export const SUFFIX = '.jsonl';
/** Sorts `2026-11.jsonl` before `2026-11-0002.jsonl`. */
export function byTime(a: string, b: string): number {
  const [one, other] = [a.slice(0, -SUFFIX.length), b.slice(0, -SUFFIX.length)];
  return one < other ? -1 : one > other ? 1 : 0;
}
