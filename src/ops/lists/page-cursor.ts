import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import { compareText } from '../../note/text.ts';

/** The `next_cursor` of the last page: the number of entries before the next one. For lists that are sorted again for each page. */
export const pageCursor = z
  .string()
  .regex(/^\d{1,9}$/)
  .optional();

/** What a list is sorted by; the last part names the entry alone. */
export type SortKey = readonly string[];

/** Returns the `next_cursor` of a list whose entries may change between pages: the key of the last entry that was shown. */
export function keyCursor(key: SortKey): string {
  return JSON.stringify(key);
}

/** Reads such a cursor. Throws `INVALID_PARAMS` if it is none, or has another number of parts. */
export function readKeyCursor(cursor: string, parts?: number): SortKey {
  try {
    const read: unknown = JSON.parse(cursor);
    const isKey = Array.isArray(read) && read.length > 0 && read.every((each) => typeof each === 'string');
    if (isKey && (parts === undefined || read.length === parts)) return read;
  } catch {
    // Reported below.
  }
  throw new RouxError('INVALID_PARAMS', 'cursor is not valid; pass the one that the last page returned.', {});
}

export function compareKeys(a: SortKey, b: SortKey): number {
  for (const [at, part] of a.entries()) {
    const order = compareText(part, b[at] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

/** Returns the index after the entry that a key names, or where that entry would be. */
export function indexAfter<Entry>(sorted: readonly Entry[], key: SortKey, keyOf: (entry: Entry) => SortKey): number {
  const at = sorted.findIndex((entry) => keyOf(entry).at(-1) === key.at(-1));
  if (at >= 0) return at + 1;
  const next = sorted.findIndex((entry) => compareKeys(keyOf(entry), key) > 0);
  return next < 0 ? sorted.length : next;
}
