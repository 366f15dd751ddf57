const tagNames =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';
const attribute = String.raw`\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>${'`'}]+|'[^']*'|"[^"]*"))?`;
const openTag = String.raw`<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*\s*\/?>`;
const closeTag = String.raw`<\/[A-Za-z][A-Za-z0-9-]*\s*>`;

const anyTag = new RegExp(`${openTag}|${closeTag}`, 'y');
const loneTag = new RegExp(`^(?:${openTag}|${closeTag})[ \\t]*$`);
const blockTag = new RegExp(`^<\\/?(?:${tagNames})(?=[ \\t>]|\\/>|$)`, 'i');
const autolink = /<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>\p{Cc}]*>/uy;
const emailLink =
  /<[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*>/y;

/** How an HTML block ends: with the line that matches, or before a blank line. */
export type HtmlEnd = RegExp | 'blank';

/** Returns the end condition of the HTML block that a line opens; null for none. A lone tag of any name cannot interrupt a paragraph. */
export function htmlBlockEnd(line: string, { mayBeLoneTag }: { mayBeLoneTag: boolean }): HtmlEnd | null {
  if (/^<(?:script|pre|style|textarea)(?=[ \t>]|$)/i.test(line)) return /<\/(?:script|pre|style|textarea)>/i;
  if (line.startsWith('<!--')) return /-->/;
  if (line.startsWith('<?')) return /\?>/;
  if (line.startsWith('<![CDATA[')) return /\]\]>/;
  if (/^<![A-Za-z]/.test(line)) return />/;
  if (blockTag.test(line)) return 'blank';
  return mayBeLoneTag && loneTag.test(line) ? 'blank' : null;
}

/** Returns the end of the autolink, tag, comment or other HTML at the `<` at `at`; -1 for none. */
export function inlineHtmlEnd(text: string, at: number, end: number): number {
  const next = text.charCodeAt(at + 1);
  if (next === 0x21) {
    if (text.startsWith('--', at + 2)) return commentEnd(text, at, end);
    if (text.startsWith('[CDATA[', at + 2)) return within(text.indexOf(']]>', at + 9), 3, end);
    return /[A-Za-z]/.test(text.charAt(at + 2)) ? within(text.indexOf('>', at + 2), 1, end) : -1;
  }
  if (next === 0x3f) return within(text.indexOf('?>', at + 2), 2, end);
  for (const pattern of [autolink, emailLink, anyTag]) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return within(pattern.lastIndex, 0, end);
  }
  return -1;
}

function commentEnd(text: string, at: number, end: number): number {
  if (text.startsWith('>', at + 4)) return within(at + 5, 0, end);
  if (text.startsWith('->', at + 4)) return within(at + 6, 0, end);
  return within(text.indexOf('-->', at + 4), 3, end);
}

function within(at: number, length: number, end: number): number {
  return at === -1 || at + length > end ? -1 : at + length;
}
