import { scan } from '../markdown/scan.ts';
import type { Span } from '../note.ts';
import type { Splice } from '../text.ts';
import { countLines } from '../text.ts';
import { freshLines, readOuterBlocks } from './outer-blocks.ts';
import { readBodySections, SECTION_NAMES } from './section.ts';

/** A splice; `isLines`: its text is whole lines and must be parsed as it would be alone. */
export interface PartSplice extends Splice {
  readonly isLines: boolean;
}

const MAX_SHOWN_CHARACTERS = 60;

/**
 * Returns why an edit must be refused, or null (E-03): a link, tag, heading, block id or entry of the tools' sections outside of the
 * splices is parsed differently after it, or inserted lines are not parsed as they would be alone. `splices` are sorted.
 */
export function whyMisread(before: string, after: string, splices: readonly PartSplice[]): string | null {
  if (splices.length === 0) return null;
  const [was, is] = affectedRanges(before, after, splices);
  const read = new Set(marksOf(after, is).map(keyOf));
  const moved = new OffsetMap(splices);
  const lost = firstLost(marksOf(before, was), moved, read) ?? lostEntry(before, after, moved);
  if (lost !== null) {
    const shown = JSON.stringify(before.slice(lost.start, Math.min(lost.end, lost.start + MAX_SHOWN_CHARACTERS)));
    return `The change would change how what it leaves is read: ${shown} on line ${1 + countLines(before, 0, lost.start)} would be in a code block, comment or quote that is open there, or in another section. Close it, or take that text into the edit too.`;
  }
  const isAlone = ({ isLines, text }: PartSplice, index: number): boolean =>
    !isLines || isReadAlone(after, { from: is.start, place: moved.placeOf(index) }, text, read);
  return splices.every(isAlone)
    ? null
    : 'The text would change how it is read where it comes, as a code block, comment or HTML is open there. Close it first, with edits.';
}

/**
 * Returns the range of each text that may be parsed differently: no block is open before or after it in either text, so that its identical
 * surroundings are parsed the same. (Math ends at the next `$$`, however far: what would reach across an end leaves a block open there.)
 */
function affectedRanges(before: string, after: string, splices: readonly PartSplice[]): readonly [Span, Span] {
  const [was, is] = [freshLines(before), new Set(freshLines(after))];
  const shift = after.length - before.length;
  const [first, last] = [splices[0]?.start ?? 0, splices.at(-1)?.end ?? 0];
  const start = was.findLast((at) => at <= first && is.has(at)) ?? 0;
  const end = was.find((at) => at >= last && is.has(at + shift)) ?? before.length;
  return [
    { start, end },
    { start, end: end + shift },
  ];
}

interface Mark extends Span {
  /** Its kind and content. */
  readonly says: string;
}

/** Returns the elements of a note that the graph uses, with their positions, in a range before which no block is open. */
function marksOf(text: string, { start: from, end: to }: Span): readonly Mark[] {
  // After a line end, so that rules at the top of a range are not frontmatter.
  const { links, tagUses, headings, blocks } = scan(from === 0 ? text.slice(0, to) : `\n${text.slice(from, to)}`);
  const shift = from === 0 ? 0 : from - 1;
  const marks = [
    ...links.map(({ start, end, kind, link }) => ({ start, end, says: `${kind} ${link}` })),
    ...tagUses.map(({ start, end, tag }) => ({ start, end, says: `tag ${tag}` })),
    ...headings.map(({ start, end, level, text: said }) => ({ start, end, says: `heading ${level} ${said}` })),
    ...blocks.map(({ start, end, id }) => ({ start, end, says: `block ${id}` })),
  ].sort((a, b) => a.start - b.start);
  return marks.map(({ start, end, says }) => ({ start: start + shift, end: end + shift, says }));
}

function keyOf({ start, says }: Pick<Mark, 'start' | 'says'>): string {
  return `${start} ${says}`;
}

