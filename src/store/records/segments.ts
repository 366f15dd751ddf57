import type { FileState, FileSystem } from '../folder/file-system.ts';
import { writeAll } from '../folder/write-file.ts';
import { CHAIN_START, chainLine } from './line-chain.ts';
import {
  byTime,
  FULL_BYTES,
  isSameStamp,
  listSegments,
  mayBeWritten,
  parseLine,
  repairEnd,
  SegmentReader,
  SUFFIX,
  TAIL_BYTES,
  undoAppend,
} from './segment-lines.ts';
import type { ReadLines, ReadRules, SegmentStamp, SequencedLine } from './segment-lines.ts';

/**
 * How much of a segment is searched for its last valid line. A segment that roux wrote ends with one; searching millions of invalid lines,
 * which come from elsewhere, would block every call for seconds.
 */
const MAX_END_BYTES = 16 * 1024 * 1024;
const MAX_END_LINES = 50_000;

/**
 * The append-only lines of a folder, in one or more segments a month. All but `read`, `stateOf`, `names` and `tail` require the writer lock.
 */
export interface Segments<Line extends SequencedLine> {
  /** The highest sequence number seen so far. */
  readonly lastSeq: number;
  /**
   * Returns the lines appended since the last call. The first call returns none. `home`: the state of the folder, for a caller that has just
   * looked at it.
   */
  poll(home?: FileState | null): PollResult<Line>;
  append(lines: readonly Line[], isSynced: boolean): Promise<void>;
  /** Repairs a last line that a crash left half written. Returns a report, or null. Call it before an `append` without a `poll`. */
  repair(): Promise<string | null>;
  /** Returns the last lines that fit into this many bytes, across segments. */
  tail(bytes?: number): readonly Line[];
  /** Lists the segments, oldest first. Like `tail` and `read`, returns nothing where this user has no permission. */
  names(): readonly string[];
  /**
   * Returns the lines of one segment in order, without damaged ones. Of an oversized segment only the end is read. Works in slices of a few
   * milliseconds, since a segment may have hundreds of thousands of lines.
   */
  read(name: string): Promise<readonly Line[]>;
  /** Like `read`, but holds the main thread meanwhile: for callers that cannot wait. */
  readAtOnce(name: string): readonly Line[];
  /** Returns the state of the file of a segment, which changes with its lines; null when it is gone. */
  stateOf(name: string): FileState | null;
}

/** Lines that were appended since the last `poll`. */
export interface PollResult<Line> {
  readonly lines: readonly Line[];
  /** False when segments were truncated or replaced, so that lines may be missing. */
  readonly isComplete: boolean;
  /** The last line has no newline: a crash or a full disk left it half written. */
  readonly isTorn: boolean;
}

/** How to recognise lines, and who receives what is appended by any process. */
export interface LineRules<Line extends SequencedLine> extends ReadRules<Line> {
  readonly onLines?: (lines: readonly Line[]) => void;
}

interface Position {
  readonly name: string;
  /** Offset of the end of the last complete line, in bytes. */
  readonly end: number;
  readonly ino: bigint;
}

/** Longer than the coarsest timestamp granularity of folders on common file systems. */
export const RACY_MS = 2_500;

/** The segments in a folder of `.roux`, with the position up to which they were read. */
export class SegmentLog<Line extends SequencedLine> extends SegmentReader<Line> implements Segments<Line> {
  readonly #rules: LineRules<Line>;
  #known: Position | null = null;
  #hasPolled = false;
  #lastSeq = 0;
  /** Checksum of the last line, which the next one repeats. */
  #lastSum: string | null = null;
  #isTorn = false;
  /** What `repair` read, for the next `poll`. */
  #unreported: Omit<PollResult<Line>, 'isTorn'> | null = null;
  #lastStamp: SegmentStamp | null = null;
  /** The segment whose name this process has made durable. The process that created the file may have been killed before it synced the folder. */
  #syncedName: string | null = null;

