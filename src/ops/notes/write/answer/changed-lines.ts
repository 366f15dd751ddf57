import { diffArrays } from 'diff';
import { lineEnd, lineStart, nextLine, wholeEnd, countLines } from '../../../../note/text.ts';
import { shorten } from '../../../shorten.ts';

/** Maximum characters of the changed lines in an answer (E-29), and of one of them. */
const MAX_CHANGED_CHARACTERS = 500;
const MAX_LINE_CHARACTERS = 160;
/** Characters of a long line that are shown before its first difference. */
const SHOWN_BEFORE = 40;
/** Longest edit script searched for: an answer shows far less. */
const MAX_EDITS = 60;
/** Maximum characters compared line by line. */
const MAX_COMPARED_CHARACTERS = 60_000;

/**
 * Returns the lines that differ between two texts: `@@ 12` for the line of the new text, from 1, then `-` lines before and `+` lines after.
 * Cut to 500 characters, with the number of lines left out. Equal texts give `''`.
 */
export function changedLines(before: string, after: string): string {
  if (before === after) return '';
  const from = commonStart(before, after);
  const [old, now] = differingLines(before, after, from);
  const first = countLines(after, 0, from);
  const hunks = compareLines(old, now) ?? [{ line: 1, lines: [...markLines(splitLines(old), '-'), ...markLines(splitLines(now), '+')] }];
  return joinWithin(hunks.flatMap(({ line, lines }) => [`@@ ${first + line}`, ...aroundDifference(lines)]));
}

/** Returns the start of the first line that differs. */
function commonStart(before: string, after: string): number {
  let at = 0;
  while (at < before.length && at < after.length && before.charCodeAt(at) === after.charCodeAt(at)) at += 1;
  // Also when one text ends here, its last line is another one.
  return lineStart(after, at);
}

/** Returns both texts from an offset without the lines at the end that are equal. */
function differingLines(before: string, after: string, from: number): [string, string] {
  let [old, now] = [before.length, after.length];
  while (old > from && now > from && before.charCodeAt(old - 1) === after.charCodeAt(now - 1)) [old, now] = [old - 1, now - 1];
  return [before.slice(from, nextLine(before, lineEnd(before, old))), after.slice(from, nextLine(after, lineEnd(after, now)))];
}

interface Hunk {
  readonly line: number;
  readonly lines: readonly string[];
}

/** Returns null for texts whose comparison would take long, and for those that differ in line ends alone. */
function compareLines(old: string, now: string): readonly Hunk[] | null {
  if (old.length + now.length > MAX_COMPARED_CHARACTERS) return null;
  const parts = diffArrays([...splitLines(old)], [...splitLines(now)], { maxEditLength: MAX_EDITS });
  const hunks: { readonly line: number; readonly lines: string[] }[] = [];
  let line = 1;
  let isOpen = false;
  for (const { value, added, removed } of parts ?? []) {
    const isChanged = added || removed;
    if (isChanged && !isOpen) hunks.push({ line, lines: [] });
    if (isChanged) for (const each of markLines(value, added ? '+' : '-')) hunks.at(-1)?.lines.push(each);
    if (!removed) line += value.length;
    isOpen = isChanged;
  }
  return hunks.length === 0 ? null : hunks;
}

/** Returns lines without their ends. */
function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function markLines(lines: readonly string[], mark: '-' | '+'): readonly string[] {
  return lines.map((line) => `${mark}${line}`);
}

/** Cuts the beginnings of long lines that are equal in a removed line and the added one in its place. */
function aroundDifference(lines: readonly string[]): readonly string[] {
  const [removed, added] = ['-', '+'].map((mark) => lines.filter((line) => line.startsWith(mark)));
  const cut = (line: string, other: string | undefined): string => {
    if (other === undefined || Math.max(line.length, other.length) <= MAX_LINE_CHARACTERS) return line;
    let at = 1;
    while (at < line.length && line.charCodeAt(at) === other.charCodeAt(at)) at += 1;
    const from = at - SHOWN_BEFORE;
    return from <= 1 ? line : `${line.charAt(0)}…${line.slice(wholeEnd(line, from))}`;
  };
  return [...removed!.map((line, index) => cut(line, added![index])), ...added!.map((line, index) => cut(line, removed![index]))];
}

function joinWithin(lines: readonly string[]): string {
  const shown: string[] = [];
  let room = MAX_CHANGED_CHARACTERS;
  for (const line of lines) {
    const short = shorten(line, MAX_LINE_CHARACTERS, '…');
    room -= short.length + 1;
    if (room < 0) break;
    shown.push(short);
  }
  const left = lines.slice(shown.length).filter((line) => !line.startsWith('@@')).length;
  return left === 0 ? shown.join('\n') : [...shown, `… ${left} more lines`].join('\n');
}
