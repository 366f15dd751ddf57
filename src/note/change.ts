import type { BodyPart } from './body/patch.ts';
import type { PropertyValue } from './note.ts';

/**
 * One change to the text of a note, as data: it can be written to the journal and applied again to a newer text. `edit.ts` applies them.
 * Commutative ones (all but `body` and `text`) are safe to re-apply to any content (docs/architecture.md, Writing).
 */
export type NoteChange =
  /**
   * Set a property; `key` is the path into maps (`['properties', 'priority']`). Equal value: nothing changes. `keepsAliases`: only if no YAML
   * alias of a list or map has to be written out.
   */
  | { readonly op: 'set'; readonly key: readonly string[]; readonly value: PropertyValue; readonly keepsAliases?: boolean }
  /** Remove a property, and a map that becomes empty. Absent: nothing changes. */
  | { readonly op: 'unset'; readonly key: readonly string[] }
  /** Append to a list property, created when absent. `unique`: unless an equal item exists (links: same text; tags: same fold). */
  | { readonly op: 'append'; readonly key: readonly string[]; readonly value: PropertyValue; readonly unique?: boolean }
  /** Remove every equal item of a list property, and the property with its last item. */
  | { readonly op: 'take'; readonly key: readonly string[]; readonly value: PropertyValue }
  /** Replace the body; frontmatter bytes stay. */
  | { readonly op: 'body'; readonly text: string }
  /** Change parts of the body, each located in the original text; all or none. */
  | { readonly op: 'patch'; readonly parts: readonly BodyPart[]; readonly isRepeat?: boolean }
  /** Replace the whole text. */
  | { readonly op: 'text'; readonly text: string }
  /**
   * Append one list item (`line` without the bullet) to a body section (`Observations`, `Relations`), created when absent. `unique`: unless
   * it exists. `apart`: a new section is preceded by two line ends, which are removed with it.
   */
  | { readonly op: 'add-line'; readonly section: string; readonly line: string; readonly unique?: boolean; readonly apart?: boolean }
  /** Remove list items of a section that equal this line, and the section's heading if nothing else is left in it. */
  | { readonly op: 'drop-line'; readonly section: string; readonly line: string; readonly apart?: boolean }
  /** Replace list items of a section that equal `line` by `by`. */
  | { readonly op: 'replace-line'; readonly section: string; readonly line: string; readonly by: string }
  /** Rewrite the links whose link text and form equal `from` to `to` (already in its final form), in body and frontmatter. */
  | { readonly op: 'relink'; readonly links: readonly Relink[] }
  /** Rename tags, including nested ones, in the body and in the properties `tags` and `tag`; all at once, so that two may swap. */
  | { readonly op: 'retag'; readonly tags: readonly TagRename[] }
  /**
   * Count the write where the note counts writes (`stampChanges`), only if another change of the same list changed something. `from`: the
   * count so far of a note that has no `rev` and is to get one.
   */
  | { readonly op: 'touch'; readonly at: string; readonly from?: number };

/** One rewritten link and its new target. */
export interface Relink {
  /** The link text as read (`Link.link`), so after trimming and decoding. */
  readonly link: string;
  readonly form: 'wikilink' | 'markdown' | 'reference';
  /** The new link text, decoded; the writer encodes and escapes it for its place (angle brackets, `%20`, `\|`, YAML quotes). */
  readonly to: string;
  /** Replace the alias or Markdown label too (docs/links.md, Writing and renaming: a path-form alias that equals the old base name). */
  readonly label?: { readonly from: string; readonly to: string };
}

/** One renamed tag, both names without `#`. */
export interface TagRename {
  readonly from: string;
  readonly to: string;
}
