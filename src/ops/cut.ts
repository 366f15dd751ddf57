import type { NoteEntry } from '../graph/view.ts';
import { bodyStartOf } from '../note/frontmatter/read-frontmatter.ts';
import { detach } from '../note/text.ts';
import type { Vault } from '../vault/vault.ts';

/** What a cut text ends with; it counts toward the limit. */
export const CUT_SUFFIX = '... [truncated]';

/** A stretch of a text. */
export interface Excerpt {
  readonly text: string;
  /** Where the rest begins, or null when this is the end. */
  readonly nextOffset: number | null;
}

/** At most `limit` UTF-16 units of a text from `offset` on, suffix included, never ending inside a surrogate pair. */
export function cut(text: string, limit: number, offset = 0): Excerpt {
  if (text.length - offset <= limit) return { text: text.slice(offset), nextOffset: null };
  let end = offset + limit - CUT_SUFFIX.length;
  if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  return { text: text.slice(offset, end) + CUT_SUFFIX, nextOffset: end };
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** As many values from the front as fit into a number of characters of JSON; at least one. */
export function fit<T>(values: readonly T[], characters: number): readonly T[] {
  let used = 2;
  for (const [index, value] of values.entries()) {
    used += JSON.stringify(value).length + 1;
    if (used > characters && index > 0) return values.slice(0, index);
  }
  return values;
}

/** The first so many characters of a text; a surrogate pair is one. */
export function firstCharacters(text: string, count: number): string {
  return text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join('');
}

/** The beginning of a note's body. */
export interface BodyBeginning {
  readonly text: string;
  /** The text is the whole body. */
  readonly isWhole: boolean;
}

/** A little more than the longest excerpt that a list shows. */
const KEPT_LENGTH = 640;
/** Beginnings that are kept for one vault, about a megabyte. */
const MOST = 1_000;

const kept = new WeakMap<Vault, Map<string, BodyBeginning & { readonly hash: string }>>();

/** The beginning of a body for lists; read again only when the note changed. Null when the note is gone. */
export function beginningOf(vault: Vault, entry: Pick<NoteEntry, 'path' | 'hash'>): BodyBeginning | null {
  let known = kept.get(vault);
  if (known === undefined) kept.set(vault, (known = new Map()));
  const before = known.get(entry.path);
  if (before?.hash === entry.hash) return before;
  const note = vault.peek(entry.path);
  if (note === null) return null;
  const start = bodyStartOf(note);
  const beginning = { text: detach(note.slice(start, start + KEPT_LENGTH)), isWhole: note.length - start <= KEPT_LENGTH, hash: entry.hash };
  known.delete(entry.path);
  known.set(entry.path, beginning);
  const [oldest] = known.keys();
  if (known.size > MOST && oldest !== undefined) known.delete(oldest);
  return beginning;
}
