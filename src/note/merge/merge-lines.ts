import { diffArrays } from 'diff';
import type { Sides } from '../frontmatter/property-merge.ts';

/** A chunk of a three-way merge: resolved lines, or a conflict with each side's lines. */
export type MergedLines =
  { readonly kind: 'agreed'; readonly lines: readonly string[] } | { readonly kind: 'conflict'; readonly sides: Sides<readonly string[]> };

/**
 * Longest edit script per side: finding it takes quadratic time, about a second here. Beyond it everything between the common start and end
 * is one conflict.
 */
const MAX_EDIT_LINES = 3000;

/** Merges lines like `git merge`: changes that touch each other are a conflict. */
export function mergeLineLists(sides: Sides<readonly string[]>): MergedLines[] {
  const { head, tail } = commonEnds(sides);
  const inner = {
    base: sides.base.slice(head, sides.base.length - tail),
    ours: sides.ours.slice(head, sides.ours.length - tail),
    theirs: sides.theirs.slice(head, sides.theirs.length - tail),
  };
  return [
    { kind: 'agreed', lines: sides.base.slice(0, head) },
    ...mergeInner(inner),
    { kind: 'agreed', lines: sides.base.slice(sides.base.length - tail) },
  ];
}

/** A changed range of the base: `[from, to)` became the side's `[sideFrom, sideTo)`. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly sideFrom: number;
  readonly sideTo: number;
}

function mergeInner(sides: Sides<readonly string[]>): MergedLines[] {
  const ours = editsOf(sides.base, sides.ours);
  const theirs = ours === null ? null : editsOf(sides.base, sides.theirs);
  if (ours === null || theirs === null) return [agreedOrConflict(sides)];
  const merged: MergedLines[] = [];
  let [next, other, at] = [0, 0, 0];
  while (next < ours.length || other < theirs.length) {
    const [firstOurs, firstTheirs] = [next, other];
    const from = Math.min(ours[next]?.from ?? Infinity, theirs[other]?.from ?? Infinity);
    // Edits that touch the range extend it, which may then touch more.
    for (let to = from, grows = true; grows;) {
      grows = false;
      for (; next < ours.length && (ours[next] as Edit).from <= to; next += 1, grows = true) to = Math.max(to, (ours[next] as Edit).to);
      for (; other < theirs.length && (theirs[other] as Edit).from <= to; other += 1, grows = true)
        to = Math.max(to, (theirs[other] as Edit).to);
    }
    const [mine, yours] = [ours.slice(firstOurs, next), theirs.slice(firstTheirs, other)];
    const to = Math.max(mine.at(-1)?.to ?? 0, yours.at(-1)?.to ?? 0);
    merged.push({ kind: 'agreed', lines: sides.base.slice(at, from) });
    const stretch = {
      base: sides.base.slice(from, to),
      ours: sideOf(sides.ours, mine, from, to) ?? sides.base.slice(from, to),
      theirs: sideOf(sides.theirs, yours, from, to) ?? sides.base.slice(from, to),
    };
    if (yours.length === 0) merged.push({ kind: 'agreed', lines: stretch.ours });
    else if (mine.length === 0) merged.push({ kind: 'agreed', lines: stretch.theirs });
    else merged.push(agreedOrConflict(stretch));
    at = to;
  }
  merged.push({ kind: 'agreed', lines: sides.base.slice(at) });
  return merged;
}

/** Returns a side's lines for the base's `[from, to)`; null when it changed nothing there. */
function sideOf(lines: readonly string[], edits: readonly Edit[], from: number, to: number): readonly string[] | null {
  const [first, last] = [edits[0], edits.at(-1)];
  if (first === undefined || last === undefined) return null;
  return lines.slice(first.sideFrom - (first.from - from), last.sideTo + (to - last.to));
}

/** Identical changes are not a conflict. */
function agreedOrConflict(sides: Sides<readonly string[]>): MergedLines {
  const isAlike = sides.ours.length === sides.theirs.length && sides.ours.every((line, index) => line === sides.theirs[index]);
  return isAlike ? { kind: 'agreed', lines: sides.ours } : { kind: 'conflict', sides };
}

/** Returns a side's edits in the order of the base; null when there are too many. */
function editsOf(base: readonly string[], side: readonly string[]): readonly Edit[] | null {
  const changes = diffArrays([...base], [...side], { maxEditLength: MAX_EDIT_LINES });
  if (changes === undefined) return null;
  const edits: Edit[] = [];
  let [at, sideAt] = [0, 0];
  for (const { added, removed, count } of changes) {
    const [to, sideTo] = [added ? at : at + count, removed ? sideAt : sideAt + count];
    const last = edits.at(-1);
    if (added || removed) {
      if (last !== undefined && last.to === at && last.sideTo === sideAt) edits.splice(-1, 1, { ...last, to, sideTo });
      else edits.push({ from: at, to, sideFrom: sideAt, sideTo });
    }
    [at, sideAt] = [to, sideTo];
  }
  return edits;
}

/** Returns the number of common lines at the start and end. The last one, after the last line end, belongs to the end. */
function commonEnds({ base, ours, theirs }: Sides<readonly string[]>): { readonly head: number; readonly tail: number } {
  const most = Math.min(base.length, ours.length, theirs.length);
  const isSame = (at: number): boolean => base.at(at) === ours.at(at) && base.at(at) === theirs.at(at);
  let tail = most > 0 && isSame(-1) ? 1 : 0;
  let head = 0;
  while (head < most - tail && isSame(head)) head += 1;
  while (tail < most - head && isSame(-1 - tail)) tail += 1;
  return { head, tail };
}
