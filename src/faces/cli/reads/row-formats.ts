import { visibleLine } from '../../../terminal-text.ts';
import type { CommandContext } from '../command.ts';
import { clipToWidth, widthOf } from '../terminal.ts';

/** Values in rows and columns, as people and other programs read them. */
export interface Grid {
  readonly columns: readonly string[];
  readonly rows: readonly GridRow[];
}

/** One row, with the group that it belongs to where there are groups. */
export interface GridRow {
  readonly group?: unknown;
  readonly cells: readonly unknown[];
}

export const FORMATS = ['table', 'json', 'csv', 'md'] as const;
export type Format = (typeof FORMATS)[number];

/** Between two columns of a table. */
const GAP = 2;
/** The narrowest that a column gets, and the widest where there is no terminal that has so many. */
const NARROWEST = 6;
const WIDEST = 60;

/** A value on one line: lists by commas, maps as JSON, nothing as nothing. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Rows as CSV by RFC 4180: with a header, CRLF at the end of each line, and quotes around what has commas, quotes or line ends. */
export function toCsv({ columns, rows }: Grid): string {
  const isGrouped = rows.some((row) => row.group !== undefined);
  const lines = [
    [...(isGrouped ? ['group'] : []), ...columns],
    ...rows.map(({ group, cells }) => [...(isGrouped ? [group] : []), ...cells].map(cellText)),
  ];
  return lines.map((line) => `${line.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as a Markdown table, below a heading for each group. */
export function toMarkdown({ columns, rows }: Grid): string {
  const head = [markdownLine(columns), markdownLine(columns.map(() => '---'))];
  const parts: string[] = [];
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    const isNewGroup = row.group !== undefined && (before === undefined || !isSameGroup(before, row));
    if (isNewGroup) parts.push(...(at === 0 ? [] : ['']), `### ${markdownCell(cellText(row.group)) || '(none)'}`, '');
    if (at === 0 || isNewGroup) parts.push(...head);
    parts.push(markdownLine(row.cells.map(cellText)));
  }
  return `${(rows.length === 0 ? head : parts).join('\n')}\n`;
}

function markdownLine(cells: readonly string[]): string {
  return `| ${cells.map(markdownCell).join(' | ')} |`;
}

function markdownCell(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
}

function isSameGroup(a: GridRow, b: GridRow): boolean {
  return JSON.stringify(a.group) === JSON.stringify(b.group);
}

/** Rows as a table that fits the terminal: the widest columns are cut where all do not fit. */
export function printTable(
  { columns, rows }: Grid,
  { print, paint, columns: room }: Pick<CommandContext, 'print' | 'paint' | 'columns'>,
): void {
  const lines = rows.map(({ cells }) => cells.map((cell) => visibleLine(cellText(cell).replace(/\s+/g, ' '))));
  const heads = columns.map(visibleLine);
  const wanted = heads.map((head, at) => Math.max(widthOf(head), ...lines.map((line) => widthOf(line[at] ?? ''))));
  const widths = room === null ? wanted.map((width) => Math.min(width, WIDEST)) : fitWidths(wanted, room);
  const show = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        // Into a file or a pipe nothing is cut.
        const text = room === null ? cell : clipToWidth(cell, width);
        return at === cells.length - 1 ? text : text + ' '.repeat(Math.max(0, width - widthOf(text)) + GAP);
      })
      .join('');
  print(paint.dim(show(heads).trimEnd()));
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    if (row.group !== undefined && (before === undefined || !isSameGroup(before, row)))
      print(paint.bold(visibleLine(cellText(row.group)) || '(none)'));
    print(show(lines[at] ?? []).trimEnd());
  }
}

/** Widths of columns that fit into so many altogether: narrow ones keep theirs, wide ones share what is left. */
function fitWidths(wanted: readonly number[], room: number): readonly number[] {
  let left = room - GAP * (wanted.length - 1);
  const widths = wanted.map(() => 0);
  const narrowFirst = wanted.map((width, at) => ({ width, at })).sort((a, b) => a.width - b.width);
  for (const [index, { width, at }] of narrowFirst.entries()) {
    const share = Math.max(NARROWEST, Math.floor(left / (narrowFirst.length - index)));
    widths[at] = Math.min(width, share);
    left -= widths[at];
  }
  return widths;
}
