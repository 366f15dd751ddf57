import { scan } from '../markdown/scan.ts';
import type { Span } from '../note.ts';
import type { Splice } from '../text.ts';
import { countLines } from './find-heading.ts';
import { freshLines, readOuterBlocks } from './outer-blocks.ts';
import { readBodySections, SECTION_NAMES } from './section.ts';

/** A splice; `isLines`: its text stands on lines of its own, and is to be read as it would be alone. */
export interface PartSplice extends Splice {
  readonly isLines: boolean;
}

/**
 * Why the changes of a body are not to be made, or null (E-03): a link, tag, heading, block id or entry of the tools' sections that no
 * splice holds is read otherwise after them, or lines that they bring are not read as they would be alone. `splices` are in their order.
 */
export function whyMisread(before: string, after: string, splices: readonly PartSplice[]): string | null {
  if (splices.length === 0) return null;
  const [was, is] = touched(before, after, splices);
  const read = new Set(marksOf(after, is).map(keyOf));
  const moved = new Moved(splices);
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
 * The stretch of each text that can be read otherwise than in the other one: no block is open before it, nor behind it, in either, so
 * that what stands around it, which is the same, is read the same. (Math ends where `$$` follows, however far: what would reach across
 * an end leaves a block open there.)
 */
function touched(before: string, after: string, splices: readonly PartSplice[]): readonly [Span, Span] {
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

/** So much of a place is shown in a message. */
const MAX_SHOWN_CHARACTERS = 60;

interface Mark extends Span {
  /** What it says, by its kind. */
  readonly says: string;
}

/** What a graph knows a note by, each with its place; in a stretch before which no block is open. */
function marksOf(text: string, { start: from, end: to }: Span): readonly Mark[] {
  // Behind a line end, so that rules at the top of a stretch are no frontmatter.
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

/** The first mark outside of the splices that is not read as it was. */
function firstLost(marks: readonly Mark[], moved: Moved, read: ReadonlySet<string>): Span | null {
  const isLost = (mark: Mark): boolean => {
    const start = moved.find(mark);
    // What an edit goes on with from its end is the edit's own; a link ends where it ends.
    const isOwn = !/^(?:link|embed) /.test(mark.says) && moved.isExtended(mark);
    return start !== null && !isOwn && !read.has(keyOf({ start, says: mark.says }));
  };
  return marks.find(isLost) ?? null;
}

/** The first entry in the sections of tools that is none after; where an edit holds the heading of its section, one that is no list item. */
function lostEntry(before: string, after: string, moved: Moved): Span | null {
  const [was, is] = [readBodySections(before), readBodySections(after)];
  for (const name of SECTION_NAMES) {
    const section = was[name];
    if (section === null) continue;
    const isHeld = moved.find(section.heading) === null || moved.isExtended(section.heading);
    const entries = isHeld ? readOuterBlocks(after).items : (is[name]?.entries ?? []);
    const starts = new Set<number | null>([null, ...entries.map(({ start }) => start)]);
    const lost = section.entries.find((entry) => !starts.has(moved.find(entry)));
    if (lost !== undefined) return lost;
  }
  return null;
}

/** Where what stands in a text is after splices of it. */
class Moved {
  readonly #splices: readonly PartSplice[];
  /** By how much what stands behind so many of them moves. */
  readonly #shifts = [0];

  constructor(splices: readonly PartSplice[]) {
    this.#splices = splices;
    let sum = 0;
    for (const { start, end, text } of splices) this.#shifts.push((sum += text.length - (end - start)));
  }

  /** Where a stretch starts; null where a splice holds a part of it. */
  find({ start, end }: Span): number | null {
    const count = this.#endedBy(start);
    const next = this.#splices[count];
    return next !== undefined && next.start < end ? null : start + (this.#shifts[count] ?? 0);
  }

  /** Whether an edit begins where a stretch ends. */
  isExtended({ start, end }: Span): boolean {
    const next = this.#splices[this.#endedBy(start)];
    return next !== undefined && !next.isLines && next.start === end;
  }

  /** Where the text of a splice starts. */
  placeOf(index: number): number {
    return (this.#splices[index]?.start ?? 0) + (this.#shifts[index] ?? 0);
  }

  /** How many splices end before an offset, or at it. */
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
 * Whether lines that begin at a place are read as they would be alone: no block is open there, and nothing of them goes into another.
 * `from`: an offset above, before which no block is open.
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
  // Behind a line end, so that rules at the top are no frontmatter.
  return marksOf(`\n${lines}`, { start: 0, end: lines.length + 1 }).every(({ start, says }) =>
    read.has(keyOf({ start: at + start - 1, says })),
  );
}
