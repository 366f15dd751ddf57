/** A replacement of one stretch of a text, in UTF-16 offsets of that text. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with every splice made. Splices must not overlap; at one place an insertion comes before a replacement. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = splices
    .map((splice, order) => ({ splice, order }))
    .sort((a, b) => a.splice.start - b.splice.start || a.splice.end - b.splice.end || a.order - b.order);
  let result = '';
  let at = 0;
  for (const { splice } of ordered) {
    if (splice.start < at) throw new RangeError(`Splices overlap at offset ${splice.start}`);
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}
