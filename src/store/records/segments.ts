import { isSameState } from '../folder/file-system.ts';
import type { FileState, FileSystem } from '../folder/file-system.ts';
import { ifAllowed, readAllowed } from '../folder/read-allowed.ts';
import { removeIfThere, writeAll } from '../folder/write-file.ts';

/** One line of an append-only file: a sequence number that only grows, and a time that names the segment. */
export interface SequencedLine {
  readonly seq: number;
  /** ISO 8601. */
  readonly timestamp: string;
}

/** The append-only lines of a folder, in segments by month. All but `read`, `names` and `tail` are called under the writer lock. */
export interface Segments<Line extends SequencedLine> {
  /** The last number given, as far as looked. */
  readonly lastSeq: number;
  /** What was appended since the last look; `isComplete` false when the segments were cut or replaced. The first look reports nothing. */
  look(): { readonly lines: readonly Line[]; readonly isComplete: boolean };
  append(lines: readonly Line[], isSynced: boolean): Promise<void>;
  /** The last lines, as many as fit into so many bytes, be they in several segments. */
  tail(bytes?: number): readonly Line[];
  /** Names of the segments, oldest first. Like `tail` and `read`: none where this user may not look. */
  names(): readonly string[];
  /** The lines of one segment in their order; torn and foreign ones are left out, as is all but the end of one that is absurdly large. */
  read(name: string): readonly Line[];
}

/** How lines are told from anything else that JSON can say, and who hears of all that is appended, here or elsewhere. */
export interface LineRules<Line extends SequencedLine> {
  readonly isLine: (value: unknown) => value is Line;
  readonly onLines?: (lines: readonly Line[]) => void;
}

interface Position {
  readonly name: string;
  /** Bytes up to the end of the last whole line. */
  readonly end: number;
}

interface Glance {
  readonly name: string | null;
  readonly home: FileState | null;
  readonly segment: FileState | null;
}

/** Longer than the coarsest step of the times that file systems give to folders. */
const RACY_MS = 2_500;

const TAIL_BYTES = 64 * 1024;
/** With so many bytes a segment is full, and the month goes on in the next one. */
const FULL_BYTES = 16 * 1024 * 1024;
/** Nobody's segment is larger; of one that was put there, no more than this is read. */
const MOST_BYTES = 4 * FULL_BYTES;

