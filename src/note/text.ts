/** Order of two strings by UTF-16 units, as `<` sees them: the same on every machine, whatever its language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * A copy of a string that holds on to nothing else.
 * V8 answers `slice` with a view that keeps the whole original alive: one kept link would pin the text of its note.
 */
export function detach(text: string): string {
  // Shorter ones are always copied by V8.
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string);
}

/** The longest start of a text that fits into so many UTF-8 bytes without splitting a character. */
export function firstBytes(text: string, most: number): string {
  const encoded = new TextEncoder().encode(text);
  return encoded.length <= most
    ? text
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(encoded.subarray(0, wholeBytes(encoded, most)));
}

/** How many of at most so many bytes of UTF-8 are whole characters. */
export function wholeBytes(bytes: Uint8Array, most: number): number {
  let end = Math.min(most, bytes.length);
  // A continuation byte is 10xxxxxx: step back to the first byte of the character that would be split.
  while (end > 0 && end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/** Where the line that holds an offset starts. Lines end with LF, CRLF or CR. */
export function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && !isLineEnd(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** Where the line that holds an offset ends, before its line end. */
export function lineEnd(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at += 1;
  return at;
}

/** Where the next line starts, given the end of a line. */
export function nextLine(text: string, end: number): number {
  if (text.startsWith('\r\n', end)) return end + 2;
  return Math.min(end + 1, text.length);
}

/** Whether only spaces stand before an offset on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

/** The line end that a text uses first, or that of Unix. */
export function lineEnding(text: string): '\n' | '\r\n' | '\r' {
  const match = /\r\n|\n|\r/.exec(text)?.[0];
  return match === '\r\n' || match === '\r' ? match : '\n';
}

/** Whether a UTF-16 unit is a space or a tab. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

/** Whether a UTF-16 unit ends a line. */
export function isLineEnd(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d;
}

/** A replacement of one stretch of a text, in UTF-16 offsets of that text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Splices in the order of their places; at one place an insertion comes before a replacement. */
export function inOrder<S extends Splice>(splices: readonly S[]): S[] {
  return splices.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** The text with every splice made. Splices must not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const splice of inOrder(splices)) {
    if (splice.start < at) throw new RangeError(`Splices overlap at offset ${splice.start}`);
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

/** The end of a stretch, one unit earlier where it would split a surrogate pair. */
export function wholeEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** The first so many characters of a text and nothing after them, for names and keys; a surrogate pair is one. */
export function firstCharacters(text: string, count: number): string {
  return text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join('');
}
