import { createHash } from 'node:crypto';
import type { LineMarks } from '../origin.ts';

/** A line as it is written, and its sum, which the next line repeats. */
export interface ChainedLine {
  readonly text: string;
  readonly sum: string;
}

/** What the mark of a line says. */
export interface LineMark {
  /** The sum of the line before, as this one has it; null where the line has no mark: it was written before there were any. */
  readonly before: string | null;
  /** What the next line has to repeat. */
  readonly sum: string;
  /** False: the line is not as it was written. */
  readonly isIntact: boolean;
}

/** Tells the lines that this user's roux wrote in this folder from those that came with it: through git, a sync folder, or planted. */
export interface LineAuthorship {
  /** Returns the question whether a line was written here, for one look at a segment. */
  open(): (line: string) => boolean;
  /** Returns the marks for lines that are about to be appended. Under the writer lock. */
  marks(): Promise<LineMarks>;
}

/** What the first line of all repeats. */
export const CHAIN_START = '0'.repeat(16);

/** `…,"chain":"<sum of the line before>-<own sum>-<mark of who wrote it>"}`: the last property of a line. Older lines have no third part. */
const MARK = /,"chain":"([0-9a-f]{16})-([0-9a-f]{16})(?:-([0-9a-f]{16}))?"\}$/;

/**
 * Writes a value as a line, without its end, that goes on from the sum of the line before. Whoever alters, removes or inserts a line breaks
 * the chain there. It shows damage and careless edits; it is no signature, as anybody can compute a whole new chain. `marks`: adds who wrote it.
 */
export function chainLine(value: object, before: string, marks?: Pick<LineMarks, 'mark'>): ChainedLine {
  const body = JSON.stringify(value);
  const sum = sumOf(before + body);
  const mark = marks === undefined ? '' : `-${marks.mark(before + body)}`;
  return { text: `${body.slice(0, -1)},"chain":"${before}-${sum}${mark}"}`, sum };
}

/** Tells whether the mark of a line shows that it was written here: `none` where a line has no mark. */
export function whoseLine(text: string, marks: Pick<LineMarks, 'isOurs'>): 'own' | 'foreign' | 'none' {
  const [chain, before, , mark] = MARK.exec(text.slice(-MAX_CHAIN_LENGTH)) ?? [];
  if (chain === undefined || mark === undefined) return 'none';
  return marks.isOurs(`${before}${text.slice(0, -chain.length)}}`, mark) ? 'own' : 'foreign';
}

/** Reads the mark of a line; `text` without its end. */
export function readMark(text: string): LineMark {
  const [mark, before, sum] = MARK.exec(text.slice(-MAX_CHAIN_LENGTH)) ?? [];
  if (mark === undefined || before === undefined || sum === undefined) return { before: null, sum: sumOf(text), isIntact: true };
  return { before, sum, isIntact: sum === sumOf(`${before}${text.slice(0, -mark.length)}}`) };
}

const MAX_CHAIN_LENGTH = ',"chain":"'.length + 3 * CHAIN_START.length + '--"}'.length;

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, CHAIN_START.length);
}
