import { hashOf } from '../folder/hash.ts';
import type { LineMarks } from '../origin.ts';

/** The text of a line, and its checksum, which the next line repeats. */
export interface ChainedLine {
  readonly text: string;
  readonly sum: string;
}

/** The chain information of a line. */
export interface LineMark {
  /** Checksum of the previous line as recorded in this one; null for lines written before chaining existed. */
  readonly before: string | null;
  /** Checksum that the next line has to repeat. */
  readonly sum: string;
  /** False when the line was altered. */
  readonly isIntact: boolean;
}

/** Distinguishes lines that this user's roux wrote in this folder from those that came through git or a sync folder, or were planted. */
export interface LineAuthorship {
  /** Returns a predicate for the lines of one read: whether a line was written here. */
  recognizer(): (line: string) => boolean;
  /** Returns the marks for lines about to be appended. Called under the writer lock. */
  marks(): Promise<LineMarks>;
}

/** Predecessor of the very first line. */
export const CHAIN_START = '0'.repeat(16);

/**
 * `…,"chain":"<checksum of the line before>-<own checksum>-<author mark>"}`, the last property of a line. Older lines have no author mark.
 */
const MARK = /,"chain":"([0-9a-f]{16})-([0-9a-f]{16})(?:-([0-9a-f]{16}))?"\}$/;

const MAX_CHAIN_LENGTH = ',"chain":"'.length + 3 * CHAIN_START.length + '--"}'.length;

/**
 * Serialises a value as a line, without newline, chained to the line before: altering, removing or inserting a line breaks the chain there.
 * This detects damage and careless edits. It is not a signature, since anybody can compute a whole new chain. With `marks` the line also
 * says who wrote it.
 */
export function chainLine(value: object, before: string, marks?: Pick<LineMarks, 'mark'>): ChainedLine {
  const body = JSON.stringify(value);
  const sum = sumOf(before + body);
  const mark = marks === undefined ? '' : `-${marks.mark(before + body)}`;
  return { text: `${body.slice(0, -1)},"chain":"${before}-${sum}${mark}"}`, sum };
}

/** Returns who wrote a line by its author mark; `none` when it has no mark. */
export function whoseLine(text: string, marks: Pick<LineMarks, 'isOurs'>): 'own' | 'foreign' | 'none' {
  const [chain, before, , mark] = MARK.exec(text.slice(-MAX_CHAIN_LENGTH)) ?? [];
  if (chain === undefined || mark === undefined) return 'none';
  return marks.isOurs(`${before}${text.slice(0, -chain.length)}}`, mark) ? 'own' : 'foreign';
}

/** Reads the chain information of a line; `text` without the newline. */
export function readMark(text: string): LineMark {
  const [mark, before, sum] = MARK.exec(text.slice(-MAX_CHAIN_LENGTH)) ?? [];
  if (mark === undefined || before === undefined || sum === undefined) return { before: null, sum: sumOf(text), isIntact: true };
  return { before, sum, isIntact: sum === sumOf(`${before}${text.slice(0, -mark.length)}}`) };
}

function sumOf(text: string): string {
  return hashOf(text).slice(0, CHAIN_START.length);
}