  constructor(files: FileSystem, folder: string, rules: LineRules<Line>) {
    super(files, folder, rules);
    this.#rules = rules;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  poll(home: FileState | null = null): PollResult<Line> {
    const now = this.#readStamp(home);
    const before = this.#unreported;
    if (before === null && this.#lastStamp !== null && isSameStamp(this.#lastStamp, now))
      return { lines: [], isComplete: true, isTorn: this.#isTorn };
    const found = this.#readNew();
    this.#lastStamp = now.name === (this.#known?.name ?? null) && this.#isReliable(now) ? now : null;
    this.#unreported = null;
    if (before === null) return { ...found, isTorn: this.#isTorn };
    return { lines: [...before.lines, ...found.lines], isComplete: before.isComplete && found.isComplete, isTorn: this.#isTorn };
  }

  async append(lines: readonly Line[], isSynced: boolean): Promise<void> {
    const { files, folder } = this;
    const [first] = lines;
    if (first === undefined) return;
    const marks = await this.#rules.authorship?.marks();
    const { name, size } = this.#segmentFor(first.timestamp);
    const path = this.pathOf(name);
    const end = this.#known?.name === name ? this.#known.end : 0;
    let sum = this.#lastSum ?? CHAIN_START;
    const texts = lines.map((line) => {
      const chained = chainLine(line, sum, marks);
      sum = chained.sum;
      return `${chained.text}\n`;
    });
    // A half-written line that could not be cut off is ended here, so that the next one begins on a new line.
    const bytes = Buffer.from((size !== undefined && size > end ? '\n' : '') + texts.join(''));
    const file = files.append(path);
    let state: FileState;
    try {
      writeAll(file, bytes);
      if (isSynced) await file.sync();
      state = file.state();
    } catch (error) {
      // Half a batch must not look like history. Readers skip a half line that cannot be removed.
      undoAppend(files, path, size);
      throw error;
    } finally {
      file.close();
    }
    if (isSynced && (size === undefined || this.#syncedName !== name)) {
      await files.syncFolder(folder);
      this.#syncedName = name;
    }
    this.#known = { name, end: (size ?? 0) + bytes.length, ino: state.ino };
    // No other process appended since the last poll: this one holds the writer lock.
    this.#lastStamp = this.#lastStamp?.name === name ? { ...this.#lastStamp, segment: state } : null;
    this.#lastSum = sum;
    this.#isTorn = false;
    this.#report(lines);
  }

  async repair(): Promise<string | null> {
    const { files } = this;
    const name = listSegments(files, this.folder).at(-1);
    const state = name === undefined ? null : files.stat(this.pathOf(name));
    const isWhole = (text: string): boolean => parseLine(text, this.#rules.isLine, files.now()) !== null;
    const mayRepair = name !== undefined && state !== null && mayBeWritten(state);
    const repaired = mayRepair ? await repairEnd(files, { path: this.pathOf(name), size: state.size }, isWhole) : null;
    // The caller will append next and needs to know the end.
    const found = this.#readNew();
    const before = this.#unreported;
    this.#unreported = { lines: [...(before?.lines ?? []), ...found.lines], isComplete: before?.isComplete !== false && found.isComplete };
    return repaired;
  }

  #readNew(): Omit<PollResult<Line>, 'isTorn'> {
    const all = listSegments(this.files, this.folder);
    if (!this.#hasPolled) {
      this.#hasPolled = true;
      this.#readEnd(all);
      return { lines: [], isComplete: true };
    }
    const from = this.#known;
    const lines: Line[] = [];
    for (const name of all) {
      if (from !== null && byTime(name, from.name) < 0) continue;
      const found = name === from?.name ? this.#readAppended(from) : this.readFrom(name, 0);
      if (found === null) break;
      for (const line of found.lines) lines.push(line);
      this.#known = { name, end: found.end, ino: (found.state ?? this.files.stat(this.pathOf(name)))?.ino ?? 0n };
      this.#lastSum = found.sum ?? this.#lastSum;
      this.#isTorn = found.isTorn;
    }
    if (from !== null && this.#known === from) {
      this.#readEnd(all);
      return { lines: [], isComplete: false };
    }
    this.#report(lines);
    return { lines, isComplete: true };
  }

  /** Reads what was appended to the last known segment; null when the file was replaced and new lines cannot be determined. */
  #readAppended(from: Position): ReadLines<Line> | null {
    const found = this.readFrom(from.name, from.end);
    const { state } = found;
    if (state === null) return this.files.stat(this.pathOf(from.name))?.ino === from.ino ? found : null;
    if (state.ino === from.ino) return state.size < from.end ? null : found;
    // It was packed meanwhile: the same lines, and those appended before it was full.
    const whole = this.readFrom(from.name, 0);
    return whole.isPacked ? { ...whole, lines: whole.lines.filter(({ seq }) => seq > this.#lastSeq) } : null;
  }

  /** Finds the end by reading only the tail of the last segments. */
  #readEnd(all: readonly string[]): void {
    this.#known = null;
    this.#lastSum = null;
    this.#isTorn = false;
    for (const name of all.toReversed()) {
      const state = this.files.stat(this.pathOf(name));
      const size = state?.size ?? 0;
      for (let length = TAIL_BYTES; ; length *= 8) {
        const start = Math.max(0, size - Math.min(length, MAX_END_BYTES));
        const found = this.readFrom(name, start, MAX_END_LINES);
        if (this.#known === null) {
          this.#known = { name, end: found.end, ino: state?.ino ?? 0n };
          this.#isTorn = found.isTorn;
        }
        this.#advance(found.lines);
        this.#lastSum ??= found.sum;
        if (found.lines.length > 0) return;
        if (start === 0 || length >= MAX_END_BYTES) break;
      }
    }
  }

  /** Returns the segment for a line of this time: not before the last segment, and writable. */
  #segmentFor(timestamp: string): { name: string; size: number | undefined } {
    const month = timestamp.slice(0, 7);
    const last = this.#known === null ? '' : this.#known.name.slice(0, -SUFFIX.length);
    // If the clock went back, later lines must still not go into an earlier segment.
    let stem = last > month ? last : month;
    for (let count = Number(stem.slice(8) || 1) + 1; ; count++) {
      const state = this.files.stat(this.pathOf(`${stem}${SUFFIX}`));
      if (state === null || (mayBeWritten(state) && state.size < FULL_BYTES)) return { name: `${stem}${SUFFIX}`, size: state?.size };
      stem = `${stem.slice(0, 7)}-${String(count).padStart(4, '0')}`;
    }
  }

  #advance(lines: readonly Line[]): void {
    for (const { seq } of lines) this.#lastSeq = Math.max(this.#lastSeq, seq);
  }

  #report(lines: readonly Line[]): void {
    this.#advance(lines);
    this.#rules.onLines?.(lines);
  }

  /** Returns the state of the folder and its last segment. If both are unchanged since the last complete poll, nothing is new. */
  #readStamp(home: FileState | null): SegmentStamp {
    const name = this.#known?.name ?? null;
    return { name, home: home ?? this.files.hint(this.folder), segment: name === null ? null : this.files.hint(this.pathOf(name)) };
  }

  /** A folder that changed just now may change again within the same timestamp. */
  #isReliable({ home }: SegmentStamp): boolean {
    return home === null || this.files.now() - Number(home.mtimeNs / 1_000_000n) > RACY_MS;
  }
}
