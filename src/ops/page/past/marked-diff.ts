import { diffArrays } from 'diff';

/** A stretch of a line, and whether it is what changed in it. */
export type Part = readonly [text: string, isChanged: boolean];

export interface MarkedLine {
  readonly sign: ' ' | '-' | '+';
  readonly parts: readonly Part[];
  /** Nothing ends it: it is the last one of its text. */
  readonly isUnended?: true;
}

export interface MarkedHunk {
  readonly old_start: number;
  readonly new_start: number;
  readonly lines: readonly MarkedLine[];
}

/** The difference between two texts, line by line, with the words that changed in lines that took the place of others. */
export interface MarkedDiff {
  readonly hunks: readonly MarkedHunk[];
  readonly added: number;
  readonly removed: number;
  /** Lines that are not in it. */
  readonly lines_omitted?: number;
}

/** Lines of one difference, and characters of one of them. */
const MAX_LINES = 600;
const MAX_LINE_CHARACTERS = 4_000;
/** Words are compared in so many pairs of lines, of so many characters each, as far as so many words differ. */
const MAX_PAIRS = 200;
const MAX_COMPARED_CHARACTERS = 2_000;
const MAX_EDITS = 200;
/** A line is looked for among so many. */
const MAX_LOOKAHEAD_LINES = 12;
/** Lines of which less than this share is the same have nothing to do with one another. */
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

/** Reads the unified diff of one file, and marks words. */
export function markDiff(unified: string): MarkedDiff {
  const hunks = readHunks(unified);
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

/** What stands before the first hunk are names; what a hunk holds is told by its counts, whatever its lines look like. */
function readHunks(unified: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let [hunk, oldLeft, newLeft] = [null as Hunk | null, 0, 0];
  for (const line of unified.split('\n')) {
    const isInside = hunk !== null && (oldLeft > 0 || newLeft > 0);
    if (hunk !== null && line.startsWith('\\')) {
      const last = hunk.lines.at(-1);
      if (last !== undefined) last.isUnended = true;
    } else if (isInside) {
      const sign = line.startsWith('-') ? '-' : line.startsWith('+') ? '+' : ' ';
      if (sign !== '+') oldLeft -= 1;
      if (sign !== '-') newLeft -= 1;
      hunk?.lines.push({ sign, text: line.slice(1), isUnended: false });
    } else {
      const [found, oldStart = '0', oldCount = '1', newStart = '0', newCount = '1'] =
        /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      if (found === undefined) continue;
      hunk = { oldStart: Number(oldStart), newStart: Number(newStart), lines: [] };
      [oldLeft, newLeft] = [Number(oldCount), Number(newCount)];
      hunks.push(hunk);
    }
  }
  return hunks;
}

/** Removed lines with those among the added ones behind them that took their place. */
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
    marked.push(...before, ...after);
    at += removed.length + added.length;
    const line = lines[at];
    if (line?.sign !== ' ') continue;
    marked.push(plain(line));
    at += 1;
  }
  return { lines: marked, pairsLeft: left };
}

/** Which removed line became which added one: in their order, each the likest of the next few. */
function findPairs(removed: readonly Line[], added: readonly Line[]): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let next = 0;
  for (const [from, { text }] of removed.entries()) {
    const own = wordSet(text);
    let [best, likeness] = [-1, 0];
    for (let to = next; to < Math.min(added.length, next + MAX_LOOKAHEAD_LINES); to += 1) {
      const found = likenessOf(own, wordSet(added[to]?.text ?? ''));
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

/** How much of the larger set is in both, 0 to 1. */
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
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

/** The words of two lines that differ; null where they are too long or too different to be one line that changed. */
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
