import { RouxError } from '../../errors.ts';
import { bodyStartOf } from '../frontmatter/read-frontmatter.ts';
import { applySplices, lineEnd, lineEnding, lineStart, nextLine } from '../text.ts';
import type { Splice } from '../text.ts';
import { readBodySection } from './section.ts';
import type { BodySection } from './section.ts';

/**
 * The text with one line appended to a body section, which is made at the end of the body when there is none.
 * `apart`: exactly two line ends are put before a new section, whatever the body ends with, so that it can be told again what was there.
 */
export function addLine(text: string, change: { section: string; line: string; unique?: boolean; apart?: boolean }): string {
  const section = readBodySection(text, change.section);
  const lines = section?.entries.map((entry) => entry.line) ?? [];
  if (change.unique === true && lines.includes(change.line)) return text;
  const after = section === null ? addSection(text, change) : addEntry(text, section, change.line);
  const written = readBodySection(after, change.section)?.entries.map((entry) => entry.line) ?? [];
  if (written.length !== lines.length + 1 || written.at(-1) !== change.line) throw unwritable(change);
  return after;
}

function addSection(text: string, { section, line, apart = false }: { section: string; line: string; apart?: boolean }): string {
  const eol = lineEnding(text);
  const heading = `## ${section}${eol}${eol}- ${line}${eol}`;
  if (apart) return text + eol.repeat(2) + heading;
  const body = text.slice(bodyStartOf(text));
  if (body.trim() === '') return text + (text.length === 0 || text === '\ufeff' || endsLine(text) ? '' : eol) + heading;
  const gap = text.slice(text.trimEnd().length);
  return text + eol.repeat(Math.max(0, 2 - countLineEnds(gap))) + heading;
}

function addEntry(text: string, section: BodySection, line: string): string {
  const eol = lineEnding(text);
  const last = section.entries.at(-1);
  const at = nextLine(text, lineEnd(text, last?.end ?? section.heading.end));
  const bullet = last === undefined ? '- ' : text.slice(last.start, last.textStart);
  const blank = last === undefined ? eol : '';
  const entry = lineStart(text, at) === at ? `${blank}${bullet}${line}${eol}` : `${eol}${blank}${bullet}${line}`;
  return applySplices(text, [{ start: at, end: at, text: entry + spaceAfter(text, at, last === undefined, eol) }]);
}

/** The text without the list entries of a section that equal a line; an emptied section goes with its heading. `apart`: it was added so. */
export function dropLine(text: string, change: { section: string; line: string; apart?: boolean }): string {
  if (change.apart === true) return dropLines(text, change.section, (line) => line === change.line);
  const section = readBodySection(text, change.section);
  const dropped = section?.entries.filter((entry) => entry.line === change.line) ?? [];
  if (section === null || dropped.length === 0) return text;
  if (dropped.length === section.entries.length && isBare(text, section)) return dropSection(text, section);
  return applySplices(
    text,
    dropped.map((entry): Splice => ({ start: entry.start, end: nextLine(text, lineEnd(text, entry.end)), text: '' })),
  );
}

/** The text as it was before these list entries were added `apart`: with the section where there is nothing else in it. */
export function dropLines(text: string, name: string, isDropped: (line: string) => boolean): string {
  const section = readBodySection(text, name);
  const dropped = section?.entries.filter(({ line }) => isDropped(line)) ?? [];
  if (section === null || dropped.length === 0) return text;
  const eol = text.startsWith('\r\n', section.heading.end) ? '\r\n' : '\n';
  const before = text.slice(0, section.heading.start);
  const isAlone = dropped.length === section.entries.length && isBare(text, section) && section.end === text.length;
  if (isAlone && before.endsWith(eol + eol)) return before.slice(0, -2 * eol.length);
  // Where the last line has no end, each entry was added along with the line end before it.
  const isOpen = !endsLine(text) && lineEnd(text, section.entries.at(-1)?.end ?? 0) === text.length;
  return applySplices(
    text,
    dropped.map((entry): Splice => {
      const end = lineEnd(text, entry.end);
      if (!isOpen) return { start: entry.start, end: nextLine(text, end), text: '' };
      return { start: entry.start - (text.startsWith('\r\n', entry.start - 2) ? 2 : 1), end, text: '' };
    }),
  );
}

/** The text with the list entries of a section that equal a line saying something else. */
export function replaceLine(text: string, change: { section: string; line: string; by: string }): string {
  const section = readBodySection(text, change.section);
  if (section === null) return text;
  const splices = section.entries
    .filter((entry) => entry.line === change.line)
    .map((entry): Splice => ({ start: entry.textStart, end: entry.textEnd, text: change.by }));
  const after = applySplices(text, splices);
  const written = readBodySection(after, change.section)?.entries ?? [];
  const isRight = section.entries.every(({ line }, index) => written[index]?.line === (line === change.line ? change.by : line));
  if (!isRight || written.length !== section.entries.length) throw unwritable({ section: change.section, line: change.by });
  return after;
}

/** Whether nothing but blank lines and entries stands in a section. */
function isBare(text: string, section: BodySection): boolean {
  let rest = '';
  let at = nextLine(text, lineEnd(text, section.heading.end));
  for (const entry of section.entries) {
    rest += text.slice(at, entry.start);
    at = nextLine(text, lineEnd(text, entry.end));
  }
  return (rest + text.slice(at, section.end)).trim() === '';
}

/** Takes a section away with the blank lines around it, one blank line left between what was before and after. */
function dropSection(text: string, section: BodySection): string {
  const before = text.slice(0, section.heading.start);
  const after = text.slice(section.end);
  if (after.trim() !== '') return before + after;
  const bodyStart = bodyStartOf(text);
  const kept = Math.max(bodyStart, before.trimEnd().length);
  return text.slice(0, kept === bodyStart ? bodyStart : nextLine(text, lineEnd(text, kept)));
}

function unwritable({ section, line }: { section: string; line: string }): RouxError {
  const shown = line.length > 80 ? `${line.slice(0, 80)}…` : line;
  return new RouxError(
    'INVALID_PARAMS',
    `${JSON.stringify(shown)} cannot be written as one list item of the section ${section}: it would not read back the same. Use one line of plain text, and look for an unclosed code fence or comment in the note.`,
    { section },
  );
}

function spaceAfter(text: string, at: number, isFirst: boolean, eol: string): string {
  if (!isFirst || at >= text.length) return '';
  return lineEnd(text, at) === at ? '' : eol;
}

function endsLine(text: string): boolean {
  return text.endsWith('\n') || text.endsWith('\r');
}

function countLineEnds(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}
