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
  const from = linesWith(text, begin(what));
  const to = linesWith(text, end(what));
  const [first, last] = [from[0], to[0]];
  if (from.length !== 1 || to.length !== 1 || first === undefined || last === undefined || last.start < first.next) return null;
  return { start: first.next, end: last.start };
}

/** Returns where lines that have nothing but a mark begin, and the next ones. A mark in a code block is an example, and what is below it a person's. */
function linesWith(text: string, mark: string): readonly { readonly start: number; readonly next: number }[] {
  const found: { start: number; next: number }[] = [];
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
    const isAlone = at === 0 || text[at - 1] === '\n' || text[at - 1] === '\ufeff';
    const rest = /^[ \t]*(\r?\n|$)/.exec(text.slice(at + mark.length, at + mark.length + 100));
    if (isAlone && rest !== null && !isInCodeBlock(text, at)) found.push({ start: at, next: at + mark.length + rest[0].length });
  }
  return found;
}

function isInCodeBlock(text: string, end: number): boolean {
  let open: string | null = null;
  for (const [, run = '', info = ''] of text.slice(0, end).matchAll(/^ {0,3}(`{3,}|~{3,})([^\r\n]*)/gm)) {
    if (open === null) open = run[0] === '`' && info.includes('`') ? null : run;
    else if (run[0] === open[0] && run.length >= open.length && info.trim() === '') open = null;
  }
  return open !== null;
}
