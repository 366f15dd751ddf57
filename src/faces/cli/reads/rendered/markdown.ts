import { visibleLine } from '../../../../terminal-text.ts';
import { widthOf } from '../../terminal.ts';
import type { Painter } from '../../terminal.ts';
import { readInline } from './inline.ts';
import { wrapPieces } from './wrap.ts';

/** Wider text is hard to read. */
const MAX_TEXT_COLUMNS = 100;
const MIN_TEXT_COLUMNS = 20;

interface Page {
  readonly columns: number;
  readonly paint: Painter;
}

/** A line of a list item: its indentation, its bullet or number, its checkbox and its text. */
const ITEM = /^(?<indent>[ \t]*)(?<mark>[-*+]|\d{1,9}[.)])[ \t]+(?:\[(?<state>.)\][ \t]+)?(?<text>.*)$/u;
const FENCE = /^[ \t>]*(?<fence>`{3,}|~{3,})(?<language>[^`]*)$/u;
const ROW = /^[ \t]*\|.*\|[ \t]*$/u;
const DIVIDER = /^[ \t]*\|[ \t:|-]+\|[ \t]*$/u;

/**
 * Formats a note for a terminal, line by line: headings, lists, checkboxes, quotes, callouts, tables, code and links. Only the marks of
 * Markdown are left out. Takes time linear in the text.
 */
export function renderMarkdown(text: string, { columns, paint }: Page): string {
  const page = { columns: Math.max(MIN_TEXT_COLUMNS, Math.min(columns, MAX_TEXT_COLUMNS)), paint };
  const lines = text.split(/\r?\n/u);
  const shown: string[] = [];
  for (let at = 0; at < lines.length;) {
    const end = endOfBlock(lines, at);
    for (const each of renderBlock(lines.slice(at, end), page, at === 0)) shown.push(each);
    at = end;
  }
  return shown.join('\n');
}

/** Returns the end of what begins at a line: frontmatter, a fenced block of code, a table, or the line itself. */
function endOfBlock(lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (at === 0 && line === '---') {
    const end = lines.indexOf('---', 1);
    return end < 0 ? 1 : end + 1;
  }
  const fence = FENCE.exec(line)?.groups?.['fence'];
  let end = at + 1;
  if (fence !== undefined) {
    while (end < lines.length && !isFenceEnd(lines[end] ?? '', fence)) end += 1;
    return Math.min(end + 1, lines.length);
  }
  if (ROW.test(line) && DIVIDER.test(lines[end] ?? '')) while (end < lines.length && ROW.test(lines[end] ?? '')) end += 1;
  return end;
}

function isFenceEnd(line: string, fence: string): boolean {
  const found = FENCE.exec(line)?.groups;
  return found?.['fence']?.startsWith(fence) === true && found['language']?.trim() === '';
}

function renderBlock(lines: readonly string[], page: Page, isFirst: boolean): readonly string[] {
  const [first = ''] = lines;
  const { paint } = page;
  if (isFirst && first === '---' && lines.length > 1) return lines.slice(1, -1).map((line) => paint.dim(visibleLine(line)));
  const code = FENCE.exec(first)?.groups;
  if (code !== undefined) {
    const isEnded = lines.length > 1 && isFenceEnd(lines.at(-1) ?? '', code['fence'] ?? '');
    const body = lines.slice(1, isEnded ? -1 : undefined);
    return [
      ...(code['language']?.trim() ? [paint.dim(`  ${visibleLine(code['language'].trim())}`)] : []),
      ...body.map((line) => `  ${paint.yellow(visibleCode(line))}`),
    ];
  }
  return lines.length > 1 ? renderTable(lines, page) : [renderLine(first, page)];
}

function renderLine(line: string, page: Page): string {
  const { paint, columns } = page;
  const [, level = '', title = ''] = /^(#{1,6})[ \t]+(.*)$/u.exec(line) ?? [];
  if (level !== '') return paint.bold(level.length === 1 ? paint.underline(visibleLine(plainText(title))) : visibleLine(plainText(title)));
  if (/^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/u.test(line)) return paint.dim('─'.repeat(columns));
  const [, bars = '', quoted = ''] = /^((?:[ \t]{0,3}>[ \t]?)+)(.*)$/u.exec(line) ?? [];
  if (bars !== '') {
    const depth = bars.split('>').length - 1;
    const inner = { ...page, columns: Math.max(MIN_TEXT_COLUMNS, columns - 2 * depth) };
    const mark = paint.dim('│ '.repeat(depth));
    const title = calloutTitle(quoted);
    return (title === null ? renderLine(quoted, inner) : paint.bold(title))
      .split('\n')
      .map((each) => `${mark}${each}`)
      .join('\n');
  }
  const item = ITEM.exec(line)?.groups;
  if (item !== undefined) {
    const indent = ' '.repeat(widthOf((item['indent'] ?? '').replaceAll('\t', '    ')));
    const mark = `${bulletOf(item)} `;
    const width = indent.length + widthOf(mark);
    return wrapPieces(inlineOf(item['text'] ?? ''), { first: indent + mark, rest: ' '.repeat(width), width }, page);
  }
  return wrapPieces(inlineOf(line), { first: '', rest: '', width: 0 }, page);
}

/** Returns the title of a callout, `Warning: Mind the gap`; null for other lines. */
function calloutTitle(line: string): string | null {
  const [, kind, title = ''] = /^\[!([\w-]{1,40})\][+-]?[ \t]*(.*)$/u.exec(line) ?? [];
  if (kind === undefined) return null;
  const name = kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase();
  return visibleLine(title === '' ? name : `${name}: ${plainText(title)}`);
}

function bulletOf({ mark = '', state }: Readonly<Record<string, string | undefined>>): string {
  if (state !== undefined) return state === ' ' ? '☐' : /^x$/iu.test(state) ? '☑' : `[${state}]`;
  return /^\d/u.test(mark) ? mark : '•';
}

function inlineOf(line: string): ReturnType<typeof readInline> {
  return readInline(line).map(({ text, style }) => ({ text: visibleLine(text), style }));
}

function plainText(line: string): string {
  return readInline(line)
    .map(({ text }) => text)
    .join('');
}

/** Tabs of code are kept, as columns. */
function visibleCode(line: string): string {
  return visibleLine(line.replaceAll('\t', '    '));
}

/** Aligns the columns of a table; one that is too wide for the page is shown as it is written. */
function renderTable(lines: readonly string[], { columns, paint }: Page): readonly string[] {
  const rows = lines.map((line) => cellsOf(line).map((cell) => visibleLine(plainText(cell))));
  const widths = (rows[0] ?? []).map((_, at) =>
    rows.reduce((most, row, index) => Math.max(most, index === 1 ? 0 : widthOf(row[at] ?? '')), 0),
  );
  const total = widths.reduce((sum, width) => sum + width + 3, 1);
  if (total > columns) return lines.map(visibleLine);
  return rows.map((row, index) => {
    if (index === 1) return paint.dim(widths.map((width) => '─'.repeat(width + 2)).join('┼'));
    const cells = widths.map((width, at) => ` ${row[at] ?? ''}${' '.repeat(Math.max(0, width - widthOf(row[at] ?? '')))} `);
    return cells.map((cell) => (index === 0 ? paint.bold(cell) : cell)).join(paint.dim('│'));
  });
}

/** Splits a row at its bars; `\|` is text, as in `[[Note\|label]]`. */
function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
