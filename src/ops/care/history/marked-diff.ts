import { diffArrays } from 'diff';
import { isBookkeepingLine } from './readable-text.ts';

/** A part of a line, and whether it changed. */
export type Part = readonly [text: string, isChanged: boolean];

export interface MarkedLine {
  readonly sign: ' ' | '-' | '+';
  readonly parts: readonly Part[];
  /** The last line of a text without a line break. */
  readonly isUnended?: true;
}

export interface MarkedHunk {
  readonly old_start: number;
  readonly new_start: number;
  readonly lines: readonly MarkedLine[];
}

/** A diff by lines, with the changed words of replaced lines marked. */
export interface MarkedDiff {
  readonly hunks: readonly MarkedHunk[];
  readonly added: number;
  readonly removed: number;
  /** Number of lines that are left out. */
  readonly lines_omitted?: number;
}

/** Limits of a diff and of a line. */
const MAX_LINES = 600;
const MAX_LINE_CHARACTERS = 4_000;
/** Limits of comparing words: pairs of lines, their length, and differing words. */
const MAX_PAIRS = 200;
const MAX_COMPARED_CHARACTERS = 2_000;
const MAX_EDITS = 200;
/** Lines in which a counterpart is searched for. */
const MAX_LOOKAHEAD_LINES = 12;
/** Lines with a smaller share of equal words are unrelated. */
const MIN_SIMILARITY = 0.3;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });

interface Line {
  readonly sign: MarkedLine['sign'];
  readonly text: string;
  isUnended: boolean;
}

interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: Line[];
}

/** Parses a unified diff of one file and marks changed words. */
export function markDiff(unified: string): MarkedDiff {
  const hunks = readHunks(unified).flatMap(withoutBookkeeping);
  let [room, pairs, omitted] = [MAX_LINES, MAX_PAIRS, 0];
  const count = (sign: Line['sign']): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.sign === sign).length, 0);
  const shown = hunks.flatMap(({ oldStart, newStart, lines }): readonly MarkedHunk[] => {
    const fitting = lines.slice(0, room);
    room -= fitting.length;
    omitted += lines.length - fitting.length;
    if (fitting.length === 0) return [];
    const marked = markLines(fitting, pairs);
    pairs = marked.pairsLeft;
    return [{ old_start: oldStart, new_start: newStart, lines: marked.lines }];
  });
  return { hunks: shown, added: count('+'), removed: count('-'), ...(omitted === 0 ? {} : { lines_omitted: omitted }) };
}

/** Removes changed lines that are only of use to roux, and a hunk in which no other line changed. */
function withoutBookkeeping(hunk: Hunk): readonly Hunk[] {
  const lines = hunk.lines.filter(({ sign, text }) => sign === ' ' || !isBookkeepingLine(text));
  return lines.some(({ sign }) => sign !== ' ') ? [{ ...hunk, lines }] : [];
}

/** Parses hunks. Text before the first is ignored; the counts of a hunk decide where it ends. */
function readHunks(unified: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let [hunk, oldRemaining, newRemaining] = [null as Hunk | null, 0, 0];
  for (const line of unified.split('\n')) {
    const isInside = hunk !== null && (oldRemaining > 0 || newRemaining > 0);
    if (hunk !== null && line.startsWith('\\')) {
      const last = hunk.lines.at(-1);
      if (last !== undefined) last.isUnended = true;
    } else if (isInside) {
      const sign = line.startsWith('-') ? '-' : line.startsWith('+') ? '+' : ' ';
      if (sign !== '+') oldRemaining -= 1;
      if (sign !== '-') newRemaining -= 1;
      hunk?.lines.push({ sign, text: line.slice(1), isUnended: false });
    } else {
      const [found, oldStart = '0', oldCount = '1', newStart = '0', newCount = '1'] =
        /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      if (found === undefined) continue;
      hunk = { oldStart: Number(oldStart), newStart: Number(newStart), lines: [] };
      [oldRemaining, newRemaining] = [Number(oldCount), Number(newCount)];
      hunks.push(hunk);
    }
  }
  return hunks;
}

/** Marks removed lines and the added lines that replace them. */
function markLines(lines: readonly Line[], pairs: number): { readonly lines: readonly MarkedLine[]; readonly pairsLeft: number } {
  const marked: MarkedLine[] = [];
  let left = pairs;
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, '-');
    const added = runOf(lines, at + removed.length, '+');
    const [before, after] = [removed.map(plain), added.map(plain)];
    for (const [from, to] of left > 0 ? findPairs(removed, added) : []) {
      if (left === 0) break;
      left -= 1;
      const compared = compareWords(removed[from]?.text ?? '', added[to]?.text ?? '');
      if (compared === null) continue;
      before[from] = { ...(before[from] as MarkedLine), parts: compared.before };
      after[to] = { ...(after[to] as MarkedLine), parts: compared.after };
    }
    for (const each of [...before, ...after]) marked.push(each);
    at += removed.length + added.length;
    const line = lines[at];
    if (line?.sign !== ' ') continue;
    marked.push(plain(line));
    at += 1;
  }
  return { lines: marked, pairsLeft: left };
}

/** Pairs removed lines with the added lines that replace them, in order: each with the most similar of the next few. */
function findPairs(removed: readonly Line[], added: readonly Line[]): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let next = 0;
  for (const [from, { text }] of removed.entries()) {
    const own = wordSet(text);
    let [best, likeness] = [-1, 0];
    for (let to = next; to < Math.min(added.length, next + MAX_LOOKAHEAD_LINES); to += 1) {
      const found = similarityOf(own, wordSet(added[to]?.text ?? ''));
      if (found > likeness) [best, likeness] = [to, found];
    }
    if (best < 0) continue;
    pairs.push([from, best]);
    next = best + 1;
  }
  return pairs;
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(wordsOf(text.slice(0, MAX_COMPARED_CHARACTERS)).filter((word) => /[\p{L}\p{N}]/u.test(word)));
}

/** Returns the share of the larger set that both contain, 0 to 1. */
function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const same = [...a].filter((word) => b.has(word)).length;
  return same / Math.max(a.size, b.size, 1);
}

function runOf(lines: readonly Line[], from: number, sign: Line['sign']): readonly Line[] {
  let end = from;
  while (lines[end]?.sign === sign) end += 1;
  return lines.slice(from, end);
}

function plain({ sign, text, isUnended }: Line): MarkedLine {
  const shown = text.length > MAX_LINE_CHARACTERS ? `${text.slice(0, MAX_LINE_CHARACTERS)}…` : text;
  return { sign, parts: [[shown, false]], ...(isUnended ? { isUnended } : {}) };
}

function wordsOf(text: string): string[] {
  return [...words.segment(text)].map(({ segment }) => segment);
}

/** Returns the differing words of two lines; null if the lines are too long or too different. */
function compareWords(before: string, after: string): { readonly before: readonly Part[]; readonly after: readonly Part[] } | null {
  if (before.length > MAX_COMPARED_CHARACTERS || after.length > MAX_COMPARED_CHARACTERS) return null;
  const changes = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: MAX_EDITS });
  if (changes === undefined) return null;
  const [old, present]: [Part[], Part[]] = [[], []];
  let same = 0;
  for (const { value, added, removed } of changes) {
    const text = value.join('');
    if (!added && !removed && /[^\s\p{P}]/u.test(text)) same += text.length;
    if (!added) old.push([text, removed]);
    if (!removed) present.push([text, added]);
  }
  return same < MIN_SIMILARITY * Math.max(before.length, after.length) ? null : { before: old, after: present };
}
