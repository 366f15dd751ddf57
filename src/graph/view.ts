import type { LinkText, OutlineHeading, Problem, Properties, PropertyValue } from '../note/note.ts';
import type { NotePath } from '../note/path.ts';
import type { BundleView } from './links/bundles.ts';

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
  /** All frontmatter values. Parsed on first use and cached while in use. */
  readonly properties: Properties;
  /** The YAML of the frontmatter, `''` for none: allows a text search before parsing the values of every note. */
  readonly yaml?: string;
  readonly problems: readonly Problem[];
  readonly stamp: FileStamp;
  /** sha-256 of the bytes, hex: the `etag`. `''` for a note that is not in the graph yet. */
  readonly hash: string;
  /** Excluded by `ignore` or Obsidian's `userIgnoreFilters`, or reserved in a bundle: not in search, lists and graph views; links to it still resolve. */
  readonly isHidden: boolean;
}

/** What a link leads to. */
export type LinkTarget =
  | { readonly kind: 'note'; readonly path: NotePath }
  | { readonly kind: 'attachment'; readonly path: string }
  | { readonly kind: 'unresolved' };

/** A link in the graph, from a note to a note, an attachment or nothing. Has no offsets; read the note for those. */
export interface GraphLink {
  readonly from: NotePath;
  readonly target: LinkTarget;
  /** The path part as written, before `#`. */
  readonly linkpath: string;
  /** From the first `#` on, `''` when there is none. */
  readonly subpath: string;
  readonly isEmbed: boolean;
  readonly form: 'wikilink' | 'markdown' | 'reference';
  /** The property that contains it (`depends_on.0`); null in the body. */
  readonly property: string | null;
  /** Whether several files match and Obsidian's order decided. */
  readonly isAmbiguous: boolean;
}

/** A link target that does not exist: its name in links, the number of links, and the notes that have them. */
export interface UnresolvedTarget {
  readonly linkpath: string;
  readonly count: number;
  readonly sources: readonly NotePath[];
  /** Whether none of them is a Markdown link, which may name something that is no note. */
  readonly areWikilinks: boolean;
}

/** The result of looking up a reference in a tool call (docs/format.md, Identity: id, exact path, path suffix, title, alias). */
export type Lookup =
  | { readonly kind: 'found'; readonly entry: NoteEntry }
  | { readonly kind: 'ambiguous'; readonly candidates: readonly NoteEntry[] }
  | { readonly kind: 'missing' };

export type Direction = 'in' | 'out' | 'both';

export interface Neighbor {
  readonly entry: NoteEntry;
  readonly direction: Direction;
}

/** A change of a note in the graph. `before` is null for a new note, `after` for a removed one. A rename has both, with different paths. */
export interface GraphChange {
  readonly before: NoteEntry | null;
  readonly after: NoteEntry | null;
}

/** An ordered list of notes with random access, so that a page costs only its own notes. */
export interface Listed {
  readonly size: number;
  slice(from: number, to: number): readonly NoteEntry[];
}

/** The graph of notes, without hidden notes, links to oneself and duplicate links. */
export interface NoteWalk {
  /**
   * Returns the distinct neighbors without the note itself: outgoing first in text order, then incoming by path, each with its direction.
   */
  neighbors(path: string, direction: Direction): readonly Neighbor[];
  /** Returns the numbers of distinct neighbors without the note itself. */
  degree(path: string): { readonly in: number; readonly out: number };
  /** Returns the shortest path, lexicographically first among equals; null when there is none. */
  findPath(query: { source: string; target: string; direction: 'out' | 'both' }): readonly NotePath[] | null;
  hubs(query: { metric: 'in_degree' | 'out_degree'; limit: number }): readonly { readonly entry: NoteEntry; readonly score: number }[];
  /** Returns notes without links to or from other notes. Links to missing notes count; links to themselves and to attachments do not. */
  orphans(): readonly NoteEntry[];
  /** Returns notes without links to notes, not even to missing ones. */
  deadEnds(): readonly NoteEntry[];
}

