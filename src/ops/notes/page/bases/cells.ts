import { baseName, fileName } from '../../../../note/path.ts';
import { dateText } from '../../../../query/dates.ts';
import type { Run } from '../../../../query/run.ts';
import { toText } from '../../../../query/texts.ts';
import { DateValue, FileValue, isList, Link } from '../../../../query/values.ts';
import type { Value } from '../../../../query/values.ts';
import { mediaElementOf } from '../../../../render/syntax/media.ts';
import { shorten } from '../../../shorten.ts';

/** One value of a cell. */
export interface CellPart {
  readonly kind: 'text' | 'number' | 'checkbox' | 'date' | 'tag' | 'note' | 'file' | 'folder' | 'unresolved' | 'url' | 'color';
  /** What is shown; `true` or `false` for a checkbox. */
  readonly text: string;
  /** The path of a note, file or folder, or the address of a URL, where it differs from the text. */
  readonly target?: string;
}

/** The values of a cell: several for a list, none for an empty one. */
export interface Cell {
  readonly parts: readonly CellPart[];
  /** Number of values that are left out. */
  readonly more?: number;
}

const MAX_PARTS = 30;
const MAX_PART_CHARACTERS = 500;
const URL_TEXT = /^https?:\/\/[^\s"'<>]+$/i;
const COLOR = /^#(?:[\da-f]{3}|[\da-f]{6})$/i;

/** Converts the value of a property for a cell. `column` is the property, since tags and names of files are shown as such. */
export function toCell(run: Run, value: Value, column = ''): Cell {
  const values = isList(value) ? value.flatMap((each) => (isList(each) ? each : [each])) : [value];
  const kind = kindOf(column);
  const parts = values.slice(0, MAX_PARTS).flatMap((each) => toPart(run, each, kind) ?? []);
  return { parts, ...(values.length > MAX_PARTS ? { more: values.length - MAX_PARTS } : {}) };
}

type ColumnKind = 'name' | 'folder' | 'tags' | null;

function kindOf(column: string): ColumnKind {
  if (/^file\.(?:name|basename|fullname|path)$/.test(column)) return 'name';
  if (column === 'file.folder') return 'folder';
  return /^(?:file\.|note\.)?tags$/.test(column) ? 'tags' : null;
}

function toPart(run: Run, value: Value, kind: ColumnKind): CellPart | null {
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return { kind: 'checkbox', text: String(value) };
  // Without the rounding of binary fractions: 0.3 for 0.1 + 0.2.
  if (typeof value === 'number') return Number.isFinite(value) ? { kind: 'number', text: String(Number(value.toPrecision(12))) } : null;
  if (value instanceof DateValue) return { kind: 'date', text: dateText(value).replace(/:\d\d$/, '') };
  if (value instanceof FileValue) return showFile(run, value.path, null);
  if (value instanceof Link) return showLink(run, value);
  const text = shorten(toText(run, value), MAX_PART_CHARACTERS);
  if (typeof value !== 'string') return { kind: 'text', text };
  if (kind === 'name') return { ...showFile(run, run.file.path, null), text };
  if (kind === 'folder') return { kind: 'folder', text };
  if (kind === 'tags') return { kind: 'tag', text: text.replace(/^#/, '') };
  if (URL_TEXT.test(value) && URL.canParse(value)) return { kind: 'url', text, target: value };
  return COLOR.test(value) ? { kind: 'color', text } : { kind: 'text', text };
}

function showLink(run: Run, link: Link): CellPart | null {
  const path = run.targetOf(link);
  if (path !== null) return showFile(run, path, link.display);
  const label = link.display ?? link.linkpath + link.subpath;
  if (label === '') return null;
  const text = shorten(label, MAX_PART_CHARACTERS);
  if (URL_TEXT.test(link.linkpath) && URL.canParse(link.linkpath)) return { kind: 'url', text, target: link.linkpath };
  // Links with another protocol lead nowhere.
  return link.linkpath === '' || /^[a-z][a-z\d+.-]*:/i.test(link.linkpath)
    ? { kind: 'text', text }
    : { kind: 'unresolved', text, target: link.linkpath };
}

function showFile({ source }: Run, path: string, label: string | null): CellPart {
  const isNote = source.graph.get(path) !== null;
  const name = isNote ? baseName(path) : fileName(path);
  return { kind: isNote ? 'note' : 'file', text: shorten(label ?? name, MAX_PART_CHARACTERS), target: path };
}

/** The picture of a card: a file of the vault, a colour, or the address of one that lies elsewhere, which is not fetched. */
export type Picture = { readonly file: string } | { readonly color: string } | { readonly url: string };

/** Converts the value of a card's property for its picture; null for none. */
export function toPicture(run: Run, value: Value): Picture | null {
  const one = isList(value) ? (value[0] ?? null) : value;
  if (typeof one === 'string' && COLOR.test(one)) return { color: one };
  const file = run.toFile(one);
  if (file !== null) return mediaElementOf(file.path) === 'img' ? { file: file.path } : null;
  const address = one instanceof Link ? one.linkpath : one;
  return typeof address === 'string' && address.length <= 2_000 && URL_TEXT.test(address) && URL.canParse(address)
    ? { url: address }
    : null;
}
