import { createSlice, runInSlices } from '../slices.ts';
import type { FileState, FileSystem } from '../folder/file-system.ts';
import { ifAllowed, ifAllowedLater, readAllowed } from '../folder/read-allowed.ts';
import { writeAll } from '../folder/write-file.ts';
import { CHAIN_START, chainLine } from './line-chain.ts';
import type { LineAuthorship } from './line-chain.ts';
import {
  byTime,
  FULL_BYTES,
  isSameStamp,
  isSegmentPacked,
  listSegments,
  MAX_SEGMENT_BYTES,
  mayBeWritten,
  parseLine,
  parseLines,
  repairEnd,
  SUFFIX,
  undoAppend,
} from './segment-lines.ts';
import type { SegmentStamp, SequencedLine, ParsedLines } from './segment-lines.ts';

/**
 * The append-only lines of a folder, in one or more segments a month. All but `read`, `stateOf`, `names` and `tail` require the writer lock.
 */
export interface Segments<Line extends SequencedLine> {
  /** The highest sequence number seen so far. */
  readonly lastSeq: number;
  /** Returns the lines appended since the last call. The first call returns none. */
  poll(): PollResult<Line>;
  append(lines: readonly Line[], isSynced: boolean): Promise<void>;
  /** Repairs a last line that a crash left half written. Returns a report, or null. Call it before an `append` without a `look`. */
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

/** Lines that were appended since the last `look`. */
export interface PollResult<Line> {
  readonly lines: readonly Line[];
  /** False when segments were truncated or replaced, so that lines may be missing. */
  readonly isComplete: boolean;
  /** The last line has no newline: a crash or a full disk left it half written. */
  readonly isTorn: boolean;
}

/** How to recognise lines, and who receives what is appended by any process. */
export interface LineRules<Line extends SequencedLine> {
  readonly isLine: (value: unknown) => value is Line;
  readonly onLines?: (lines: readonly Line[]) => void;
  /** Marks new lines and recognises foreign ones. Without it authorship is not checked. */
  readonly authorship?: LineAuthorship;
}

interface Position {
  readonly name: string;
  /** Offset of the end of the last complete line, in bytes. */
  readonly end: number;
  readonly ino: bigint;
}

/** Lines of a segment with the state of its file when they were read; null without a file that may be read. */
interface ReadLines<Line> extends ParsedLines<Line> {
  readonly state: FileState | null;
}

/** Longer than the coarsest timestamp granularity of folders on common file systems. */
const RACY_MS = 2_500;

const TAIL_BYTES = 64 * 1024;
/** Short enough that a waiting call does not notice it. */
const SLICE_MS = 10;

/** The segments in a folder of `.roux`. */
export function openSegments<Line extends SequencedLine>(files: FileSystem, folder: string, rules: LineRules<Line>): Segments<Line> {
  const { isLine, onLines = () => undefined, authorship } = rules;
  let known: Position | null = null;
  let hasPolled = false;
  let lastSeq = 0;
  /** Checksum of the last line, which the next one repeats. */
  let lastSum: string | null = null;
  let isTorn = false;
  /** What `repair` read, for the next `look`. */
  let unreported: Omit<PollResult<Line>, 'isTorn'> | null = null;
  let lastStamp: SegmentStamp | null = null;
  /** The segment whose name this process has made durable. Whoever created the file may have been killed before syncing the folder. */
  let syncedName: string | null = null;

  const names = (): readonly string[] => listSegments(files, folder);
  const stateOf = (name: string): FileState | null => ifAllowed(() => files.stat(`${folder}/${name}`), null);
  const sizeOf = (name: string): number => stateOf(name)?.size ?? 0;
  const endStart = (name: string): number => Math.max(0, sizeOf(name) - MAX_SEGMENT_BYTES);

  function advance(lines: readonly Line[]): void {
    for (const { seq } of lines) lastSeq = Math.max(lastSeq, seq);
  }

  /** Reads a segment from an offset to its last complete line. */
  function readFrom(name: string, start: number): ReadLines<Line> {
    const steps = readInSteps(name, start);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  function* readInSteps(name: string, start: number): Generator<void, ReadLines<Line>> {
    const found = readAllowed(files, `${folder}/${name}`, { start, length: MAX_SEGMENT_BYTES });
    const bytes = found?.bytes ?? Buffer.alloc(0);
    const own = bytes.length === 0 ? {} : { isOwn: authorship?.recognizer() };
    const parsed = yield* parseLines(bytes, { isLine, now: files.now(), ...own });
    return { ...parsed, end: start + parsed.end, isPacked: start === 0 && parsed.isPacked, state: found?.state ?? null };
  }

  /** Finds the end by reading only the tail of the last segments. */
  function readEnd(all: readonly string[]): void {
    known = null;
    lastSum = null;
    isTorn = false;
    for (const name of all.toReversed()) {
      const state = files.stat(`${folder}/${name}`);
      const size = state?.size ?? 0;
      for (let length = TAIL_BYTES; ; length *= 8) {
        const start = Math.max(0, size - Math.min(length, MAX_SEGMENT_BYTES));
        const found = readFrom(name, start);
        if (known === null) {
          known = { name, end: found.end, ino: state?.ino ?? 0n };
          isTorn = found.isTorn;
        }
        advance(found.lines);
        lastSum ??= found.sum;
        if (found.lines.length > 0) return;
        if (start === 0 || length > MAX_SEGMENT_BYTES) break;
      }
    }
  }

  /** Returns the segment for a line of this time: not before the last segment, and writable. */
  function segmentFor(timestamp: string): { name: string; size: number | undefined } {
    const month = timestamp.slice(0, 7);
    const last = known === null ? '' : known.name.slice(0, -SUFFIX.length);
    // If the clock went back, later lines must still not go into an earlier segment.
    let stem = last > month ? last : month;
    for (let count = Number(stem.slice(8) || 1) + 1; ; count++) {
      const state = files.stat(`${folder}/${stem}${SUFFIX}`);
      if (state === null || (mayBeWritten(state) && state.size < FULL_BYTES)) return { name: `${stem}${SUFFIX}`, size: state?.size };
      stem = `${stem.slice(0, 7)}-${String(count).padStart(4, '0')}`;
    }
  }

  /** Reads what was appended to the last known segment; null when the file was replaced and new lines cannot be determined. */
  function readAppended(from: Position): ReadLines<Line> | null {
    const found = readFrom(from.name, from.end);
    const { state } = found;
    if (state === null) return files.stat(`${folder}/${from.name}`)?.ino === from.ino ? found : null;
    if (state.ino === from.ino) return state.size < from.end ? null : found;
    // It was packed meanwhile: the same lines, and those appended before it was full.
    const whole = readFrom(from.name, 0);
    return whole.isPacked ? { ...whole, lines: whole.lines.filter(({ seq }) => seq > lastSeq) } : null;
  }

  function readNew(): Omit<PollResult<Line>, 'isTorn'> {
    const all = names();
    if (!hasPolled) {
      hasPolled = true;
      readEnd(all);
      return { lines: [], isComplete: true };
    }
    const from: Position | null = known;
    const lines: Line[] = [];
    for (const name of all) {
      if (from !== null && byTime(name, from.name) < 0) continue;
      const found = name === from?.name ? readAppended(from) : readFrom(name, 0);
      if (found === null) break;
      for (const line of found.lines) lines.push(line);
      known = { name, end: found.end, ino: (found.state ?? files.stat(`${folder}/${name}`))?.ino ?? 0n };
      lastSum = found.sum ?? lastSum;
      isTorn = found.isTorn;
    }
    if (from !== null && known === from) {
      readEnd(all);
      return { lines: [], isComplete: false };
    }
    advance(lines);
    onLines(lines);
    return { lines, isComplete: true };
  }

  /** Returns the state of the folder and its last segment. If both are unchanged since the last complete look, nothing is new. */
  function readStamp(): SegmentStamp {
    const name = known?.name ?? null;
    return { name, home: files.hint(folder), segment: name === null ? null : files.hint(`${folder}/${name}`) };
  }

  /** A folder that changed just now may change again within the same timestamp. */
  const isReliable = ({ home }: SegmentStamp): boolean => home === null || files.now() - Number(home.mtimeNs / 1_000_000n) > RACY_MS;

  return {
    get lastSeq() {
      return lastSeq;
    },
    names: () => ifAllowed(names, []),
    poll() {
      const now = readStamp();
      if (unreported === null && lastStamp !== null && isSameStamp(lastStamp, now)) return { lines: [], isComplete: true, isTorn };
      const found = readNew();
      lastStamp = now.name === (known?.name ?? null) && isReliable(now) ? now : null;
      const before = unreported;
      unreported = null;
      if (before === null) return { ...found, isTorn };
      return { lines: [...before.lines, ...found.lines], isComplete: before.isComplete && found.isComplete, isTorn };
    },
    async append(lines, isSynced) {
      const [first] = lines;
      if (first === undefined) return;
      const marks = await authorship?.marks();
      const { name, size } = segmentFor(first.timestamp);
      const path = `${folder}/${name}`;
      const end = known?.name === name ? known.end : 0;
      let sum = lastSum ?? CHAIN_START;
      const texts = lines.map((line) => {
        const chained = chainLine(line, sum, marks);
        sum = chained.sum;
        return `${chained.text}\n`;
      });
      // A half line that could not be repaired stays on a line of its own.
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
      if (isSynced && (size === undefined || syncedName !== name)) {
        await files.syncFolder(folder);
        syncedName = name;
      }
      known = { name, end: (size ?? 0) + bytes.length, ino: state.ino };
      // Nobody else appended since the last look: the writer lock is held.
      lastStamp = lastStamp?.name === name ? { ...lastStamp, segment: state } : null;
      lastSum = sum;
      isTorn = false;
      advance(lines);
      onLines(lines);
    },
    async repair() {
      const name = names().at(-1);
      const state = name === undefined ? null : files.stat(`${folder}/${name}`);
      const isWhole = (text: string): boolean => parseLine(text, isLine, files.now()) !== null;
      const mayRepair = name !== undefined && state !== null && mayBeWritten(state);
      const repaired = mayRepair ? await repairEnd(files, { path: `${folder}/${name}`, size: state.size }, isWhole) : null;
      // The caller will append next and needs to know the end.
      const found = readNew();
      unreported = {
        lines: [...(unreported?.lines ?? []), ...found.lines],
        isComplete: unreported?.isComplete !== false && found.isComplete,
      };
      return repaired;
    },
    tail(bytes = TAIL_BYTES) {
      const found: (readonly Line[])[] = [];
      let left = bytes;
      for (const name of ifAllowed(names, []).toReversed()) {
        if (left <= 0) break;
        const size = sizeOf(name);
        const start = Math.max(0, size - left);
        const { lines, length } = readFrom(name, start > 0 && isSegmentPacked(files, `${folder}/${name}`) ? 0 : start);
        found.unshift(lines);
        left -= Math.max(size, length);
      }
      return found.flat();
    },
    read: (name) => ifAllowedLater(async () => (await runInSlices(createSlice(SLICE_MS), readInSteps(name, endStart(name)))).lines, []),
    readAtOnce: (name) => ifAllowed(() => readFrom(name, endStart(name)).lines, []),
    stateOf,
  };
}
