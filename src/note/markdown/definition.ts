import type { Link } from '../note.ts';
import { readDestination, titleEnd } from './destination.ts';
import { skipSpace } from '../text.ts';
import { decodeDestination } from './link-text.ts';

/** The reference definitions at the start of a paragraph. */
export interface Definitions {
  readonly links: readonly Link[];
  /** Start of the text after them. */
  readonly end: number;
  readonly isCertain: boolean;
}

const label = /\[(?:[^[\]\\]|\\[^])*\]:/y;

/**
 * Reads `[id]: destination "title"` lines; `base` is the offset of the paragraph in the note. External ones are consumed, but are not
 * links.
 */
export function readDefinitions(text: string, base: number): Definitions {
  const links: Link[] = [];
  let isCertain = true;
  let from = 0;
  for (;;) {
    const start = skipSpace(text, from, text.length);
    label.lastIndex = start;
    if (!label.test(text) || label.lastIndex - start > 1000 || text.slice(start + 1, label.lastIndex - 2).trim() === '') break;
    const destination = readDestination(text, skipSpace(text, label.lastIndex, text.length), text.length);
    if (!destination) break;
    const end = definitionEnd(text, destination.end);
    if (end === -1) break;
    const raw = text.slice(destination.target.start, destination.target.end);
    if (raw.includes('\\') || /&#?\w+;/.test(raw)) isCertain = false;
    const link = decodeDestination(raw);
    const target = { start: base + destination.target.start, end: base + destination.target.end };
    if (link !== null) links.push({ kind: 'link', form: 'reference', link, start: base + start, end: base + end, target });
    from = lineBreakEnd(text, end);
  }
  return { links, end: from, isCertain };
}

/** Returns the end of a definition after its destination: after its title or at the end of the line; -1 for neither. */
function definitionEnd(text: string, destination: number): number {
  const next = skipSpace(text, destination, text.length);
  const bare = isLineEnd(text, destination) ? destination : -1;
  if (next === destination || next === text.length) return bare;
  const title = titleEnd(text, next, text.length);
  return title > next && isLineEnd(text, title) ? title : bare;
}

function isLineEnd(text: string, at: number): boolean {
  return /^[ \t]*(?:[\r\n]|$)/.test(text.slice(at));
}

function lineBreakEnd(text: string, at: number): number {
  return at + (/^[ \t]*(?:\r\n|\r|\n)?/.exec(text.slice(at))?.[0].length ?? 0);
}
