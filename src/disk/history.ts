import { removeIfThere, writeAll } from './atomic.ts';
import type { FileSystem } from './file-system.ts';

/** One line of an append-only file: a sequence number that only grows, and a time that names the segment. */
export interface SequencedLine {
  readonly seq: number;
  readonly timestamp: string;
}

/** The append-only lines of a folder, in one segment a month. All but `read` are called under the writer lock. */
export interface History<Line extends SequencedLine> {
  readonly folder: string;
  /** The last number given, as far as looked. */
  readonly lastSeq: number;
  /** What was appended since the last look; `isComplete` false when the segments were cut or replaced. The first look reports nothing. */
  look(): Promise<{ lines: readonly Line[]; isComplete: boolean }>;
  append(lines: readonly Line[], isSynced: boolean): Promise<void>;
  /** The last lines of the newest segment, as many as fit. */
  tail(bytes?: number): Promise<readonly Line[]>;
  /** Names of the segments, oldest first. */
  segments(): Promise<readonly string[]>;
  /** The lines of one segment in their order; torn and foreign ones are left out. */
  read(segment: string): Promise<readonly Line[]>;
}

interface Position {
  readonly segment: string;
  /** Bytes up to the end of the last whole line. */
  readonly end: number;
}

/** The history in this folder. `isLine` tells a line of this history from anything else that JSON can say; `onLines` hears of all that is appended, here or elsewhere. */
export function openHistory<Line extends SequencedLine>(
  files: FileSystem,
  folder: string,
  isLine: (value: unknown) => value is Line,
  onLines: (lines: readonly Line[]) => void = () => undefined,
): History<Line> {
  let known: Position | null = null;
  let hasLooked = false;
  let lastSeq = 0;

  const segments = async (): Promise<readonly string[]> => ((await files.list(folder)) ?? []).filter((name) => segmentName.test(name));
  const parse = (text: string): Line[] => text.split('\n').flatMap((line) => parseLine(line, isLine));

  function advance(lines: readonly Line[]): void {
    for (const line of lines) lastSeq = Math.max(lastSeq, line.seq);
  }

  /** Reads a segment from an offset to its last whole line. */
  async function readFrom(segment: string, start: number): Promise<{ lines: Line[]; end: number }> {
    const bytes = (await files.read(`${folder}/${segment}`, { start, length: Number.MAX_SAFE_INTEGER })) ?? Buffer.alloc(0);
    const length = bytes.lastIndexOf(0x0a) + 1;
    return { lines: parse(bytes.subarray(0, length).toString('utf8')), end: start + length };
  }

  /** Finds the end without reading more than the tail. */
  async function lookAtEnd(names: readonly string[]): Promise<void> {
    known = null;
    for (const segment of [...names].reverse()) {
      const size = (await files.stat(`${folder}/${segment}`))?.size ?? 0;
      let length = TAIL_BYTES;
      for (;;) {
        const start = Math.max(0, size - length);
        const { lines, end } = await readFrom(segment, start);
        known ??= { segment, end };
        advance(lines);
        if (lines.length > 0) return;
        if (start === 0) break;
        length *= 8;
      }
    }
  }

  async function appendAll(path: string, bytes: Uint8Array, isSynced: boolean): Promise<void> {
    const file = await files.append(path);
    try {
      await writeAll(file, bytes);
      if (isSynced) await file.sync();
    } finally {
      await file.close();
    }
  }

  return {
    folder,
    get lastSeq() {
      return lastSeq;
    },
    segments,
    async look() {
      const names = await segments();
      if (!hasLooked) {
        hasLooked = true;
        await lookAtEnd(names);
        return { lines: [], isComplete: true };
      }
      const from: Position | null = known;
      const size = from === null ? 0 : ((await files.stat(`${folder}/${from.segment}`))?.size ?? -1);
      if (from !== null && size < from.end) {
        await lookAtEnd(names);
        return { lines: [], isComplete: false };
      }
      const lines: Line[] = [];
      for (const segment of names) {
        if (from !== null && segment < from.segment) continue;
        const start = segment === from?.segment ? from.end : 0;
        if (segment === from?.segment && size === start) continue;
        const read = await readFrom(segment, start);
        lines.push(...read.lines);
        known = { segment, end: read.end };
      }
      advance(lines);
      onLines(lines);
      return { lines, isComplete: true };
    },
    async append(lines, isSynced) {
      const [first] = lines;
      if (first === undefined) return;
      // A clock that went back must not put later numbers into an earlier segment.
      const month = `${first.timestamp.slice(0, 7)}.jsonl`;
      const segment: string = known !== null && known.segment > month ? known.segment : month;
      const path = `${folder}/${segment}`;
      const size = (await files.stat(path))?.size;
      const end = known?.segment === segment ? known.end : 0;
      // A torn line stays alone on its line.
      const text = (size !== undefined && size > end ? '\n' : '') + lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      const bytes = Buffer.from(text);
      try {
        await appendAll(path, bytes, isSynced);
      } catch (error) {
        // Half a batch must not look like history; a torn line that stays is skipped by readers.
        if (size !== undefined) await files.cut(path, size).catch(() => undefined);
        else await removeIfThere(files, path).catch(() => undefined);
        throw error;
      }
      if (size === undefined && isSynced) await files.syncFolder(folder);
      known = { segment, end: (size ?? 0) + bytes.length };
      advance(lines);
      onLines(lines);
    },
    async tail(bytes = TAIL_BYTES) {
      const segment = (await segments()).at(-1);
      if (segment === undefined) return [];
      const size = (await files.stat(`${folder}/${segment}`))?.size ?? 0;
      return (await readFrom(segment, Math.max(0, size - bytes))).lines;
    },
    async read(segment) {
      const bytes = await files.read(`${folder}/${segment}`);
      return bytes === null ? [] : parse(bytes.toString('utf8'));
    },
  };
}

const segmentName = /^\d{4}-\d{2}\.jsonl$/;
const TAIL_BYTES = 64 * 1024;

function parseLine<Line>(text: string, isLine: (value: unknown) => value is Line): Line[] {
  if (text === '') return [];
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? [value] : [];
  } catch {
    return [];
  }
}
