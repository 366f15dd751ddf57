import type { PropertyValue } from '../note.ts';
import { isPropertyList, isPropertyMap } from './property-value.ts';

/** The style of a frontmatter block, which additions follow. */
export interface YamlStyle {
  readonly eol: string;
  /** Preferred quotes for text that needs some. */
  readonly quote: '"' | "'";
  /** Form of new lists of scalars. */
  readonly list: 'block' | 'flow';
  /** Spaces before the dashes of a list, counted from its key. */
  readonly listIndent: number;
  /** Spaces before the keys of a nested map, counted from its key. */
  readonly mapIndent: number;
  /** Every key and text in double quotes (frontmatter written as JSON). */
  readonly json: boolean;
}

/** A printed value: the part on the line of its key or dash, and the indented lines below without line ends. */
export interface PrintedValue {
  readonly inline: string;
  readonly lines: readonly string[];
}

/** Default style: as Obsidian writes properties. */
export const defaultYamlStyle: Omit<YamlStyle, 'eol'> = { quote: '"', list: 'block', listIndent: 2, mapIndent: 2, json: false };

// What JSON leaves alone but a YAML reader may take for a line break, a mark or nothing at all.
const MORE_ESCAPES = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
const ESCAPED = /(?![\t\n\r])\p{Cc}|[\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}/u;

/** Prints a value as block YAML for a key or dash in the given column. */
export function printBlock(value: PropertyValue, owner: { kind: 'key' | 'dash'; column: number }, style: YamlStyle): PrintedValue {
  if (typeof value === 'string' && isLiteral(value)) {
    const indent = ' '.repeat(owner.column + 2);
    const hasEnd = value.endsWith('\n');
    const lines = (hasEnd ? value.slice(0, -1) : value).split('\n').map((line) => (line === '' ? '' : indent + line));
    return { inline: hasEnd ? '|' : '|-', lines };
  }
  const isEmpty = isPropertyList(value) ? value.length === 0 : isPropertyMap(value) ? Object.keys(value).length === 0 : true;
  if (isEmpty) return { inline: printFlow(value, style, 'block'), lines: [] };
  if (isPropertyList(value)) {
    const isFlat = value.every((entry) => typeof entry !== 'object' || entry === null);
    if (style.list === 'flow' && isFlat) return { inline: printFlow(value, style, 'block'), lines: [] };
    const column = owner.column + (owner.kind === 'dash' ? 2 : style.listIndent);
    return below(owner, printListLines(value, column, style));
  }
  if (!isPropertyMap(value)) return { inline: printFlow(value, style, 'block'), lines: [] };
  const column = owner.column + (owner.kind === 'dash' ? 2 : style.mapIndent);
  return below(
    owner,
    Object.entries(value).flatMap(([key, entry]) => printPairLines(key, entry, column, style)),
  );
}

/** Returns the lines of `key: value` with the key in the given column. */
export function printPairLines(key: string, value: PropertyValue, column: number, style: YamlStyle): string[] {
  const printed = printBlock(value, { kind: 'key', column }, style);
  const head = `${' '.repeat(column)}${printKey(key, style, 'block')}:`;
  return [printed.inline === '' ? head : `${head} ${printed.inline}`, ...printed.lines];
}

/** Returns the lines of list items with the dashes in the given column. */
export function printListLines(values: readonly PropertyValue[], column: number, style: YamlStyle): string[] {
  return values.flatMap((value) => {
    const printed = printBlock(value, { kind: 'dash', column }, style);
    const dash = `${' '.repeat(column)}-`;
    return [printed.inline === '' ? dash : `${dash} ${printed.inline}`, ...printed.lines];
  });
}

/** Prints a value on one line; inside brackets (`flow`) more characters need quotes. */
export function printFlow(value: PropertyValue, style: YamlStyle, within: 'block' | 'flow' = 'flow'): string {
  if (isPropertyList(value)) return `[${value.map((entry) => printFlow(entry, style)).join(', ')}]`;
  if (isPropertyMap(value)) {
    const pairs = Object.entries(value).map(([key, entry]) => `${printKey(key, style, 'flow')}: ${printFlow(entry, style)}`);
    return pairs.length === 0 ? '{}' : style.json ? `{${pairs.join(', ')}}` : `{ ${pairs.join(', ')} }`;
  }
  if (typeof value === 'number') return printNumber(value);
  if (typeof value !== 'string') return String(value);
  return style.json || !isPlain(value, within) ? quoted(value, style.quote) : value;
}

/** Prints a value that needs neither quotes nor further lines, in whatever style; null for others. */
export function printBare(value: PropertyValue): string | null {
  if (typeof value === 'string') return isPlain(value, 'block') ? value : null;
  return typeof value === 'object' && value !== null ? null : printFlow(value, { ...defaultYamlStyle, eol: '\n' });
}

export function printKey(key: string, style: YamlStyle, within: 'block' | 'flow'): string {
  return style.json || !isPlain(key, within) ? quoted(key, style.quote) : key;
}

/** Quotes a text, with double quotes if single ones cannot represent it. */
export function quoted(text: string, quote: '"' | "'"): string {
  if (quote === "'" && !ESCAPED.test(text) && !/[\n\r\t]/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text).replace(MORE_ESCAPES, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// Text that YAML 1.2 or an older YAML 1.1 reader would take for something else than text. Dates are left plain, as Obsidian writes them.
const NOT_TEXT = [
  /^(?:~|null|true|false|yes|no|on|off|=|<<)$/i,
  /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[\da-f_]+|\.(?:inf|nan))$/i,
  /^[-+]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[-+]?\d+)?$/i,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
];

/** Returns whether a text without quotes reads back as itself. */
function isPlain(text: string, within: 'block' | 'flow'): boolean {
  if (text === '' || text.trim() !== text) return false;
  if (ESCAPED.test(text) || /[\n\r\t]/.test(text)) return false;
  if (/^[?:,[\]{}#&*!|>'"%@`]/.test(text) || /^-(?:\s|$|--)/.test(text) || text.startsWith('...')) return false;
  if (/:(?:\s|$)/.test(text) || /\s#/.test(text)) return false;
  if (within === 'flow' && /[,[\]{}]/.test(text)) return false;
  return !NOT_TEXT.some((pattern) => pattern.test(text));
}

/** Returns whether multi-line text can be a literal block, which is more readable than `\n` in quotes. */
function isLiteral(text: string): boolean {
  return /^[^\s][^]*\n/.test(text) && !text.includes('\r') && !text.includes('\t') && !ESCAPED.test(text) && !text.endsWith('\n\n');
}

function printNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

function below(owner: { kind: 'key' | 'dash' }, lines: string[]): PrintedValue {
  if (owner.kind === 'key') return { inline: '', lines };
  return { inline: (lines[0] ?? '').trimStart(), lines: lines.slice(1) };
}
