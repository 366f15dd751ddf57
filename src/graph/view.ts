import type { LinkText, OutlineHeading, Problem, Properties, PropertyValue } from '../note/note.ts';
import type { NotePath } from '../note/path.ts';

/** What identifies one state of a file on disk. Times are nanoseconds; `ino` and `ctime` catch what mtime and size miss. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
}

/** What the graph knows of a note without reading its file. */
export interface NoteEntry {
  readonly path: NotePath;
  /** Frontmatter `id`, else the path in NFC. */
  readonly id: string;
  readonly title: string;
  readonly aliases: readonly string[];
  /** Without `#`, unique by fold, in the case first seen in this note. */
  readonly tags: readonly string[];
  readonly type: string | null;
  readonly headings: readonly OutlineHeading[];
  readonly blocks: readonly string[];
  /** All frontmatter values. Parsed on first use and kept only while in use. */
  readonly properties: Properties;
  /** The YAML of the frontmatter, `''` for none: to look for a word before reading the values of every note. */
  readonly yaml?: string;
  readonly problems: readonly Problem[];
  readonly stamp: FileStamp;
  /** sha-256 of the bytes, hex: the `etag`. */
  readonly hash: string;
  /** Named by `ignore` or Obsidian's `userIgnoreFilters`: out of search, lists and graph views; still resolves. */
  readonly isHidden: boolean;
}

/** What a link leads to. */
export type LinkTarget =
  | { readonly kind: 'note'; readonly path: NotePath }
  | { readonly kind: 'attachment'; readonly path: string }
  | { readonly kind: 'unresolved' };

/** A link of the graph: from one note, to a note, an attachment or nothing. Offsets are not kept; read the note for those. */
export interface GraphLink {
  readonly from: NotePath;
  readonly target: LinkTarget;
  /** The path part as written, before `#`. */
  readonly linkpath: string;
  /** From the first `#` on, `''` when there is none. */
  readonly subpath: string;
  readonly isEmbed: boolean;
  readonly form: 'wikilink' | 'markdown' | 'reference';
  /** The property that holds it (`depends_on.0`), or null in the body. */
  readonly property: string | null;
  /** More than one file fits and Obsidian's order decided. */
  readonly isAmbiguous: boolean;
}

/** A note that is linked and does not exist: how links name it, how many there are, and the notes that hold them. */
export interface UnresolvedTarget {
  readonly linkpath: string;
  readonly count: number;
  readonly sources: readonly NotePath[];
}

/** What a reference in a tool call leads to (docs/format.md, Identity: id, exact path, path suffix, title, alias). */
export type Lookup =
  | { readonly kind: 'found'; readonly entry: NoteEntry }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly NoteEntry[] }
  | { readonly kind: 'missing' };

export type Direction = 'in' | 'out' | 'both';

export interface Neighbor {
  readonly entry: NoteEntry;
  readonly direction: Direction;
}

/** A note that changed in the graph. `before` null: new; `after` null: gone. A rename is one event with both and different paths. */
export interface GraphChange {
  readonly before: NoteEntry | null;
  readonly after: NoteEntry | null;
}

/** Notes in an order: how many there are, and any stretch of them, without walking over the others. */
export interface Listed {
  readonly size: number;
  slice(from: number, to: number): readonly NoteEntry[];
}

/**
 * The read-only face of the graph. Every list is in a total order, the path last.
 * Hidden notes are left out of everything but `get`, `lookup`, `resolve`, `links` and `backlinks`.
 */
export interface GraphView {
  /** Notes, hidden ones included. */
  readonly size: number;
  get(path: string): NoteEntry | null;
  lookup(reference: string): Lookup;
  /** Obsidian's resolution of a linkpath (no subpath) seen from a file (docs/links.md, Resolution). */
  resolve(query: { linkpath: string; from: string }): LinkTarget & { readonly isAmbiguous?: boolean };
  /** All notes by path; `includeHidden` for the writers. `withUnquotedLinks`: those with `[[X]]` without quotes in a property; only the first such call looks at all notes. */
  entries(options?: { under?: string; includeHidden?: boolean; withUnquotedLinks?: boolean }): IterableIterator<NoteEntry>;
  /** Notes by path: all, those below a folder, those with a tag or one nested below it, or those that are both. */
  listed(query: { readonly under?: string; readonly tag?: string }): Listed;
  attachments(): IterableIterator<string>;
  /** Paths of all files, notes and attachments, hidden ones too, that a link of this key (`linkKey`) may mean: the graph is a `FileLookup`. */
  byKey(key: string): readonly string[];
  isAttachment(path: string): boolean;
  /** Outgoing links in the order of the text, duplicates kept. */
  links(path: string): readonly GraphLink[];
  /** The same as they are written, wherever they lead: nothing is resolved for it. */
  linkTexts(path: string): readonly LinkText[];
  /** Links whose target is this note or attachment, by source path, then order in the text. */
  backlinks(path: string): readonly GraphLink[];
  /** Every link whose linkpath folds to a name that this path could be reached by, resolved or not: what a rename, a new or a deleted file may touch. */
  linksByKey(path: string): readonly GraphLink[];
  /** What links lead to that does not exist, by linkpath. Spellings that fold alike are one, shown as most links write it. */
  unresolved(): readonly UnresolvedTarget[];
  /** The first of them by the number of notes that link to them, then by linkpath; 50 at most. */
  mostWanted(limit: number): readonly UnresolvedTarget[];
  ambiguous(): readonly GraphLink[];
  /** Notes that no note links to and that link to none, not even to one that does not exist (links to itself and to attachments do not count). */
  orphans(): readonly NoteEntry[];
  /** Notes that link to no note, not even to one that does not exist. */
  deadEnds(): readonly NoteEntry[];
  /** Tags with the number of notes, the most used first; nested tags count for themselves only. */
  tags(): readonly { readonly tag: string; readonly count: number }[];
  /** Notes that carry the tag or one nested below it, any case, `#` optional; `includeHidden` for the writers. */
  byTag(tag: string, options?: { includeHidden?: boolean }): readonly NoteEntry[];
  byType(type: string): readonly NoteEntry[];
  types(): readonly { readonly type: string; readonly count: number }[];
  /** Notes whose property equals the value (scalars, or a list that contains it); the key may be dotted into maps. */
  byProperty(key: string, value: string | number | boolean | null): readonly NoteEntry[];
  /** What a note of this graph says under a key, in its `properties` map or beside that; undefined when it says nothing. Values that were asked for once are kept. */
  propertyOf(entry: NoteEntry, key: string): PropertyValue | undefined;
  /** Distinct neighbours, self left out: outgoing first in text order, then incoming by path. Each says how it is linked, also the other way. */
  neighbors(path: string, direction: Direction): readonly Neighbor[];
  /** Numbers of distinct neighbour notes, self left out. */
  degree(path: string): { readonly in: number; readonly out: number };
  /** The shortest path, lexicographically first among equals, or null. */
  findPath(query: { source: string; target: string; direction: 'out' | 'both' }): readonly NotePath[] | null;
  hubs(query: { metric: 'in_degree' | 'out_degree'; limit: number }): readonly { readonly entry: NoteEntry; readonly score: number }[];
  /** Grows with every change. */
  readonly version: number;
  /** Calls after each change (or batch) with all that changed; returns the unsubscribe. */
  onChange(listener: (changes: readonly GraphChange[]) => void): () => void;
}
