import type { NoteEntry } from '../../graph/view.ts';
import { bodyStartOf, findFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { detach } from '../../note/text.ts';
import type { Vault } from '../../vault/vault.ts';

/** The first characters of a note's body. */
export interface BodyExcerpt {
  readonly text: string;
  /** The text is the whole body. */
  readonly isWhole: boolean;
}

/** Slightly more than the longest excerpt that a list shows. */
const EXCERPT_CHARACTERS = 640;
/** Maximum number of excerpts cached for one vault, about three megabytes. */
const MAX_CACHED_EXCERPTS = 4_000;

/** By path, least recently used first. */
type ExcerptCache = Map<string, BodyExcerpt & { readonly hash: string }>;

const createExcerptCache = (): ExcerptCache => new Map();

/** Returns the first characters of a note's body, for lists. Cached until the note changes. Null when the note no longer exists. */
export function readBodyExcerpt(vault: Vault, entry: Pick<NoteEntry, 'path' | 'hash'>): BodyExcerpt | null {
  const known = vault.derived(createExcerptCache);
  const before = known.get(entry.path);
  if (before?.hash === entry.hash) {
    known.delete(entry.path);
    known.set(entry.path, before);
    return before;
  }
  const note = vault.notes.readTextUnstable(entry.path);
  if (note === null) return null;
  const start = bodyStartOf(note, findFrontmatter(note)?.block ?? null);
  const excerpt = {
    text: detach(note.slice(start, start + EXCERPT_CHARACTERS)),
    isWhole: note.length - start <= EXCERPT_CHARACTERS,
    hash: entry.hash,
  };
  known.delete(entry.path);
  known.set(entry.path, excerpt);
  const [oldest] = known.keys();
  if (known.size > MAX_CACHED_EXCERPTS && oldest !== undefined) known.delete(oldest);
  return excerpt;
}
