import { RouxError } from '../../errors.ts';
import type { Heading, Span } from '../note.ts';
import { foldKey } from '../path.ts';
import { countLines, lineEnd, lineStart } from '../text.ts';
import { headingKey, headingPathLink } from './heading-path.ts';
import { readOuterBlocks } from './outer-blocks.ts';

/** A heading with its content: up to the next heading of its level or above. Offsets are of the whole text. */
export interface Section {
  readonly heading: Heading;
  /** Start of the heading's line. */
  readonly start: number;
  /** End of the heading's last line, before its line end. */
  readonly headingEnd: number;
  readonly end: number;
  /** 1-based line of the heading in the file. */
  readonly line: number;
}

/** Headings listed in a message, and characters of each. */
const MAX_LISTED = 20;
const MAX_NAME_CHARACTERS = 80;

/** Returns the sections of a note in order, each including its subsections. Headings in quotes and lists do not count. */
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

/** Returns the next heading that is not nested below this one. */
function nextNotBelow(headings: readonly Heading[], index: number): Heading | undefined {
  const level = headings[index]?.level ?? 0;
  for (let at = index + 1; at < headings.length; at += 1) if ((headings[at]?.level ?? 0) <= level) return headings[at];
  return undefined;
}

/**
 * Finds the section for a name: the text of its heading, optionally with its marks (`## Log`), or a path of headings (`Plan > Log`,
 * `Plan#Log`), optionally with the line of the heading (`Log (line 12)`). Null for none; throws `INVALID_PARAMS` with the lines of several.
 */
export function findSection(sections: readonly Section[], name: string, field: string): Section | null {
  const candidates = findCandidates(sections, name);
  const [first] = candidates;
  if (first === undefined || candidates.length === 1) return first ?? null;
  const places = candidates.slice(0, MAX_LISTED).map(({ line }) => line);
  const lines = `${places.join(', ')}${candidates.length > places.length ? ` and ${candidates.length - places.length} more` : ''}`;
  throw new RouxError(
    'INVALID_PARAMS',
    `${field}: the heading ${JSON.stringify(name)} is there ${candidates.length} times, on lines ${lines}; name it with the headings above it, as in "Above > ${name}", or with its line, as in "${withLine(name, first)}".`,
    { field, lines: places },
  );
}

/**
 * Returns the name by which `findSection` finds the section that holds an offset, or begins after it: its path of headings as a link has it,
 * with its line where others could be meant.
 */
export function nameSection(sections: readonly Section[], path: string, offset: number): string {
  const above: Section[] = [];
  for (const section of sections) {
    while ((above.at(-1)?.heading.level ?? 0) >= section.heading.level) above.pop();
    above.push(section);
    if (section.end <= offset || headingPathLink(above.map(({ heading }) => heading)) !== path) continue;
    const [found, ...others] = findCandidates(sections, path);
    return found === section && others.length === 0 ? path : withLine(path, section);
  }
  return path;
}

function withLine(name: string, { line }: Section): string {
  return `${name} (line ${line})`;
}

function findCandidates(sections: readonly Section[], name: string): readonly Section[] {
  for (const find of [byLine, byText, byPath]) {
    const found = find(sections, name);
    if (found.length > 0) return found;
  }
  return [];
}

/** Returns the error for an unknown heading, listing the existing ones. `hint`: what else can be done. */
export function noSuchHeading(sections: readonly Section[], name: string, { field, hint }: { field: string; hint: string }): RouxError {
  const named = sections
    .slice(0, MAX_LISTED)
    .map(({ heading }) => `${'#'.repeat(heading.level)} ${heading.text.slice(0, MAX_NAME_CHARACTERS)}`);
  const more = sections.length > MAX_LISTED ? ` and ${sections.length - MAX_LISTED} more` : '';
  const there = named.length === 0 ? 'It has no headings' : `Its headings: ${named.join(', ')}${more}`;
  return new RouxError('INVALID_PARAMS', `${field}: the note has no heading ${JSON.stringify(name)}. ${there}.${hint}`, { field });
}

/** Returns the heading on the line that a name ends with, if it is the named one. */
function byLine(sections: readonly Section[], name: string): readonly Section[] {
  const [, text = '', line] = /^(.*) \(line (\d+)\)$/s.exec(name) ?? [];
  const found = line === undefined ? undefined : sections.find((section) => section.line === Number(line));
  return found !== undefined && headingKey(text).endsWith(headingKey(found.heading.text)) ? [found] : [];
}

/** Returns the headings with a name, exact matches before loose ones. */
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

/** Returns the headings at a path of headings. */
function byPath(sections: readonly Section[], name: string): readonly Section[] {
  const [first, ...rest] = headingPath(name);
  if (first === undefined || rest.length === 0) return [];
  let found = byText(sections, first);
  for (const part of rest) found = [...new Set(found.flatMap((above) => byText(below(sections, above), part)))];
  return found;
}

/** Returns the sections below a heading, which follow it directly. */
function below(sections: readonly Section[], above: Section): readonly Section[] {
  const first = firstFrom(sections, above.start + 1);
  return sections.slice(first, firstFrom(sections, above.end, first));
}

/** Returns the index of the first section at or after an offset. */
function firstFrom(sections: readonly Section[], offset: number, from = 0): number {
  let [low, high] = [from, sections.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sections[middle]?.start ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Splits a name into a path of headings, outermost first; one element if it is not a path. */
export function headingPath(name: string): readonly string[] {
  const marks = /^\s*#{1,6}[ \t]+/.exec(name)?.[0] ?? '';
  const parts = name
    .slice(marks.length)
    .split(/(?<!\s)\s+>\s+|#(?![ \t]|$)/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts.length < 2 ? [name] : parts.map((part, index) => (index === parts.length - 1 ? `${marks.trim()} ${part}`.trim() : part));
}

/** Parses the name of a heading: its text, and its level if it has marks. */
export function readName(name: string): { readonly level: number | null; readonly text: string } {
  const [, marks, text = ''] = /^\s*(#{1,6})[ \t]+(.*)$/s.exec(name) ?? [];
  return marks === undefined ? { level: null, text: name.trim() } : { level: marks.length, text: text.trim() };
}

/** Removes a repeated heading from the content of a section. */
export function withoutHeading(text: string, { heading }: Section): string {
  const [line = ''] = /^[^\r\n]*/.exec(text.trimStart()) ?? [];
  const { level, text: name } = readName(line);
  if (level !== heading.level || headingKey(name) !== headingKey(heading.text)) return text;
  return text
    .trimStart()
    .slice(line.length)
    .replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, '');
}

/** What stands below a heading, without blank lines around it. */
interface TextBelow extends Span {
  readonly section: Section;
  readonly text: string;
}

/** Returns what stands below the one heading with a name; null for none, or several. */
export function textBelow(text: string, name: string): TextBelow | null {
  const [section, ...others] = findCandidates(listSections(text), name);
  if (section === undefined || others.length > 0) return null;
  const below = text.slice(section.headingEnd, section.end).trimEnd();
  const lead = /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(below)?.[0].length ?? 0;
  return { section, start: section.headingEnd + lead, end: section.headingEnd + below.length, text: below.slice(lead) };
}
