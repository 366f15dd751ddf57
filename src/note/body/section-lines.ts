import { RouxError } from '../../errors.ts';
import { bodyStartOf } from '../frontmatter/read-frontmatter.ts';
import { applySplices, lineEnd, lineEnding, lineStart, nextLine } from '../text.ts';
import type { Splice } from '../text.ts';
import { readBodySection, readBodySections, SECTION_NAMES } from './section.ts';
import type { BodySection, SectionEntry } from './section.ts';

/** A line to add; `unique`: unless it exists. */
export interface NewLine {
  readonly line: string;
  readonly unique?: boolean;
}

/**
 * Appends lines to a body section, which is created at the end of the body if missing. Parses the text once before and once after, for any
 * number of lines (X-27). `apart`: exactly two line ends precede a new section, whatever the body ends with.
 */
export function addLines(text: string, change: { section: string; lines: readonly NewLine[]; apart?: boolean }): string {
  const section = readBodySection(text, change.section);
  const present = section?.entries.map((entry) => entry.line) ?? [];
  const added = linesToAdd(present, change.lines);
  if (added.length === 0) return text;
  const misread = (after: string): string | undefined => {
    const written = readBodySection(after, change.section)?.entries.slice(present.length) ?? [];
    return (
      added.find((line, index) => /[\r\n]/.test(line) || written[index]?.line !== line) ??
      (written.length > added.length ? added.at(-1) : undefined)
    );
  };
  const isSpaced = [false, true];
  const tries =
    section === null ? [() => addSection(text, added, change)] : isSpaced.map((gap) => () => addEntries(text, section, added, gap));
  let wrong: string | undefined;
  for (const make of tries) {
    const after = make();
    wrong = misread(after);
    if (wrong === undefined) return after;
  }
  throw unwritable(change.section, wrong ?? '');
}

function linesToAdd(present: readonly string[], lines: readonly NewLine[]): readonly string[] {
  const known = new Set(lines.some(({ unique }) => unique === true) ? present : []);
  return lines.flatMap(({ line, unique }) => {
    if (unique === true && known.has(line)) return [];
    known.add(line);
    return [line];
  });
}

/** Adds a section. It ends with a line end if the text did, separated by one line end: `dropSection` infers from it what was there. */
function addSection(text: string, lines: readonly string[], { section, apart = false }: { section: string; apart?: boolean }): string {
  const eol = lineEnding(text);
  const isEnded = endsLine(text) || text === '' || text === '\ufeff';
  const written = `## ${section}${eol}${eol}${lines.map((line) => `- ${line}`).join(eol)}`;
  if (apart) return text + eol.repeat(2) + written + eol;
  const isEmpty = text.slice(bodyStartOf(text)).trim() === '';
  if (isEnded) return `${text}${isEmpty ? '' : eol}${written}${eol}`;
  return text + eol.repeat(isEmpty ? 1 : 2) + written;
}

/** `isSpaced`: a blank line is needed so that what follows is not parsed as part of the last entry. */
function addEntries(text: string, section: BodySection, lines: readonly string[], isSpaced: boolean): string {
  const eol = lineEnding(text);
  const last = section.entries.at(-1);
  const at = nextLine(text, lineEnd(text, last?.end ?? section.heading.end));
  const entries = lines.map((line, index) => `${bulletAfter(text, last, index + 1)}${line}`).join(eol);
  // Also for an empty heading only the lines are added, so that deleting them restores the text.
  const written = lineStart(text, at) === at ? `${entries}${eol}` : `${eol}${entries}`;
  return applySplices(text, [{ start: at, end: at, text: written + (isSpaced ? eol : '') }]);
}

/** Returns the bullet of an entry `steps` after the last one: the same mark, with numbers continued. */
function bulletAfter(text: string, last: SectionEntry | undefined, steps: number): string {
  if (last === undefined) return '- ';
  const [, indent = '', mark = '-', space = ''] = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]*)/.exec(text.slice(last.start, last.textStart)) ?? [];
  const number = Number.parseInt(mark, 10) + steps;
  const next = Number.isNaN(number) ? mark : number <= 999_999_999 ? `${number}${mark.slice(-1)}` : mark;
  // With more than four columns the text would be code.
  return `${indent}${next}${space === '\t' || /^ {1,4}$/.test(space) ? space : ' '}`;
}

/**
 * Removes the list entries of a section that equal one of these lines. A section that roux wrote is removed with its last entry, restoring
 * the text before it. `apart`: it was added with that option.
 */
export function dropLines(
  text: string,
  { section: name, lines, apart = false }: { section: string; lines: ReadonlySet<string>; apart?: boolean },
): string {
  if (apart) return dropApart(text, name, (line) => lines.has(line));
  const section = readBodySection(text, name);
  const dropped = section?.entries.filter(({ line }) => lines.has(line)) ?? [];
  if (section === null || dropped.length === 0) return text;
  const isWhole = dropped.length === section.entries.length && isOwn(text, section, name);
  return isWhole ? dropSection(text, section) : dropEntries(text, section, dropped);
}

