import type { NotePath } from './path.ts';

/** A range of the original text in UTF-16 offsets, end exclusive. A BOM counts as one unit. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The form of a link. `reference` is the definition line `[id]: target`, the only part of a reference link with a target. */
export type LinkForm = 'wikilink' | 'markdown' | 'reference';

/** One link or embed in the text; the graph resolves it. Rules: docs/links.md. */
export interface Link extends Span {
  readonly kind: 'link' | 'embed';
  readonly form: LinkForm;
  /** Link text: path and subpath, trimmed, `\|` unescaped, Markdown destinations percent-decoded. `''` before `#` means the note itself. */
  readonly link: string;
  /** Text after the first pipe of a wikilink. Absent on Markdown links, whose label is not an alias. */
  readonly alias?: string;
  /** Position of the target text (without alias, brackets, angle brackets or title), for rewriting. */
  readonly target: Span;
  /** The property with the link (`up`, `related.0`); absent in the body. */
  readonly property?: string;
}

/** A link without its position. */
export type LinkText = Pick<Link, 'link' | 'form' | 'kind' | 'property'>;

/** An inline `#tag` of the body. `tag` has no `#`. */
export interface TagUse extends Span {
  readonly tag: string;
}

export interface Heading extends Span {
  readonly level: number;
  /** Text without the marks, trailing `#`s and block id. */
  readonly text: string;
}

/** A heading without its position. */
export type OutlineHeading = Pick<Heading, 'level' | 'text'>;

/** A `^block-id` at the end of a block; the span covers `^` and the id. */
export interface BlockId extends Span {
  readonly id: string;
}

/** A problem with reading one note, which never stops the vault. */
export interface Problem {
  readonly code:
    | 'frontmatter-malformed'
    | 'frontmatter-duplicate-key'
    | 'frontmatter-executable'
    | 'frontmatter-too-large'
    | 'frontmatter-dropped-key'
    | 'invalid-utf8'
    | 'too-large'
    | 'too-large-to-write'
    | 'too-nested'
    | 'duplicate-tag'
    | 'unreadable';
  readonly message: string;
  /** 1-based line in the file, where it is known. */
  readonly line?: number;
}

/** YAML values of the 1.2 core schema: dates and times stay text. Maps have no prototype. */
export type PropertyValue = string | number | boolean | null | readonly PropertyValue[] | { readonly [key: string]: PropertyValue };
export type Properties = { readonly [key: string]: PropertyValue };

/** The frontmatter block of a note. */
export interface Frontmatter {
  /** The whole block from the first `-` to the end of the closing line's EOL; null when there is none. */
  readonly block: Span | null;
  /** The YAML between the two marker lines; null when there is no block. */
  readonly yaml: Span | null;
  /** The values; empty for none and for a block that could not be read. Read on first use. */
  readonly data: Properties;
  /** False when the block exists but cannot be read, so that edits must be refused. */
  readonly isReadable: boolean;
}

/** A parsed Markdown file. Immutable. Declared as a class so that spreading one, which would drop its getters, does not compile: see `noteWith`. */
export declare abstract class Note {
  readonly path: NotePath;
  /** The original text, BOM included. */
  readonly text: string;
  readonly frontmatter: Frontmatter;
  /** Start of the body: after the frontmatter block, or after a BOM. */
  readonly bodyStart: number;
  /** Frontmatter `title`, else the first alias when the file name is a slug of it, else the file name (docs/format.md, Identity). */
  readonly title: string;
  /** The frontmatter `id`, or null: then the path is the id. */
  readonly id: string | null;
  readonly type: string | null;
  readonly aliases: readonly string[];
  /** Frontmatter tags, then inline ones: without `#`, unique by fold, in first-seen case. */
  abstract get tags(): readonly string[];
  /** In order of position, so frontmatter links come first. */
  abstract get links(): readonly Link[];
  abstract get tagUses(): readonly TagUse[];
  abstract get headings(): readonly Heading[];
  abstract get blocks(): readonly BlockId[];
  abstract get problems(): readonly Problem[];
}
