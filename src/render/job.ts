export type LinkTarget =
  | { readonly kind: 'note'; readonly path: string; readonly title: string }
  | { readonly kind: 'attachment'; readonly path: string }
  | { readonly kind: 'unresolved' };

/** A note with its text and the targets of its links. */
export interface RenderSource {
  readonly path: string;
  readonly title: string;
  /** The text after the frontmatter. */
  readonly body: string;
  /** The 0-based line of the file at which the body begins. */
  readonly bodyLine: number;
  /** Targets by the unchanged link text before `#`. */
  readonly links: ReadonlyMap<string, LinkTarget>;
}

/** The complete input of the renderer, so that it can run in a worker thread. */
export interface RenderJob {
  readonly path: string;
  /** The note and the notes that it embeds, by path. Embeds of other notes are shown as links. */
  readonly sources: ReadonlyMap<string, RenderSource>;
  /** Renders only this heading or block (`#Heading`, `#^block`). */
  readonly subpath?: string;
  /** Offset in the body at which the part begins: the `nextOffset` of the part before. */
  readonly offset?: number;
  /** Limit for the body of the note and of each note that it embeds. */
  readonly maxCharacters?: number;
  /** Obsidian's setting: a single line end is a space, not a line break. */
  readonly hasStrictLineBreaks?: boolean;
  /** Leaves out ids and outline, because a preview is shown together with another note. */
  readonly isPreview?: boolean;
  /**
   * The HTML leaves the vault: it holds what readers of the note see and no more. A link to nothing is its text, an embed of nothing and the
   * source of a query are left out, and so is a part that would be shown as its source.
   */
  readonly isPublished?: boolean;
}

/** A heading of the note, with the id of its element (without the prefix `note-`). */
export interface OutlineItem {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

/** A rendered note. The HTML is sanitized. */
export interface RenderedNote {
  readonly html: string;
  readonly outline: readonly OutlineItem[];
  /** Offset of the next part, or null at the end. */
  readonly nextOffset: number | null;
  /** Messages to the reader about what could not be rendered. */
  readonly notices: readonly string[];
}