/** Notes by what they have: tags, types and properties. */
export interface Facets {
  /** Returns whether any notes have the same id, as copies of a note's file do. */
  hasSharedIds(): boolean;
  /** Returns tags with their number of notes, most used first; a nested tag counts only for itself. */
  tags(): readonly { readonly tag: string; readonly count: number }[];
  /** Returns notes with the tag or one nested in it, in any case, with or without `#`; `includeHidden` is for writers. */
  byTag(tag: string, options?: { includeHidden?: boolean }): readonly NoteEntry[];
  /** Returns a test for the notes that `byTag` returns, which costs only the notes that are asked about. */
  tagTest(tag: string): (entry: NoteEntry) => boolean;
  types(): readonly { readonly type: string; readonly count: number }[];
  byType(type: string): readonly NoteEntry[];
  /** Returns the value of a key in the note's `properties` map or else its frontmatter; undefined when it has none. Caches the values. */
  propertyOf(entry: NoteEntry, key: string): PropertyValue | undefined;
}

/** Which notes of a graph are asked for; those of a folder with `under`. */
export interface EntryQuery {
  readonly under?: string;
  /** Hidden notes too, for writers. */
  readonly includeHidden?: boolean;
  /** Only those with `[[X]]` without quotes in a property. */
  readonly withUnquotedLinks?: boolean;
}

/**
 * The read-only interface of the graph. Every list has a total order, with the path as the last criterion. Hidden notes are excluded from
 * everything but `get`, `lookup`, `resolve`, `links` and `backlinks`.
 */
export interface GraphView {
  /** Number of notes, including hidden ones. */
  readonly size: number;
  readonly walk: NoteWalk;
  readonly facets: Facets;
  get(path: string): NoteEntry | null;
  lookup(reference: string): Lookup;
  /** Resolves a linkpath (without subpath) from a file as Obsidian does (docs/links.md, Resolution). */
  resolve(query: { linkpath: string; from: string }): LinkTarget & { readonly isAmbiguous?: boolean };
  /** Yields notes by path. */
  entries(query?: EntryQuery): IterableIterator<NoteEntry>;
  /** Lists notes by path: all, those in a folder, those with a tag or a nested one, or both. */
  listed(query: { readonly under?: string; readonly tag?: string }): Listed;
  attachments(): IterableIterator<string>;
  /**
   * Returns the paths of all files, including attachments and hidden notes, that a link with this key (`linkKey`) may mean. Makes the graph
   * a `FileLookup`.
   */
  byKey(key: string): readonly string[];
  readonly bundles: BundleView;
  isAttachment(path: string): boolean;
  /** Returns the outgoing links in text order, with duplicates; `unresolved`: those that lead nowhere, which costs nothing for the others. */
  links(path: string, only?: 'unresolved'): readonly GraphLink[];
  /** Returns the outgoing links as written, without resolving them. */
  linkTexts(path: string): readonly LinkText[];
  /** Returns the links to this note or attachment, by source path, then in text order. */
  backlinks(path: string): readonly GraphLink[];
  /**
   * Returns every link, resolved or not, whose linkpath could mean this path by its folded name: those that creating, renaming or deleting
   * the file can affect.
   */
  linksByKey(path: string): readonly GraphLink[];
  /**
   * Returns the unresolved targets by linkpath. Spellings that fold to the same text are one target, shown in the most frequent spelling.
   */
  unresolved(): readonly UnresolvedTarget[];
  /** Returns the unresolved targets with the most linking notes, then by linkpath; 50 at most. */
  mostWanted(limit: number): readonly UnresolvedTarget[];
  ambiguous(): readonly GraphLink[];
  /** Increases with every change. */
  readonly version: number;
  /** Calls the listener after each change or batch, with all changes. Returns a function that unsubscribes. */
  onChange(listener: (changes: readonly GraphChange[]) => void): () => void;
}
