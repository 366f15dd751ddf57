import { bodyStartOf } from '../../../../note/frontmatter/read-frontmatter.ts';
import { isLinkable } from '../../../../note/markdown/link-text.ts';
import { scan } from '../../../../note/markdown/scan.ts';
import type { Span } from '../../../../note/note.ts';
import { lineEnd, lineStart } from '../../../../note/text.ts';
import { lineMark } from '../../../../render/syntax/tasks.ts';
import { splitLines } from '../edit/source-text.ts';

/** Where a mention is in the text of a note, so that it can be found again when it becomes a link. */
export interface MentionPlace {
  /** The line in the file, the first is 0. */
  readonly line: number;
  /** Identifies the text of the line. */
  readonly mark: string;
  /** Where the name begins in the line, and how it is written there. */
  readonly start: number;
  readonly name: string;
}

/** Returns the place of a mention in prose (`isProse`) that can become a link, or null. */
export function placeOfMention(text: string, span: Span): MentionPlace | null {
  if (!hasRoomForLink(text, span)) return null;
  const from = lineStart(text, span.start);
  return {
    line: splitLines(text.slice(0, span.start)).length - 1,
    mark: lineMark(text.slice(from, lineEnd(text, span.start))),
    start: span.start - from,
    name: text.slice(span.start, span.end),
  };
}

/** Checks whether a link can be written around a part of a note. */
export function canBeLink(text: string, span: Span): boolean {
  return hasRoomForLink(text, span) && isProse(text, span);
}

/**
 * Checks a place by its line alone. A link must not be in properties, whose YAML it could break, in a heading, which links from elsewhere
 * name by its text, or within a tag or an address.
 */
function hasRoomForLink(text: string, { start, end }: Span): boolean {
  const from = lineStart(text, start);
  const line = text.slice(from, lineEnd(text, start));
  const before = line.slice(0, start - from);
  const word = before.slice(Math.max(before.lastIndexOf(' '), before.lastIndexOf('\t')) + 1);
  if (start < bodyStartOf(text) || end > from + line.length || /^ {0,3}#{1,6}[ \t]/.test(line)) return false;
  if (!isLinkable(text.slice(start, end)) || before.endsWith('[')) return false;
  return !(word.includes('://') || word.startsWith('www.') || word.includes('#') || word.includes('@'));
}

/** Checks whether a link written at a place would be read as one, which it is not in code, a formula or a comment. Scans the whole text. */
export function isProse(text: string, { start, end }: Span): boolean {
  const linked = `${text.slice(0, start)}[[x]]${text.slice(end)}`;
  return scan(linked).links.some((link) => link.start === start);
}