/** Restores the text before these list entries were added `apart`: including the section if there is nothing else in it. */
export function dropApart(text: string, name: string, isDropped: (line: string) => boolean): string {
  const section = readBodySection(text, name);
  const dropped = section?.entries.filter(({ line }) => isDropped(line)) ?? [];
  if (section === null || dropped.length === 0) return text;
  const eol = text.startsWith('\r\n', section.heading.end) ? '\r\n' : '\n';
  const before = text.slice(0, section.heading.start);
  const isAlone = dropped.length === section.entries.length && isOwn(text, section, name) && section.end === text.length;
  if (isAlone && before.endsWith(eol + eol)) return before.slice(0, -2 * eol.length);
  return dropEntries(text, section, dropped);
}

/** Removes entries with their lines. If the rest would be parsed differently without them, each leaves its last line end. */
function dropEntries(text: string, section: BodySection, dropped: readonly SectionEntry[]): string {
  // If the last line has no line end, each entry was added with the line end before it.
  const isOpen = !endsLine(text) && lineEnd(text, dropped.at(-1)?.end ?? 0) === text.length;
  const without = (isBlankLeft: boolean): string =>
    applySplices(
      text,
      dropped.map(({ start, end }): Splice => {
        const stop = lineEnd(text, end);
        if (isBlankLeft) return { start, end: stop, text: '' };
        if (!isOpen) return { start, end: nextLine(text, stop), text: '' };
        return { start: start - (text.startsWith('\r\n', start - 2) ? 2 : 1), end: stop, text: '' };
      }),
    );
  const gone = new Set(dropped);
  const before = readBodySections(text);
  const kept = SECTION_NAMES.map((name) => {
    const entries = before[name]?.entries ?? [];
    const isOwn = before[name]?.heading.start === section.heading.start;
    return entries.flatMap(({ line }, index) => (isOwn && gone.has(section.entries[index]!) ? [] : [line]));
  });
  const after = without(false);
  return isRead(after, kept) ? after : without(true);
}

/** Returns whether the sections of a text have these entries. */
function isRead(text: string, wanted: readonly (readonly string[])[]): boolean {
  const sections = readBodySections(text);
  return SECTION_NAMES.every((name, at) => {
    const entries = sections[name]?.entries ?? [];
    return entries.length === wanted[at]?.length && entries.every(({ line }, index) => line === wanted[at]?.[index]);
  });
}

/** Replaces the list entries of a section that equal a line. */
export function replaceLine(text: string, change: { section: string; line: string; by: string }): string {
  const section = readBodySection(text, change.section);
  if (section === null) return text;
  const splices = section.entries
    .filter((entry) => entry.line === change.line)
    .map((entry): Splice => ({ start: entry.textStart, end: entry.textEnd, text: change.by }));
  const after = applySplices(text, splices);
  const written = readBodySection(after, change.section)?.entries ?? [];
  const isRight = section.entries.every(({ line }, index) => written[index]?.line === (line === change.line ? change.by : line));
  if (!isRight || written.length !== section.entries.length) throw unwritable(change.section, change.by);
  return after;
}

/** Returns whether a section is as roux writes it: heading, empty line, and only blank lines and entries below. */
function isOwn(text: string, section: BodySection, name: string): boolean {
  const { heading, entries } = section;
  const first = nextLine(text, heading.end);
  if (text.slice(heading.start, heading.end) !== `## ${name}` || lineEnd(text, first) !== first || entries[0]?.start === first)
    return false;
  let at = nextLine(text, lineEnd(text, section.heading.end));
  for (const entry of entries) {
    if (text.slice(at, entry.start).trim() !== '') return false;
    at = nextLine(text, lineEnd(text, entry.end));
  }
  return text.slice(at, section.end).trim() === '';
}

/** Removes a section, and at the end of a body the line ends that `addSection` added before it. */
function dropSection(text: string, section: BodySection): string {
  const before = text.slice(0, section.heading.start);
  const after = text.slice(section.end);
  if (after !== '') return before + after;
  const isEmpty = before.slice(bodyStartOf(text)).trim() === '';
  const added = (isEmpty ? 0 : 1) + (endsLine(text) ? 0 : 1);
  let kept = before;
  for (let left = added; left > 0 && endsLine(kept); left -= 1) kept = kept.slice(0, kept.endsWith('\r\n') ? -2 : -1);
  return kept;
}

function unwritable(section: string, line: string): RouxError {
  const shown = line.length > 80 ? `${line.slice(0, 80)}…` : line;
  return new RouxError(
    'INVALID_PARAMS',
    `${JSON.stringify(shown)} cannot be written as one list item of the section ${section}: it would not read back the same. Use one line of plain text, and look for an unclosed code fence or comment in the note.`,
    { section },
  );
}

function endsLine(text: string): boolean {
  return text.endsWith('\n') || text.endsWith('\r');
}
