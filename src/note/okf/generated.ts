import { lineEnding } from '../text.ts';

/** What roux generates into a file: the list of an `index.md`, the entries of a `log.md`. */
export type Generated = 'index' | 'log';

/** Comments that no reader of Markdown shows. What is between them is roux's, everything else a person's. */
const begin = (what: Generated): string => `<!-- roux:${what} -->`;
const end = (what: Generated): string => `<!-- /roux:${what} -->`;

/** Returns the whole text of a new file. */
export function composeGenerated(what: Generated, content: string): string {
  return `${begin(what)}\n\n${content}\n${end(what)}\n`;
}

/** Returns what is between the two marks; null if the file has not exactly one pair of them, each on a line of its own. */
export function readGenerated(text: string, what: Generated): string | null {
  const span = findGenerated(text, what);
  return span === null ? null : text.slice(span.start, span.end);
}

/** Replaces what is between the marks, and no other byte; null if there are none. */
export function replaceGenerated(text: string, what: Generated, content: string): string | null {
  const span = findGenerated(text, what);
  if (span === null) return null;
  const eol = lineEnding(text);
  const lines = `\n${content}\n`.replaceAll('\n', eol);
  return text.slice(0, span.start) + lines + text.slice(span.end);
}

function findGenerated(text: string, what: Generated): { readonly start: number; readonly end: number } | null {
  const [first, last, ...others] = findMarks(text, what);
  if (first?.mark !== begin(what) || last?.mark !== end(what) || others.length > 0) return null;
  return { start: first.next, end: last.start };
}

/**
 * Returns the lines that have nothing but a mark: where each begins, and the next one. A mark in a code block is an example, and what is
 * below it a person's. One pass, however many marks there are.
 */
function findMarks(text: string, what: Generated): readonly { readonly mark: string; readonly start: number; readonly next: number }[] {
  const marks: { mark: string; start: number; next: number }[] = [];
  let open: string | null = null;
  for (const found of text.matchAll(/^ {0,3}(`{3,}|~{3,})([^\r\n]*)|^\ufeff?(<!-- \/?roux:(?:index|log) -->)[ \t]*(?:\r?\n|$)/gm)) {
    const { index, 0: line, 1: fence, 2: info = '', 3: mark } = found;
    if (fence !== undefined) {
      if (open === null) open = fence[0] === '`' && info.includes('`') ? null : fence;
      else if (fence[0] === open[0] && fence.length >= open.length && info.trim() === '') open = null;
    } else if (open === null && (mark === begin(what) || mark === end(what)))
      marks.push({ mark, start: index + line.indexOf(mark), next: index + line.length });
  }
  return marks;
}
