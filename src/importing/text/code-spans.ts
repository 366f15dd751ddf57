/** A part of a line: a span of code between its marks, or what is between such spans. */
export interface LinePart {
  readonly text: string;
  /** The backticks around it; `''` for what is no code. */
  readonly marks: string;
}

/** Divides a line into code and what is none. Linear for any line. */
export function splitSpans(line: string): readonly LinePart[] {
  const runs = [...line.matchAll(/`+/g)].map(({ index, 0: { length } }) => ({ index, length }));
  const nextOf = new Map<number, number>();
  const closers = runs.map(() => -1);
  // From the end, so that each run finds the next one of its length at once.
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const { length } = runs[at]!;
    closers[at] = nextOf.get(length) ?? -1;
    nextOf.set(length, at);
  }
  const parts: LinePart[] = [];
  let from = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const close = closers[at] ?? -1;
    if (close === -1) continue;
    const [{ index, length }, { index: end }] = [runs[at]!, runs[close]!];
    if (index > from) parts.push({ text: line.slice(from, index), marks: '' });
    parts.push({ text: line.slice(index + length, end), marks: '`'.repeat(length) });
    from = end + length;
    at = close;
  }
  if (from < line.length) parts.push({ text: line.slice(from), marks: '' });
  return parts;
}
