import type { PropertyValue } from '../../note/note.ts';
import { toTag } from '../../note/markdown/tag.ts';
import { sourceFolder, sourceName } from '../source/source-path.ts';
import { cleanLine } from '../text/clean.ts';
import { foreignKey } from '../text/foreign-keys.ts';
import { linkToken } from '../tokens.ts';
import { NOTION_NAME } from './names.ts';

/** A table of Notion's with the pages that are its rows. */
export interface Database {
  readonly id: string;
  readonly title: string;
  /** The path of the CSV in the export. */
  readonly path: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Rows that the note of a database shows; the CSV has all. */
const MAX_ROWS = 2_000;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** Returns the folders, with and without an id, in which Notion puts the rows of a database. */
export function rowFolders(path: string): readonly string[] {
  const [folder, name] = [sourceFolder(path), sourceName(path).replace(/(?:_all)?\.csv$/, '')];
  const prefix = folder === '' ? '' : `${folder}/`;
  return [`${prefix}${name}`, `${prefix}${NOTION_NAME.exec(sourceName(path))?.[1] ?? name}`];
}

/**
 * Returns a database as a table with links to its pages. `pageOf`: the id of the page of a row, or null. `resolve`: that of the page that a
 * path means, or null.
 */
export function formatDatabase(
  { columns, rows, path, title }: Database,
  { pageOf, resolve }: { readonly pageOf: (row: readonly string[]) => string | null; readonly resolve: (path: string) => string | null },
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const shown = rows.slice(0, MAX_ROWS).map((row) => {
    const page = pageOf(row);
    return columns.map((_, at) => {
      const cell = row[at] ?? '';
      if (at === 0 && page !== null) return linkToken({ kind: 'note', target: page, shown: cell, isInTable: true });
      return readRelations(cell.trim(), resolve, { isInTable: true })?.join(', ') ?? toCell(cell);
    });
  });
  const more = rows.length > MAX_ROWS ? [`\n${rows.length - MAX_ROWS} more rows are in the file below.`] : [];
  return [
    line(columns.map(toCell)),
    line(columns.map(() => '---')),
    ...shown.map(line),
    ...more,
    '',
    linkToken({ kind: 'file', target: path, shown: `${title}.csv` }),
    '',
  ].join('\n');
}

function toCell(text: string): string {
  return cleanLine(text.replace(/\r?\n/g, ' / '))
    .replace(/\\(?=\|)/g, '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll('[[', '\\[\\[')
    .replaceAll('<', '\\<');
}

/** A property of a page as Notion writes it below the title. `resolve`: the id of the page that a path means. */
export function toProperty(
  name: string,
  text: string,
  resolve: (path: string) => string | null,
): readonly [key: string, value: PropertyValue] | null {
  const value = text.trim();
  if (value === '') return null;
  if (/^tags?$/i.test(name.trim())) {
    const tags = value.split(',').flatMap((tag) => toTag(cleanLine(tag), 'tag') ?? []);
    return tags.length === 0 ? null : ['tags', [...new Set(tags)]];
  }
  const key = foreignKey(name, 'notion');
  const relations = readRelations(value, resolve);
  return [key, relations ?? readDate(value) ?? readNumber(value) ?? cleanLine(value)];
}

/** Reads `Name (path.md), Other (path.md)`; null for any other text. */
function readRelations(value: string, resolve: (path: string) => string | null, { isInTable = false } = {}): readonly string[] | null {
  if (!/\.md\)/.test(value)) return null;
  const links: string[] = [];
  let rest = value;
  while (rest !== '') {
    const end = rest.indexOf('.md)');
    const open = rest.lastIndexOf(' (', end);
    if (end === -1 || open === -1) return null;
    const id = resolve(rest.slice(open + 2, end + 3));
    const name = cleanLine(rest.slice(0, open));
    if (id === null) return null;
    links.push(linkToken({ kind: 'note', target: id, shown: name, isInTable }));
    rest = rest.slice(end + 4).replace(/^,\s{0,9}/, '');
  }
  return links;
}

/** Reads a date as Notion writes it in English: `January 31, 2024 10:30 AM`. */
function readDate(value: string): string | null {
  const [, month = '', day = '', year = '', hour, minute = '', half] =
    /^([A-Z][a-z]{2,8}) (\d{1,2}), (\d{4})(?: (\d{1,2}):(\d{2})(?: ([AP]M))?)?$/.exec(value) ?? [];
  const number = MONTHS.indexOf(month) + 1;
  if (number === 0) return null;
  const date = `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (hour === undefined) return date;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
  return `${date}T${String(hours).padStart(2, '0')}:${minute}`;
}

function readNumber(value: string): number | null {
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/.test(value) ? Number(value) : null;
}
