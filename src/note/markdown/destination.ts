import type { Span } from '../note.ts';
import { isSpace, skipSpace } from '../text.ts';

/** The destination of a Markdown link in the text. */
export interface Destination {
  /** Without angle brackets. */
  readonly target: Span;
  /** End offset, including a closing angle bracket. */
  readonly end: number;
}

/** The part of a link after its label: `(destination "title")`. */
export interface Resource {
  /** Null for `()`. */
  readonly target: Span | null;
  readonly end: number;
}

const MAX_PARENTHESES = 32;
/** Longest title; scanning for the end of unclosed ones would not be linear. */
const MAX_TITLE_CHARACTERS = 1000;

/** Reads the resource whose `(` is at `open`; null when none is there. */
export function readResource(text: string, open: number, end: number): Resource | null {
  let at = skipSpace(text, open + 1, end);
  if (text.charCodeAt(at) === 0x29 && at < end) return { target: null, end: at + 1 };
  const destination = readDestination(text, at, end, MAX_PARENTHESES);
  if (!destination) return null;
  at = skipSpace(text, destination.end, end);
  if (at > destination.end && at < end) {
    const title = titleEnd(text, at, end);
    if (title === -1) return null;
    at = skipSpace(text, title, end);
  }
  return at < end && text.charCodeAt(at) === 0x29 ? { target: destination.target, end: at + 1 } : null;
}

/** Reads the destination that starts at `start`: in angle brackets, or up to white space with its parentheses in pairs. */
export function readDestination(text: string, start: number, end: number, limit = Infinity): Destination | null {
  if (start >= end) return null;
  return text.charCodeAt(start) === 0x3c ? readAngled(text, start, end) : readBare(text, start, end, limit);
}

/** Returns the end of the title at `start`; `start` when there is none, -1 when it is not closed. */
export function titleEnd(text: string, start: number, end: number): number {
  const open = text.charCodeAt(start);
  const close = open === 0x28 ? 0x29 : open;
  if (open !== 0x22 && open !== 0x27 && open !== 0x28) return start;
  const limit = Math.min(end, start + MAX_TITLE_CHARACTERS);
  for (let at = start + 1; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += isOneOf(text.charCodeAt(at + 1), 0x5c, close) ? 1 : 0;
    else if (code === close) return at + 1;
  }
  return -1;
}

/** Blanks the block quote marks after line ends, keeping offsets. */
export function blankQuoteMarks(text: string): string {
  return text.replace(/(?<=[\r\n])[ \t]*(?:>[ \t]*)+/g, (marks) => ' '.repeat(marks.length));
}

function readAngled(text: string, start: number, end: number): Destination | null {
  for (let at = start + 1; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x3e) return { target: { start: start + 1, end: at }, end: at + 1 };
    if (code === 0x3c || code === 0x0a || code === 0x0d) return null;
    if (code === 0x5c && isOneOf(text.charCodeAt(at + 1), 0x3c, 0x3e, 0x5c)) at += 1;
  }
  return null;
}

function readBare(text: string, start: number, end: number, limit: number): Destination | null {
  let depth = 0;
  let at = start;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === 0x7f) break;
    if (code === 0x28) {
      if (depth === limit) return null;
      depth += 1;
    } else if (code === 0x29) {
      if (depth === 0) break;
      depth -= 1;
    } else if (code === 0x5c && isOneOf(text.charCodeAt(at + 1), 0x28, 0x29, 0x5c)) at += 1;
  }
  const isEnded = at >= end || isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === 0x29;
  return depth === 0 && at > start && isEnded ? { target: { start, end: Math.min(at, end) }, end: Math.min(at, end) } : null;
}

function isOneOf(code: number, ...codes: readonly number[]): boolean {
  return codes.includes(code);
}
