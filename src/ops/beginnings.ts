import type { NoteEntry } from '../graph/view.ts';
import { bodyStartOf, findFrontmatter } from '../note/frontmatter/read-frontmatter.ts';
import { detach } from '../note/text.ts';
import type { Vault } from '../vault/vault.ts';

/** The beginning of a note's body. */
export interface BodyBeginning {
  readonly text: string;
  /** The text is the whole body. */
  readonly isWhole: boolean;
}

/** A little more than the longest excerpt that a list shows. */
const KEPT_LENGTH = 640;
/** Beginnings that are kept for one vault, some three megabytes. */
const MOST = 4_000;

/** By path, the one shown longest ago first. */
type Beginnings = Map<string, BodyBeginning & { readonly hash: string }>;

const openBeginnings = (): Beginnings => new Map();

/** The beginning of a body for lists; read again only when the note changed. Null when the note is gone. */
export function beginningOf(vault: Vault, entry: Pick<NoteEntry, 'path' | 'hash'>): BodyBeginning | null {
  const known = vault.derived(openBeginnings);
  const before = known.get(entry.path);
  if (before?.hash === entry.hash) {
    known.delete(entry.path);
    known.set(entry.path, before);
    return before;
  }
  const note = vault.peek(entry.path);
  if (note === null) return null;
  const start = bodyStartOf(note, findFrontmatter(note)?.block ?? null);
  const beginning = { text: detach(note.slice(start, start + KEPT_LENGTH)), isWhole: note.length - start <= KEPT_LENGTH, hash: entry.hash };
  known.delete(entry.path);
  known.set(entry.path, beginning);
  const [oldest] = known.keys();
  if (known.size > MOST && oldest !== undefined) known.delete(oldest);
  return beginning;
}