/** Returns the first element outside of the splices that is parsed differently. */
function firstLost(marks: readonly Mark[], moved: OffsetMap, read: ReadonlySet<string>): Span | null {
  const isLost = (mark: Mark): boolean => {
    const start = moved.find(mark);
    // Elements that the edit extends belong to the edit; a link ends where it ends.
    const isOwn = !/^(?:link|embed) /.test(mark.says) && moved.isExtended(mark);
    return start !== null && !isOwn && !read.has(keyOf({ start, says: mark.says }));
  };
  return marks.find(isLost) ?? null;
}

/**
 * Returns the first entry of the tools' sections that is lost; if an edit contains the section's heading, the first that is no list item.
 */
function lostEntry(before: string, after: string, moved: OffsetMap): Span | null {
  const [was, is] = [readBodySections(before), readBodySections(after)];
  for (const name of SECTION_NAMES) {
    const section = was[name];
    if (section === null) continue;
    const isHeld = moved.find(section.heading) === null || moved.isExtended(section.heading);
    const entries: readonly Span[] = isHeld ? readOuterBlocks(after).items : (is[name]?.entries ?? []);
    const lost = firstMissing(section.entries, entries, moved);
    if (lost !== null) return lost;
  }
  return null;
}

/** Returns the first of some ranges at whose new place none of the others starts. Both are in order. */
function firstMissing(ranges: readonly Span[], others: readonly Span[], moved: OffsetMap): Span | null {
  let next = 0;
  for (const range of ranges) {
    const start = moved.find(range);
    if (start === null) continue;
    while ((others[next]?.start ?? start) < start) next += 1;
    if (others[next]?.start !== start) return range;
  }
  return null;
}

/** Maps offsets of a text to those after splices. */
class OffsetMap {
  readonly #splices: readonly PartSplice[];
  /** Shift of the text after each splice. */
  readonly #shifts = [0];

  constructor(splices: readonly PartSplice[]) {
    this.#splices = splices;
    let sum = 0;
    for (const { start, end, text } of splices) this.#shifts.push((sum += text.length - (end - start)));
  }

  /** Returns the new start of a range; null when a splice overlaps it. */
  find({ start, end }: Span): number | null {
    const count = this.#endedBy(start);
    const next = this.#splices[count];
    return next !== undefined && next.start < end ? null : start + (this.#shifts[count] ?? 0);
  }

  /** Returns whether an edit starts at the end of a range. */
  isExtended({ start, end }: Span): boolean {
    const next = this.#splices[this.#endedBy(start)];
    return next !== undefined && !next.isLines && next.start === end;
  }

  /** Returns the start of a splice's text. */
  placeOf(index: number): number {
    return (this.#splices[index]?.start ?? 0) + (this.#shifts[index] ?? 0);
  }

  /** Returns the number of splices that end at or before an offset. */
  #endedBy(offset: number): number {
    let [low, high] = [0, this.#splices.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#splices[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Returns whether lines at a position are parsed as they would be alone: no block is open there, and nothing of them continues into
 * another. `from`: an earlier offset at which no block is open.
 */
function isReadAlone(
  after: string,
  { from, place }: { readonly from: number; readonly place: number },
  text: string,
  read: ReadonlySet<string>,
): boolean {
  const at = place + (/^[\r\n]*/.exec(text)?.[0].length ?? 0);
  const lines = text.trim() === '' ? '' : text.slice(at - place);
  if (lines === '') return true;
  const probe = `${after.slice(0, at)}# a`;
  const isHeading = marksOf(probe, { start: from, end: probe.length }).some(({ start, says }) => start === at && says === 'heading 1 a');
  if (!isHeading) return false;
  // After a line end, so that rules at the top are not frontmatter.
  return marksOf(`\n${lines}`, { start: 0, end: lines.length + 1 }).every(({ start, says }) =>
    read.has(keyOf({ start: at + start - 1, says })),
  );
}
