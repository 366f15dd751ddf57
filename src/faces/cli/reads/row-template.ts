import { didYouMean } from '../../../suggest.ts';
import { cellText } from './row-formats.ts';
import { UsageError } from '../options.ts';

/** A parsed template for one row: literal text with fields in between. */
export interface RowTemplate {
  /** The fields to request, as `list_nodes` takes them. */
  readonly fields: readonly string[];
  /** Formats one row. */
  fill(row: TemplateRow): string;
}

interface TemplateRow {
  readonly id: string;
  readonly title: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Names that every row has; the others are fields of files. */
const OWN = ['title', 'id'] as const;
const FILE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['path', 'file.path'],
  ['name', 'file.basename'],
  ['folder', 'file.folder'],
  ['tags', 'file.tags'],
  ['created', 'file.ctime'],
  ['modified', 'file.mtime'],
  ['size', 'file.size'],
  ['type', 'note.type'],
]);
const NAMES: readonly string[] = [...OWN, ...FILE_FIELDS.keys()];

/**
 * Parses a template such as `{{title}} ({{path}}) {{properties.rating}}
 * `. Throws `UsageError` for an unknown placeholder.
 */
export function readTemplate(text: string): RowTemplate {
  const pieces = text.split(/\{\{((?:(?!\{\{).)*?)\}\}/s);
  const parts = pieces.map((piece, at) => (at % 2 === 0 ? { text: unescape(piece) } : { field: fieldOf(piece.trim()) }));
  const fields = [...new Set(parts.flatMap(({ field }) => (field === undefined || isOwn(field) ? [] : [field])))];
  return {
    fields,
    fill: (row) => parts.map((part) => (part.field === undefined ? part.text : valueOf(row, part.field))).join(''),
  };
}

/** Returns the expression for the field that a placeholder names. */
function fieldOf(name: string): string {
  const property = /^properties\.(.+)$/s.exec(name)?.[1];
  if (property !== undefined) return `note[${JSON.stringify(property)}]`;
  if (isOwn(name) || /^(file|formula)\.\w+$/.test(name)) return name;
  const field = FILE_FIELDS.get(name);
  if (field !== undefined) return field;
  throw new UsageError(
    `--template: there is no "{{${name}}}"${didYouMean(name, NAMES).replace(/[.?]$/, '')}; there are ${NAMES.join(', ')}, file.… and properties.…`,
  );
}

function isOwn(name: string): name is (typeof OWN)[number] {
  return name === 'title' || name === 'id';
}

/** Formats a value on one line, since line ends come only from the template. */
function valueOf(row: TemplateRow, field: string): string {
  const value = isOwn(field) ? row[field] : row.fields !== undefined && Object.hasOwn(row.fields, field) ? row.fields[field] : null;
  return cellText(value).replace(/\s+/g, ' ');
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['\\', '\\'],
]);

function unescape(text: string): string {
  return text.replace(/\\(.)/gs, (whole, letter: string) => ESCAPES.get(letter) ?? whole);
}
