import { bodyStartOf } from '../frontmatter/read-frontmatter.ts';
import type { Heading, Span } from '../note.ts';
import { lineEnd, lineStart } from '../text.ts';
import { readOuterBlocks } from './outer-blocks.ts';
import type { OuterBlocks } from './outer-blocks.ts';

/** The sections of a body that roux reads and writes. */
export const SECTION_NAMES = ['Observations', 'Relations'] as const;

type SectionName = (typeof SECTION_NAMES)[number];

/** One list entry of a body section, from the start of its first line to the end of its last. */
export interface SectionEntry extends Span {
  /** The text after the bullet, trimmed; multi-line text with its indentation. */
  readonly line: string;
  readonly textStart: number;
  readonly textEnd: number;
}

/** A body section that roux writes: its heading and list entries. */
export interface BodySection {
  readonly heading: Span;
  readonly entries: readonly SectionEntry[];
  /** Text outside of lists, code, quotes and tables. */
  readonly prose: readonly Span[];
  readonly end: number;
}

/** The sections of one body. Of several with the same name the first counts. */
export interface BodySections {
  readonly Observations: BodySection | null;
  readonly Relations: BodySection | null;
  /** Headings of later sections with the same name, which do not count. */
  readonly repeated: readonly Heading[];
}

/**
 * Reads the sections of a body in one pass. A heading counts in any case and level; its section ends at the next one of its level or
 * above, or with the other name. Entries are CommonMark list items, including nested lists, code and blank lines indented as their text
 * (X-08).
 */
export function readBodySections(text: string): BodySections {
  const found = { Observations: null as BodySection | null, Relations: null as BodySection | null, repeated: [] as Heading[] };
  if (!/observations|relations/i.test(text)) return found;
  const blocks = readOuterBlocks(text);
  let end = -1;
  for (const [index, heading] of blocks.headings.entries()) {
    const name = sectionNameOf(heading.text);
    if (name === null) continue;
    if (found[name] === null) {
      found[name] = sectionAt(text, blocks, index, name);
      end = found[name].end;
    } else if (heading.start >= end) found.repeated.push(heading);
  }
  return found;
}

/** Returns the first section with any given name in the body; null for none. */
export function readBodySection(text: string, name: string): BodySection | null {
  const known = sectionNameOf(name);
  return known === null ? (readNamedSections(text, name)[0] ?? null) : readBodySections(text)[known];
}

/** Returns all sections with a name in the body, in their order; those of people and merges may be several. */
export function readNamedSections(text: string, name: string): readonly BodySection[] {
  const folded = name.trim().toLowerCase();
  if (!text.toLowerCase().includes(folded)) return [];
  const blocks = readOuterBlocks(text);
  return blocks.headings.flatMap((heading, index) =>
    heading.text.trim().toLowerCase() === folded ? [sectionAt(text, blocks, index, null)] : [],
  );
}

/** Returns the section that a heading with this text starts; null for none. */
export function sectionNameOf(heading: string): SectionName | null {
  const folded = heading.trim().toLowerCase();
  return SECTION_NAMES.find((name) => name.toLowerCase() === folded) ?? null;
}

function sectionAt(text: string, { headings, items, paragraphs }: OuterBlocks, index: number, name: SectionName | null): BodySection {
  const [own, ...below] = headings.slice(index) as [Heading, ...Heading[]];
  const isOther = (heading: Heading): boolean => ![null, name].includes(sectionNameOf(heading.text));
  const next = below.find((heading) => heading.level <= own.level || isOther(heading));
  const [start, end] = [lineEnd(text, own.end), next === undefined ? text.length : lineStart(text, next.start)];
  const isInside = (span: Span): boolean => span.start >= start && span.start < end;
  const entries: SectionEntry[] = [];
  for (const item of items) {
    const entry = isInside(item) ? entryOf(text, item) : null;
    if (entry !== null) entries.push(entry);
  }
  return {
    // A BOM is on the line of the first heading, but not part of it.
    heading: { start: Math.max(bodyStartOf(text), lineStart(text, own.start)), end: start },
    entries,
    prose: paragraphs.filter(isInside),
    end,
  };
}

const bulletPattern = /[ \t]*(?:[-*+]|\d{1,9}[.)])\s*/y;

function entryOf(text: string, { start, end }: Span): SectionEntry | null {
  bulletPattern.lastIndex = start;
  const textStart = Math.min(bulletPattern.test(text) ? bulletPattern.lastIndex : start, end);
  const line = text.slice(textStart, end).trim();
  return line === '' ? null : { start, end, line, textStart, textEnd: textStart + line.length };
}
