import { linkLabel, splitLinkText } from '../../../note/markdown/link-text.ts';
import { readWikilink } from '../../../note/markdown/wikilink.ts';
import { mediaElementOf, splitSize } from '../../../render/syntax/media.ts';
import type { Span } from '../../../note/note.ts';

/** A text in one line, with a marked range. */
export interface PlainLine {
  readonly text: string;
  readonly mark: Span;
}

/** HTML elements that notes use for layout. Other angle brackets may be text, such as `Map<string>`. */
const ELEMENTS = 'a|b|br|center|code|del|details|div|em|font|h[1-6]|hr|i|ins|kbd|li|mark|ol|p|pre|small|span|strong|sub|summary|sup|u|ul';

/** Markdown syntax, in order of precedence: links are replaced by their text, everything else is removed. */
const SYNTAX = [
  // Metadata of a fact's line.
  /\[(?:valid_at|invalid_at|said_at|held_at|created_at|expired_at|withdrawn_at|withdrawn_by|corrected_by|cut|earlier_start|single|episode)::(?:\[\[[^\]\n]*(?:\]\]|$)|[^[\]\n])*(?:\]|$)/,
  // Ids of blocks. An excerpt may begin at one.
  /(?<=^…?|[ \t])\^[A-Za-z0-9-]+[ \t]*$/,
  /<!--|-->/,
  new RegExp(`</?(?:${ELEMENTS})(?:[ \t/][^<>\n]*)?>`),
  // Types of callouts.
  /\[!(?<=^[ \t>…]*\[!)\w[^\]\n]{0,99}\][+-]?/,
  /(?<wiki>!?\[\[[^[\]]+\]\])/,
  /!?\[(?<label>[^[\]^][^[\]]*|)\]\([^()\s]*(?:\s+"[^"]*")?\)/,
  /\[\^[^[\]\s]{1,99}\]:?/,
  // Lines that are no text: rules, edges of tables, fences of code.
  /^[ \t]*(?:\|[ \t:|-]*|:?--[ \t:|-]*|(?:`{3,}|~{3,})[^`\n]*)$/,
  /^[ \t]*(?:(?:#{1,6}|>|[-*+](?:[ \t]\[.\])?|\d{1,9}[.)])[ \t]+)+/,
  /\*{1,3}(?=\S)|(?<=\S)\*{1,3}/,
  // Within a word an underscore is a letter. It is looked for before what stands beside it, which may be a whole line.
  /(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_][^_\n]*_)|_{1,3}(?![\p{L}\p{N}_])(?<=_[^_\n]*[^\s_]_{1,3})/u,
  /~~|==|%%|`+|\[\[|\]\]|\|/,
];
const MARKS = new RegExp(SYNTAX.map(({ source }) => source).join('|'), 'gmu');
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
    const [whole] = match;
    const { wiki, label = whole === '|' ? ' ' : '' } = match.groups ?? {};
    add(wiki === undefined ? label : wikilinkText(wiki), match.index, true);
    from = match.index + whole.length;
  }
  add(markdown.slice(from), from, false);
  return squeeze({ text, mark });
}

/** Returns the text that a reader sees of a wikilink or an embed. */
function wikilinkText(whole: string): string {
  const { kind, link, alias = '' } = readWikilink(whole, { start: 0, end: whole.length });
  const said = kind === 'embed' ? splitSize(alias).said : alias;
  if (said.trim() !== '') return said;
  const { linkpath } = splitLinkText(link);
  // The fragment of a picture is meant for a style sheet.
  return linkLabel(mediaElementOf(linkpath) === null ? link : linkpath);
}

/** Collapses white space. */
function squeeze({ text, mark }: PlainLine): PlainLine {
  const place = (at: number): number => text.slice(0, Math.max(0, at)).replaceAll(/\s+/g, ' ').trimStart().length;
  const shown = text.replaceAll(/\s+/g, ' ').trim();
  const start = Math.min(place(mark.start), shown.length);
  return { text: shown, mark: { start, end: Math.max(start, Math.min(place(mark.end), shown.length)) } };
}
