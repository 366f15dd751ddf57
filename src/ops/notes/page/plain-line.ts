import type { Span } from '../../../note/note.ts';

/** A text in one line, with a marked range. */
export interface PlainLine {
  readonly text: string;
  readonly mark: Span;
}

/** Markdown syntax: links are replaced by their text; other marks, and the metadata of a fact's line, are removed. */
const MARKS =
  /\[(?:valid_at|invalid_at|said_at|held_at|created_at|expired_at|withdrawn_at|withdrawn_by|corrected_by|cut|earlier_start|single|episode)::(?:\[\[[^\]\n]*(?:\]\]|$)|[^[\]\n])*(?:\]|$)|[ \t]\^[A-Za-z0-9-]+[ \t]*$|<!--|-->|\[!(?<=^[ \t>]*\[!)\w[^\]\n]{0,99}\][+-]?|!?\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]|!?\[([^[\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)|^[ \t]*(?:#{1,6}|>|[-*+](?:[ \t]\[.\])?|\d{1,9}[.)])[ \t]+|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|==|`+|\[\[|\]\]|^[ \t]*\|[ \t:|-]*$|\|/gm;

/** Converts Markdown to a line of plain text and translates the marked range. */
export function plainLine(markdown: string, { start, end }: Span = { start: 0, end: 0 }): PlainLine {
  let text = '';
  const mark = { start: -1, end: -1 };
  let from = 0;
  const add = (piece: string, at: number, isCut: boolean): void => {
    const length = isCut ? 0 : piece.length;
    if (mark.start === -1 && start < at + Math.max(length, 1)) mark.start = text.length + (isCut ? 0 : Math.max(0, start - at));
    text += piece;
    if (end >= at + length) mark.end = text.length;
    else if (end > at) mark.end = text.length - piece.length + (end - at);
  };
  for (const match of markdown.matchAll(MARKS)) {
    add(markdown.slice(from, match.index), from, false);
    const [whole, wiki, label] = match;
    add(wiki ?? label ?? (whole === '|' ? ' ' : ''), match.index, true);
    from = match.index + whole.length;
  }
  add(markdown.slice(from), from, false);
  return squeeze({ text, mark });
}

/** Collapses white space. */
function squeeze({ text, mark }: PlainLine): PlainLine {
  const place = (at: number): number => text.slice(0, Math.max(0, at)).replaceAll(/\s+/g, ' ').trimStart().length;
  const shown = text.replaceAll(/\s+/g, ' ').trim();
  const start = Math.min(place(mark.start), shown.length);
  return { text: shown, mark: { start, end: Math.max(start, Math.min(place(mark.end), shown.length)) } };
}
