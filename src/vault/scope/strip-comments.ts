/** A range of offsets; `end` is exclusive. */
type Range = readonly [start: number, end: number];

const MARK = '%%';
/** The beginning of a fenced code block, in a quote or list item too. */
const FENCE = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(`{3,}|~{3,})/;

/**
 * Removes `%%comments%%` from the body of a note, wherever they begin and end, so that they are gone before anything reads the text. One
 * that begins a line and is not closed ends with the note. What looks like one in code stays. Linear in the length of the body.
 */
export function stripComments(body: string): string {
  if (!body.includes(MARK)) return body;
  const marks = marksOutside(body, codeRanges(body));
  let [result, from] = ['', 0];
  for (let at = 0; at < marks.length; at += 2) {
    const [start = 0, close] = [marks[at], marks[at + 1]];
    if (close === undefined && !isLineStart(body, start)) break;
    result += body.slice(from, start);
    from = close === undefined ? body.length : close + MARK.length;
  }
  return result + body.slice(from);
}

function marksOutside(body: string, code: readonly Range[]): readonly number[] {
  const marks: number[] = [];
  let next = 0;
  for (let at = body.indexOf(MARK); at !== -1; at = body.indexOf(MARK, at)) {
    while ((code[next]?.[1] ?? Infinity) <= at) next += 1;
    const [start, end] = code[next] ?? [Infinity, Infinity];
    if (at < start) marks.push(at);
    at = at < start ? at + MARK.length : end;
  }
  return marks;
}

function isLineStart(body: string, at: number): boolean {
  return body.slice(body.lastIndexOf('\n', at - 1) + 1, at).trim() === '';
}

/** Returns the code of a body in order: fenced blocks, and what is between equal runs of backticks in a paragraph. */
function codeRanges(body: string): readonly Range[] {
  const ranges: Range[] = [];
  let fence: { readonly start: number; readonly mark: string } | null = null;
  let [paragraph, start] = [0, 0];
  for (const line of body.split('\n')) {
    const end = start + line.length;
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      const isClosed = mark !== undefined && mark.startsWith(fence.mark) && line.trimEnd().endsWith(mark);
      if (isClosed) {
        ranges.push([fence.start, end]);
        [fence, paragraph] = [null, end];
      }
    } else if (mark !== undefined) {
      for (const each of inlineCode(body, [paragraph, start])) ranges.push(each);
      fence = { start, mark };
    } else if (line.trim() === '') {
      for (const each of inlineCode(body, [paragraph, start])) ranges.push(each);
      paragraph = end;
    }
    start = end + 1;
  }
  if (fence === null) for (const each of inlineCode(body, [paragraph, body.length])) ranges.push(each);
  else ranges.push([fence.start, body.length]);
  return ranges;
}

function inlineCode(body: string, [from, to]: Range): readonly Range[] {
  const runs = [...body.slice(from, to).matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: from + index, length: run.length }));
  const closes = new Map<number, number>();
  const closeOf = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.length ?? 0;
    const close = closes.get(length);
    if (close !== undefined) closeOf.set(at, close);
    closes.set(length, at);
  }
  const ranges: Range[] = [];
  for (let at = 0; at < runs.length; at += 1) {
    const [open, close] = [runs[at], closeOf.get(at)];
    const last = close === undefined ? undefined : runs[close];
    if (open === undefined || close === undefined || last === undefined) continue;
    ranges.push([open.at, last.at + last.length]);
    at = close;
  }
  return ranges;
}
