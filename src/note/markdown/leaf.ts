import { nextNonspace } from './containers.ts';
import type { Cursor } from './containers.ts';
import type { HtmlEnd } from './html.ts';

/** Lines of text that are read together once the last is known. */
export interface Paragraph {
  readonly kind: 'paragraph';
  readonly start: number;
  end: number;
  lastStart: number;
  lastIndent: number;
  isQuoted: boolean;
}

/** A block whose lines contain no other block. */
type OpaqueLeaf =
  | { readonly kind: 'fence'; readonly mark: string }
  | { readonly kind: 'html'; readonly end: HtmlEnd }
  | { readonly kind: 'math'; readonly end: number };

/** The open block. */
export type Leaf = Paragraph | OpaqueLeaf | { readonly kind: 'table' | 'code' };

/** Returns whether a block takes every line until its end. */
export function isOpaque(leaf: Leaf): leaf is OpaqueLeaf {
  return leaf.kind === 'fence' || leaf.kind === 'html' || leaf.kind === 'math';
}

/** Returns whether the line at the cursor belongs to open code, HTML or math, and whether it is its last one. */
export function continueOpaque(leaf: OpaqueLeaf, text: string, cursor: Cursor, end: number): boolean | 'last' {
  if (leaf.kind === 'math') return end >= leaf.end ? 'last' : true;
  const first = nextNonspace(text, cursor, end);
  if (leaf.kind === 'fence') {
    const line = text.slice(first.at, end);
    const isMark = line.trimEnd() === leaf.mark.charAt(0).repeat(line.trimEnd().length);
    return first.indent < 4 && line.startsWith(leaf.mark) && isMark ? 'last' : true;
  }
  if (leaf.end === 'blank') return first.at < end;
  return leaf.end.test(text.slice(cursor.at, end)) ? 'last' : true;
}