/** The segments in a folder of `.roux`. */
export function openSegments<Line extends SequencedLine>(files: FileSystem, folder: string, rules: LineRules<Line>): Segments<Line> {
  const { isLine, onLines = () => undefined } = rules;
  let known: Position | null = null;
  let hasLooked = false;
  let lastSeq = 0;
  let lastGlance: Glance | null = null;
  /** The segment whose name was put on the medium here: whoever made it may have been killed before that. */
  let namedForGood: string | null = null;

  const names = (): readonly string[] =>
    (files.list(folder) ?? [])
      .filter(({ name, kind }) => kind === 'file' && segmentName.test(name))
      .map(({ name }) => name)
      .sort(byTime);
  const parse = (text: string): Line[] => text.split('\n').flatMap((line) => parseLine(line, isLine));
  const sizeOf = (name: string): number => files.stat(`${folder}/${name}`)?.size ?? 0;

  /**
   * Whether a number can have been given by counting: not more than one a millisecond since 1970. Whoever plants a line cannot use
   * the numbers up: the limit moves on faster than anybody counts.
   */
  const isCounted = (seq: number): boolean => Number.isInteger(seq) && seq >= 0 && seq <= files.now();

  function advance(lines: readonly Line[]): void {
    for (const { seq } of lines) lastSeq = Math.max(lastSeq, seq);
  }

  /** Reads a segment from an offset to its last whole line. */
  function readFrom(name: string, start: number): { lines: Line[]; end: number } {
    const bytes = readAllowed(files, `${folder}/${name}`, { start, length: MOST_BYTES })?.bytes ?? Buffer.alloc(0);
    const length = bytes.lastIndexOf(0x0a) + 1;
    return { lines: parse(bytes.toString('utf8', 0, length)).filter(({ seq }) => isCounted(seq)), end: start + length };
  }

  /** Finds the end without reading more than the tail. */
  function lookAtEnd(all: readonly string[]): void {
    known = null;
    for (const name of all.toReversed()) {
      const size = sizeOf(name);
      for (let length = TAIL_BYTES; ; length *= 8) {
        const start = Math.max(0, size - Math.min(length, MOST_BYTES));
        const { lines, end } = readFrom(name, start);
        known ??= { name, end };
        advance(lines);
        if (lines.length > 0) return;
        if (start === 0 || length > MOST_BYTES) break;
      }
    }
  }

  /** Where a line of this time goes: never into an earlier segment than the last one, never onto what is not to be written. */
  function segmentFor(timestamp: string): { name: string; size: number | undefined } {
    const month = timestamp.slice(0, 7);
    const last = known === null ? '' : known.name.slice(0, -SUFFIX.length);
    // A clock that went back must not put later numbers into an earlier segment.
    let stem = last > month ? last : month;
    for (let count = 2; ; count++) {
      const state = files.stat(`${folder}/${stem}${SUFFIX}`);
      if (state === null || (mayBeWritten(state) && state.size < FULL_BYTES)) return { name: `${stem}${SUFFIX}`, size: state?.size };
      stem = `${stem.slice(0, 7)}-${String(count).padStart(4, '0')}`;
    }
  }

  function lookThrough(): ReturnType<Segments<Line>['look']> {
    const all = names();
    if (!hasLooked) {
      hasLooked = true;
      lookAtEnd(all);
      return { lines: [], isComplete: true };
    }
    const from: Position | null = known;
    const size = from === null || !all.includes(from.name) ? -1 : sizeOf(from.name);
    if (from !== null && size < from.end) {
      lookAtEnd(all);
      return { lines: [], isComplete: false };
    }
    const lines: Line[] = [];
    for (const name of all) {
      if (from !== null && byTime(name, from.name) < 0) continue;
      const start = name === from?.name ? from.end : 0;
      if (name === from?.name && size === start) continue;
      const found = readFrom(name, start);
      for (const line of found.lines) lines.push(line);
      known = { name, end: found.end };
    }
    advance(lines);
    onLines(lines);
    return { lines, isComplete: true };
  }

  /** The folder and its last segment by their bare names: when they are as before a look that went through, there is nothing new. */
  function glance(): Glance {
    const name = known?.name ?? null;
    return { name, home: files.hint(folder), segment: name === null ? null : files.hint(`${folder}/${name}`) };
  }

  const isAsItWas = (now: Glance): boolean =>
    lastGlance !== null && lastGlance.name === now.name && isSame(lastGlance.home, now.home) && isSame(lastGlance.segment, now.segment);

  /** A folder that changed a moment ago may change once more without its time telling. */
  const mayBeTrusted = ({ home }: Glance): boolean => home === null || files.now() - Number(home.mtimeNs / 1_000_000n) > RACY_MS;

  return {
    get lastSeq() {
      return lastSeq;
    },
    names: () => ifAllowed(names, []),
    look() {
      const now = glance();
      if (isAsItWas(now)) return { lines: [], isComplete: true };
      const found = lookThrough();
      lastGlance = now.name === (known?.name ?? null) && mayBeTrusted(now) ? now : null;
      return found;
    },
    async append(lines, isSynced) {
      const [first] = lines;
      if (first === undefined) return;
      const { name, size } = segmentFor(first.timestamp);
      const path = `${folder}/${name}`;
      const end = known?.name === name ? known.end : 0;
      // A torn line stays alone on its line.
      const text = (size !== undefined && size > end ? '\n' : '') + lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const bytes = Buffer.from(text);
      const file = files.append(path);
      try {
        writeAll(file, bytes);
        if (isSynced) await file.sync();
      } catch (error) {
        // Half a batch must not look like history; a torn line that stays is skipped by readers.
        takeBack(files, path, size);
        throw error;
      } finally {
        file.close();
      }
      if (isSynced && (size === undefined || namedForGood !== name)) {
        await files.syncFolder(folder);
        namedForGood = name;
      }
      known = { name, end: (size ?? 0) + bytes.length };
      advance(lines);
      onLines(lines);
    },
    tail(bytes = TAIL_BYTES) {
      const found: (readonly Line[])[] = [];
      let left = bytes;
      for (const name of ifAllowed(names, []).toReversed()) {
        if (left <= 0) break;
        const size = sizeOf(name);
        found.unshift(readFrom(name, Math.max(0, size - left)).lines);
        left -= size;
      }
      return found.flat();
    },
    read: (name) => ifAllowed(() => readFrom(name, Math.max(0, sizeOf(name) - MOST_BYTES)).lines, []),
  };
}

/** One with a second name would change elsewhere too; one without rights is not for writing. */
function mayBeWritten({ kind, links, mode }: FileState): boolean {
  return kind === 'file' && links <= 1 && (mode & 0o600) === 0o600;
}

function takeBack(files: FileSystem, path: string, size: number | undefined): void {
  try {
    if (size === undefined) removeIfThere(files, path);
    else files.cut(path, size);
  } catch {
    // The failure that led here is the one to tell.
  }
}

const SUFFIX = '.jsonl';
const segmentName = /^\d{4}-\d{2}(?:-\d{4})?\.jsonl$/;

/** `2026-11.jsonl` before `2026-11-0002.jsonl`. */
function byTime(a: string, b: string): number {
  const [one, other] = [a.slice(0, -SUFFIX.length), b.slice(0, -SUFFIX.length)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function parseLine<Line>(text: string, isLine: (value: unknown) => value is Line): Line[] {
  if (text === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? [value] : [];
  } catch {
    return [];
  }
}

function isSame(a: FileState | null, b: FileState | null): boolean {
  return a === null || b === null ? a === b : isSameState(a, b) && a.dev === b.dev;
}
