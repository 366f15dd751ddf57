import { visibleLine } from '../../../terminal-text.ts';
import type { CommandContext } from '../command.ts';
import { clipToWidth, widthOf } from '../terminal.ts';

/** Values in rows and columns, to be formatted. */
export interface Grid {
  readonly columns: readonly string[];
  readonly rows: readonly GridRow[];
}

/** A row; `group` is undefined if the rows are not grouped. */
export interface GridRow {
  readonly group?: unknown;
  readonly cells: readonly unknown[];
}

export const FORMATS = ['table', 'json', 'csv', 'md'] as const;

/** The space between two columns of a table. */
const GAP_COLUMNS = 2;
/** The narrowest column of a table that has to fit a terminal, and the widest one in other output. */
const MIN_CELL_COLUMNS = 6;
const MAX_CELL_COLUMNS = 60;

/** Formats a value on one line: lists with commas, maps as JSON, null as an empty text. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats rows as CSV (RFC 4180): a header, CRLF line ends, and quotes around cells with commas, quotes or line ends. */
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

/** Formats rows as a Markdown table, with a heading and a table for each group. */
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

/** Prints rows as a table that fits the terminal; the widest columns are truncated if necessary. */
export function printTable(
  { columns, rows }: Grid,
  { print, paint, columns: room }: Pick<CommandContext, 'print' | 'paint' | 'columns'>,
): void {
  const lines = rows.map(({ cells }) => cells.map((cell) => visibleLine(cellText(cell).replace(/\s+/g, ' '))));
  const heads = columns.map(visibleLine);
  const wanted = heads.map((head, at) => Math.max(widthOf(head), ...lines.map((line) => widthOf(line[at] ?? ''))));
  const widths = room === null ? wanted.map((width) => Math.min(width, MAX_CELL_COLUMNS)) : fitWidths(wanted, room);
  const show = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        // Output to a file or a pipe is not truncated.
        const text = room === null ? cell : clipToWidth(cell, width);
        return at === cells.length - 1 ? text : text + ' '.repeat(Math.max(0, width - widthOf(text)) + GAP_COLUMNS);
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

/** Distributes the room over the columns: narrow ones keep their width, wide ones share the rest. */
function fitWidths(wanted: readonly number[], room: number): readonly number[] {
  let left = room - GAP_COLUMNS * (wanted.length - 1);
  const widths = wanted.map(() => 0);
  const narrowFirst = wanted.map((width, at) => ({ width, at })).sort((a, b) => a.width - b.width);
  for (const [index, { width, at }] of narrowFirst.entries()) {
    const share = Math.max(MIN_CELL_COLUMNS, Math.floor(left / (narrowFirst.length - index)));
    widths[at] = Math.min(width, share);
    left -= widths[at];
  }
  return widths;
}
