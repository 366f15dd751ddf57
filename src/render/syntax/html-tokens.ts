export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string>; readonly isSelfClosing: boolean }
  | { readonly kind: 'close'; readonly name: string };

const NAME = /[A-Za-z][A-Za-z0-9-]*/y;
const ATTRIBUTE_NAME = /[^\s"'<>/=]+/y;
const BARE_VALUE = /[^\s"'<>`=]+/y;
const SPACE = /\s*/y;

/** Splits HTML into tags and text in one pass. Drops comments and declarations, and treats malformed tags as text. */
export function tokenizeHtml(html: string): HtmlToken[] {
  const pieces: HtmlToken[] = [];
  let from = 0;
  const upTo = (end: number): void => {
    if (end > from) pieces.push({ kind: 'text', text: html.slice(from, end) });
  };
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', Math.max(at + 1, from))) {
    const hidden = hiddenEnd(html, at);
    const tag = hidden === null ? readTag(html, at) : null;
    const end = hidden ?? tag?.end;
    if (end === undefined) continue;
    upTo(at);
    if (tag !== null) pieces.push(tag.piece);
    from = end;
  }
  upTo(html.length);
  return pieces;
}

/** Returns the end of a comment, declaration, instruction or CDATA section, or null if none begins at `at`. */
function hiddenEnd(html: string, at: number): number | null {
  const [close] =
    (
      [
        ['<!--', '-->'],
        ['<![CDATA[', ']]>'],
        ['<!', '>'],
        ['<?', '>'],
      ] as const
    )
      .find(([start]) => html.startsWith(start, at))
      ?.slice(1) ?? [];
  if (close === undefined) return null;
  const end = html.indexOf(close, at + 2);
  return end === -1 ? html.length : end + close.length;
}

function readTag(html: string, at: number): { readonly piece: HtmlToken; readonly end: number } | null {
  const isClose = html[at + 1] === '/';
  const name = match(NAME, html, at + (isClose ? 2 : 1))?.toLowerCase();
  if (name === undefined) return null;
  let next = at + (isClose ? 2 : 1) + name.length;
  const attributes = new Map<string, string>();
  for (;;) {
    next += match(SPACE, html, next)?.length ?? 0;
    if (html[next] === '>') break;
    if (html.startsWith('/>', next)) break;
    if (html[next] === '/') {
      next += 1;
      continue;
    }
    const attribute = match(ATTRIBUTE_NAME, html, next);
    if (attribute === undefined) return null;
    next += attribute.length;
    const space = match(SPACE, html, next)?.length ?? 0;
    if (html[next + space] !== '=') {
      addAttribute(attributes, attribute, '');
      continue;
    }
    next += space + 1;
    next += match(SPACE, html, next)?.length ?? 0;
    const value = readValue(html, next);
    if (value === null) return null;
    addAttribute(attributes, attribute, decodeEntities(value.text));
    next = value.end;
  }
  const isSelfClosing = html[next] === '/';
  const end = next + (isSelfClosing ? 2 : 1);
  return { piece: isClose ? { kind: 'close', name } : { kind: 'open', name, attributes, isSelfClosing }, end };
}

function addAttribute(attributes: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase();
  if (!attributes.has(key)) attributes.set(key, value);
}

function readValue(html: string, at: number): { readonly text: string; readonly end: number } | null {
  const quote = html[at];
  if (quote === '"' || quote === "'") {
    const end = html.indexOf(quote, at + 1);
    return end === -1 ? null : { text: html.slice(at + 1, end), end: end + 1 };
  }
  const value = match(BARE_VALUE, html, at);
  return value === undefined ? null : { text: value, end: at + value.length };
}

function match(pattern: RegExp, html: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(html)?.[0];
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00A0'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['hellip', '…'],
  ['copy', '©'],
  ['times', '×'],
  ['rarr', '→'],
  ['larr', '←'],
]);

/** Decodes character references. Rare named references are left unchanged. */
export function decodeEntities(value: string): string {
  return value.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES.get(name) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : '\uFFFD';
    },
  );
}

/** Escapes a text for the content or an attribute of an element. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
