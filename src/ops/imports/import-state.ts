import { createHash } from 'node:crypto';
import { isPropertyMap, valueKey } from '../../note/frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../../note/note.ts';

const ID_CHARACTERS = 26;

/** The frontmatter key of what came from another program: from where, and what it was at the last import. */
export const IMPORTED_KEY = 'imported';

/**
 * A note as it was when it and its source last agreed, part by part: what differs from it was changed since. All but `from` and `id` are
 * hashes.
 */
export interface ImportState {
  readonly from: string;
  /** The source's own id. */
  readonly id: string;
  /** All that the source had. */
  readonly source: string;
  /** The body as it was written here. */
  readonly body: string;
  /** Properties as they were written here. */
  readonly properties: Readonly<Record<string, string>>;
}

/** Reads the state of the last import from the frontmatter of a note; null if there was none. */
export function readImportState(values: Properties): ImportState | null {
  const map = values[IMPORTED_KEY];
  if (!isPropertyMap(map)) return null;
  const text = (key: string): string => (typeof map[key] === 'string' ? map[key] : '');
  if (text('from') === '' || text('id') === '') return null;
  const pairs = text('properties')
    .split(' ')
    .map((pair) => pair.split(':'));
  return {
    from: text('from'),
    id: text('id'),
    source: text('source'),
    body: text('body'),
    properties: Object.fromEntries(pairs.flatMap(([key = '', hash = '']) => (hash === '' ? [] : [[decode(key), hash] as const]))),
  };
}

/** A key of somebody's own making may be no code of ours. */
function decode(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Returns the value of `IMPORTED_KEY`. */
export function toImportValue({ from, id, source, body, properties }: ImportState): PropertyValue {
  const pairs = Object.entries(properties).map(([key, hash]) => `${encodeURIComponent(key)}:${hash}`);
  return { from, id, source, body, ...(pairs.length === 0 ? {} : { properties: pairs.join(' ') }) };
}

/** Returns the id of the note for something of a source. */
export function importedId(prefix: 'n' | 't', { from, id }: Pick<ImportState, 'from' | 'id'>): string {
  return derivedId(prefix, `${from} ${id}`);
}

/** Returns a short hash of a text, by which a later import sees whether it was changed. Line ends are the editor's matter. */
export function hashText(text: string): string {
  return createHash('sha256').update(text.replace(/\r\n?/g, '\n')).digest('hex').slice(0, 16);
}

/** Returns a shorter hash of a property; `''` for none. */
export function hashValue(value: PropertyValue | undefined): string {
  return value === undefined || value === null ? '' : createHash('sha256').update(valueKey(value)).digest('hex').slice(0, 8);
}

/** Returns an id that follows from a text, such as an id that another program gave: the same one on every branch and machine. */
export function derivedId(prefix: string, text: string): string {
  const digits = BigInt(`0x${createHash('sha256').update(text).digest('hex')}`).toString(32);
  return `${prefix}_${digits.padStart(ID_CHARACTERS, '0').slice(-ID_CHARACTERS)}`;
}
