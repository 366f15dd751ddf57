/** The result of `read_page` for a note. */
export interface NotePage {
  readonly kind: 'note';
  readonly path: string;
  readonly title: string;
  readonly folder: string;
  readonly type: string | null;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly html: string;
  readonly outline: readonly OutlineItem[];
  readonly notices: readonly string[];
  readonly next_offset?: number;
  readonly properties: readonly Property[];
  readonly backlinks: readonly Backlink[];
  readonly backlink_count: number;
  readonly etag: string;
  readonly created: string;
  readonly updated: string;
}

/** The result of `read_page` for a note that does not exist but is the target of links. */
export interface UnresolvedPage {
  readonly kind: 'wanted';
  readonly title: string;
  readonly sources: readonly { readonly path: string; readonly title: string }[];
  readonly source_count: number;
}

export interface OutlineItem {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

export interface Property {
  readonly key: string;
  readonly values: readonly { readonly text: string; readonly note?: string; readonly kind?: string }[];
  readonly more?: number;
}

/** A note that links to or mentions this one, with the lines in which it does. */
export interface Backlink {
  readonly path: string;
  readonly title: string;
  readonly lines: readonly { readonly line: number; readonly text: string; readonly start: number; readonly end: number }[];
  readonly properties?: readonly string[];
  readonly more?: number;
}
