/** Compares two strings by UTF-16 units, like `<`: the same on every machine and in every language. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// Created when it is needed: it would delay every start.
let natural: Intl.Collator | undefined;

/** Compares names as people sort them: `note 2` before `note 10`, upper and lower case beside each other. */
export function compareNames(a: string, b: string): number {
  natural ??= new Intl.Collator('en', { numeric: true });
  return natural.compare(a, b) || compareText(a, b);
}

/**
 * Copies a string so that it references nothing else. V8's `slice` returns a view that keeps the whole original alive: one cached link
 * would retain the text of its note.
 */
export function detach(text: string): string {
  // Shorter ones are always copied by V8.
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string);
}

/** Returns the longest prefix of a text that fits into `most` UTF-8 bytes without splitting a character. */
export function firstBytes(text: string, most: number): string {
  const encoded = new TextEncoder().encode(text);
  return encoded.length <= most
    ? text
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(encoded.subarray(0, wholeBytes(encoded, most)));
}

/** Returns the length of the longest prefix of at most `most` bytes that consists of whole UTF-8 characters. */
export function wholeBytes(bytes: Uint8Array, most: number): number {
  let end = Math.min(most, bytes.length);
  // A continuation byte is 10xxxxxx: step back to the first byte of the character that would be split.
  while (end > 0 && end > most - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/** Returns the start of the line with an offset. Lines end with LF, CRLF or CR. */
export function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && !isLineEnd(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** Returns the end of the line with an offset, before its line end. */
export function lineEnd(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at += 1;
  return at;
}

/** Returns the start of the next line, given the end of a line. */
export function nextLine(text: string, end: number): number {
  if (text.startsWith('\r\n', end)) return end + 2;
  return Math.min(end + 1, text.length);
}

/** Returns whether only blanks precede an offset on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

/** Returns the first line end of a text; LF when it has none. */
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

/** A replacement of a range of a text, in UTF-16 offsets of that text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Sorts splices by position; at one position an insertion comes before a replacement. */
export function inOrder<S extends Splice>(splices: readonly S[]): S[] {
  return splices.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** Applies splices, which must not overlap, to a text. */
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

/** Returns the end of a range, one unit earlier if it would split a surrogate pair. */
export function wholeEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** Returns the first `count` characters of a text, for names and keys; a surrogate pair is one. */
export function firstCharacters(text: string, count: number): string {
  return text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join('');
}

/** Returns the backticks that enclose a text as code: more than the text has in a row, since as many of them would end it. */
export function fenceFor(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(longest + 1);
}

/** Returns whether a character, by its code, is punctuation of ASCII, which a backslash escapes in Markdown. */
export function isPunctuation(code: number): boolean {
  return (
    (code >= 0x21 && code <= 0x2f) || (code >= 0x3a && code <= 0x40) || (code >= 0x5b && code <= 0x60) || (code >= 0x7b && code <= 0x7e)
  );
}

/** Returns the number of line ends between two offsets. */
export function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0a || (unit === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) lines += 1;
  }
  return lines;
}

/** Returns the first offset from `start` that is not white space. */
export function skipSpace(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Returns whether a UTF-16 unit is white space of Markdown. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}
