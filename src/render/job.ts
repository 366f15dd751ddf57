/** What a link of a note leads to, by what it says before `#`. */
export type LinkTarget =
  | { readonly kind: 'note'; readonly path: string; readonly title: string }
  | { readonly kind: 'attachment'; readonly path: string }
  | { readonly kind: 'unresolved' };

/** A note with all that is needed to show it: the text, and what its links mean. */
export interface RenderSource {
  readonly path: string;
  readonly title: string;
  /** All after the frontmatter. */
  readonly body: string;
  /** By link text before `#`, as it is written. */
  readonly links: ReadonlyMap<string, LinkTarget>;
}

/** Work for the renderer: a value that holds everything, so that it can be done in a thread. */
export interface RenderJob {
  readonly path: string;
  /** The note itself and those that it embeds, by path; an embedded note that is not among them is shown as a link. */
  readonly sources: ReadonlyMap<string, RenderSource>;
  /** Only what this subpath (`#Heading`, `#^block`) names. */
  readonly subpath?: string;
  /** Where in the body to begin: where the part before ended. */
  readonly offset?: number;
  /** Most characters of the body to show, of this note and of each that it embeds. */
  readonly maxCharacters?: number;
  /** Without ids and outline: it is shown beside another note. */
  readonly isPreview?: boolean;
}

/** A heading of the note, with the id of its element (without the prefix `note-`). */
export interface OutlineItem {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

/** A note as a page shows it. The HTML went through the sanitiser. */
export interface RenderedNote {
  readonly html: string;
  readonly outline: readonly OutlineItem[];
  /** Where the next part begins; null when this is the end. */
  readonly nextOffset: number | null;
  /** What is not shown as it is meant, in words for who reads it. */
  readonly notices: readonly string[];
}
