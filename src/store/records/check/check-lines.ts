import type { FileReader } from '../../folder/file-system.ts';
import { readMark } from '../line-chain.ts';
import { isPacked, unpackLine } from '../compact/packed-lines.ts';
import type { RecordFault } from './record-fault.ts';
import { listSegments, MAX_SEGMENT_BYTES, parseLine } from '../segment-lines.ts';
import type { SequencedLine } from '../segment-lines.ts';

/** The location of a line, for messages. */
interface Place {
  readonly path: string;
  /** 1-based; each line inside a packed line counts. */
  readonly line: number;
}

/** Limit of the faults reported for one folder. */
const MAX_FAULTS = 50;

const RESTORE =
  'Bring the file back from a backup or from git, if you have one. Without it the history of these changes is lost; the notes are as they are.';

/**
 * Checks the lines of all segments in a folder: whether each is readable, unaltered, and follows the line before it. Calls `onLine` for
 * every readable line. Throws the system error when a segment cannot be read.
 */
export function checkLines<Line extends SequencedLine>(
  files: FileReader,
  {
    folder,
    isLine,
    onLine = () => undefined,
    isOwn = () => true,
  }: {
    folder: string;
    isLine: (value: unknown) => value is Line;
    onLine?: (line: Line) => void;
    /** Whether a line was written here. A foreign line is no fault: it may have come through git. */
    isOwn?: (text: string) => boolean;
  },
): { readonly faults: readonly RecordFault[]; readonly lines: number; readonly foreign: number } {
  const check = new LineCheck<Line>(isLine, files.now(), { onLine, isOwn });
  for (const { name, kind } of files.list(folder) ?? []) {
    if (!name.endsWith('.jsonl') || kind === 'file') continue;
    check.add(
      `${folder}/${name}`,
      `is a ${kind === 'other' ? 'pipe or device' : kind}, and roux reads no lines from it`,
      'Look at it, then delete it.',
    );
  }
  for (const name of listSegments(files, folder)) check.segment(`${folder}/${name}`, files);
  return { faults: check.faults, lines: check.count, foreign: check.foreign };
}

class LineCheck<Line extends SequencedLine> {
  readonly #isLine: (value: unknown) => value is Line;
  readonly #now: number;
  readonly #seen: { readonly onLine: (line: Line) => void; readonly isOwn: (text: string) => boolean };
  readonly #faults: RecordFault[] = [];
  /** Position of each line by its checksum. After a git merge a line may follow an earlier one. */
  readonly #known = new Map<string, Place>();
  #last: { readonly sum: string; readonly seq: number; readonly place: Place } | null = null;
  #more = 0;
  count = 0;
  foreign = 0;

  constructor(
    isLine: (value: unknown) => value is Line,
    now: number,
    seen: { readonly onLine: (line: Line) => void; readonly isOwn: (text: string) => boolean },
  ) {
    this.#isLine = isLine;
    this.#now = now;
    this.#seen = seen;
  }

  get faults(): readonly RecordFault[] {
    if (this.#more === 0) return this.#faults;
    return [
      ...this.#faults,
      { area: 'history', path: this.#faults[0]?.path ?? '', message: `and ${this.#more} more like these`, remedy: '' },
    ];
  }

  add(path: string, message: string, remedy: string): void {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ area: 'history', path, message, remedy });
    else this.#more += 1;
  }

  segment(path: string, files: FileReader): void {
    const found = files.read(path, { length: MAX_SEGMENT_BYTES + 1 });
    if (found === null) return;
    const { bytes } = found;
    if (bytes.length > MAX_SEGMENT_BYTES) {
      this.add(
        path,
        `has more than ${MAX_SEGMENT_BYTES / 1024 / 1024} MB, which roux never writes: only its end is read`,
        'Look where it comes from.',
      );
    }
    const end = bytes.lastIndexOf(0x0a) + 1;
    let line = 0;
    let room = MAX_SEGMENT_BYTES;
    for (const text of bytes.toString('utf8', 0, Math.max(0, end - 1)).split('\n')) {
      line += 1;
      if (!isPacked(text)) {
        this.#check(text, { path, line });
        continue;
      }
      const unpacked = unpackLine(text, room);
      if (unpacked === null) {
        this.add(`${path}:${line}`, 'holds packed lines that cannot be unpacked: the file is damaged there', RESTORE);
        continue;
      }
      room -= unpacked.length;
      line -= 1;
      for (const each of unpacked.replace(/\n$/, '').split('\n')) this.#check(each, { path, line: (line += 1) });
    }
    if (end < bytes.length) this.#checkEnd(bytes.toString('utf8', end), { path, line: end === 0 ? 1 : line + 1 });
  }

  /** Checks what comes after the last newline. */
  #checkEnd(text: string, { path, line }: Place): void {
    if (parseLine(text, this.#isLine, this.#now) !== null) {
      this.add(
        `${path}:${line}`,
        'is the last line and has no end, as some editors leave it',
        'The next write gives it one, or "roux fsck --repair".',
      );
      return;
    }
    const message = `is incomplete: the last ${Buffer.byteLength(text)} bytes are half a line, as a crash or a full disk leaves it`;
    this.add(`${path}:${line}`, message, 'Nothing that was confirmed is lost. The next write cuts it off, or "roux fsck --repair".');
  }

  #check(text: string, place: Place): void {
    if (text === '') return;
    const value = parseLine(text, this.#isLine, this.#now);
    const where = `${place.path}:${place.line}`;
    if (value === null) return this.add(where, 'cannot be read: it is no line that roux writes', RESTORE);
    this.count += 1;
    if (!this.#seen.isOwn(text)) this.foreign += 1;
    this.#seen.onLine(value);
    const { before, sum, isIntact } = readMark(text);
    const last = this.#last;
    this.#last = { sum, seq: value.seq, place };
    this.#known.set(sum, place);
    if (!isIntact) this.add(where, `was altered after it was written (event ${value.seq})`, RESTORE);
    if (last === null) return;
    const missing = value.seq - last.seq - 1;
    if (before === null) {
      // Lines written before chaining existed, or by an older version, have no link; only sequence numbers can show a gap.
      if (missing > 0) this.add(where, describeGap(last.seq + 1, value.seq - 1), RESTORE);
      return;
    }
    if (before === last.sum) return;
    const earlier = this.#known.get(before);
    if (earlier !== undefined) {
      const from = `${last.place.path === earlier.path ? 'line' : `${earlier.path}:`}${last.place.path === earlier.path ? ' ' : ''}${earlier.line}`;
      const message = `follows ${from}: what is between them was inserted, or comes from another copy of the vault that git merged`;
      return this.add(
        where,
        message,
        'If you merged two copies, all is well. Else look at the lines between, and delete those that are not yours.',
      );
    }
    if (missing > 0) return this.add(where, describeGap(last.seq + 1, value.seq - 1), RESTORE);
    this.add(
      where,
      `does not follow the line before it (event ${last.seq}): a line between them was removed, or that one was replaced`,
      RESTORE,
    );
  }
}

function describeGap(from: number, to: number): string {
  return from === to ? `comes after event ${from}, which is missing` : `comes after events ${from} to ${to}, which are missing`;
}
