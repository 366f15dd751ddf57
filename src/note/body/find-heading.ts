import { RouxError } from '../../errors.ts';
import type { Heading } from '../note.ts';
import { foldKey } from '../path.ts';
import { lineEnd, lineStart } from '../text.ts';
import { headingKey } from './heading-path.ts';
import { readOuterBlocks } from './outer-blocks.ts';

/** A heading with what stands below it: all up to the next heading of its level or above. Offsets are of the whole text. */
export interface Section {
  readonly heading: Heading;
  /** Where the line of the heading starts. */
  readonly start: number;
  /** Where the last line of the heading ends, before its line end. */
  readonly headingEnd: number;
  readonly end: number;
  /** 1-based line of the heading in the file. */
  readonly line: number;
}

/** So many headings are named in a message, each with so many characters. */
const MAX_LISTED = 20;
const MAX_NAME_CHARACTERS = 80;

/** The sections of a note in their order, each with those below it inside; headings in quotes and lists begin none. */
export function listSections(text: string): readonly Section[] {
  const { headings } = readOuterBlocks(text);
  const sections: Section[] = [];
  let [line, counted] = [1, 0];
  for (const [index, heading] of headings.entries()) {
    const start = lineStart(text, heading.start);
    line += countLines(text, counted, start);
    counted = start;
    const next = nextNotBelow(headings, index);
    const end = next === undefined ? text.length : lineStart(text, next.start);
    sections.push({ heading, start, headingEnd: lineEnd(text, heading.end), end, line });
  }
  return sections;
}

/** The first heading after this one that does not stand below it. */
function nextNotBelow(headings: readonly Heading[], index: number): Heading | undefined {
  const level = headings[index]?.level ?? 0;
  for (let at = index + 1; at < headings.length; at += 1) if ((headings[at]?.level ?? 0) <= level) return headings[at];
  return undefined;
}

/** How many lines end between two offsets. */
export function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0a || (unit === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) lines += 1;
  }
  return lines;
}

/**
 * The section that a name means: the text of its heading, with its marks where they tell it from others (`## Log`), or a path of
 * headings (`Plan > Log`, `Plan#Log`). Null where there is none; `INVALID_PARAMS` where there are several, with their lines.
 */
export function findSection(sections: readonly Section[], name: string, field: string): Section | null {
  for (const candidates of [byText(sections, name), byPath(sections, name)]) {
    const [first] = candidates;
    if (first === undefined) continue;
    if (candidates.length === 1) return first;
    const places = candidates.slice(0, MAX_LISTED).map(({ line }) => line);
    const lines = `${places.join(', ')}${candidates.length > places.length ? ` and ${candidates.length - places.length} more` : ''}`;
    throw new RouxError(
      'INVALID_PARAMS',
      `${field}: the heading ${JSON.stringify(name)} stands ${candidates.length} times, on the lines ${lines}; name it with the headings above it, as in "Above > ${name}", or use edits.`,
      { field, lines: places },
    );
  }
  return null;
}

/** The error of a name that no heading has, which lists those there are. `hint`: what else can be done. */
export function noSuchHeading(sections: readonly Section[], name: string, { field, hint }: { field: string; hint: string }): RouxError {
  const named = sections
    .slice(0, MAX_LISTED)
    .map(({ heading }) => `${'#'.repeat(heading.level)} ${heading.text.slice(0, MAX_NAME_CHARACTERS)}`);
  const more = sections.length > MAX_LISTED ? ` and ${sections.length - MAX_LISTED} more` : '';
  const there = named.length === 0 ? 'It has no headings' : `Its headings: ${named.join(', ')}${more}`;
  return new RouxError('INVALID_PARAMS', `${field}: the note has no heading ${JSON.stringify(name)}. ${there}.${hint}`, { field });
}

/** The headings of a name, those that are written so before those that only read so. */
function byText(sections: readonly Section[], name: string): readonly Section[] {
  const { level, text } = readName(name);
  const ofLevel = level === null ? sections : sections.filter(({ heading }) => heading.level === level);
  const key = headingKey(text);
  const likes: ((heading: string) => boolean)[] = [
    (heading) => heading.trim() === text,
    (heading) => foldKey(heading.trim()) === foldKey(text),
    (heading) => key !== '' && headingKey(heading) === key,
  ];
  for (const isLike of likes) {
    const found = ofLevel.filter(({ heading }) => isLike(heading.text));
    if (found.length > 0) return found;
  }
  return [];
}

/** The headings that a path of headings leads to. */
function byPath(sections: readonly Section[], name: string): readonly Section[] {
  const [first, ...rest] = headingPath(name);
  if (first === undefined || rest.length === 0) return [];
  let found = byText(sections, first);
  for (const part of rest) found = [...new Set(found.flatMap((above) => byText(below(sections, above), part)))];
  return found;
}

/** The sections below a heading, which stand together behind it. */
function below(sections: readonly Section[], above: Section): readonly Section[] {
  const first = firstFrom(sections, above.start + 1);
  return sections.slice(first, firstFrom(sections, above.end, first));
}

/** The index of the first section that starts at an offset or after it. */
function firstFrom(sections: readonly Section[], offset: number, from = 0): number {
  let [low, high] = [from, sections.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sections[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The headings that a name leads through, from the highest down; one where it is no path. */
export function headingPath(name: string): readonly string[] {
  const marks = /^\s*#{1,6}[ \t]+/.exec(name)?.[0] ?? '';
  const parts = name
    .slice(marks.length)
    .split(/(?<!\s)\s+>\s+|#(?![ \t]|$)/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length < 2 ? [name] : parts.map((part, index) => (index === parts.length - 1 ? `${marks.trim()} ${part}`.trim() : part));
}

/** A heading as somebody names it: its text, and its level where marks tell it. */
export function readName(name: string): { readonly level: number | null; readonly text: string } {
  const [, marks, text = ''] = /^\s*(#{1,6})[ \t]+(.*)$/s.exec(name) ?? [];
  return marks === undefined ? { level: null, text: name.trim() } : { level: marks.length, text: text.trim() };
}
