import type { Link, Span } from '../note.ts';

/** Longest text between `[[` and `]]` that is a link; a longer one is an unclosed bracket. */
const MAX_WIKILINK_CHARACTERS = 2000;

/** Reads the wikilink or embed at `span`, which includes brackets and `!`: its parts and the position of its target. */
export function readWikilink(text: string, span: Span): Link {
  const isEmbed = text.charCodeAt(span.start) === 0x21;
  const from = span.start + (isEmbed ? 3 : 2);
  const to = span.end - 2;
  const inner = text.slice(from, to);
  const pipe = inner.indexOf('|');
  // In a table the pipe is written `\|`; the backslash belongs to neither part. An empty part before it is not split off.
  const before = pipe === -1 ? inner : inner.slice(0, inner.charCodeAt(pipe - 1) === 0x5c ? pipe - 1 : pipe);
  const isSplit = pipe !== -1 && before.trim() !== '';
  const target = isSplit ? before : inner;
  const link = target.trim();
  const start = from + (target.length - target.trimStart().length);
  const kind = isEmbed ? 'embed' : 'link';
  const targetSpan = { start, end: start + link.length };
  // Two literals, since spreading objects is several times slower and there is one per link of a vault.
  return isSplit
    ? { kind, form: 'wikilink', link, alias: inner.slice(pipe + 1), start: span.start, end: span.end, target: targetSpan }
    : { kind, form: 'wikilink', link, start: span.start, end: span.end, target: targetSpan };
}

/**
 * Returns the end, including brackets, of the wikilink that opens at `open`; -1 when it is none: empty, across a line end, with `[[` or a
 * single `]` inside, or too long.
 */
export function wikilinkEnd(text: string, open: number, end: number): number {
  const limit = Math.min(end, open + 2 + MAX_WIKILINK_CHARACTERS + 1);
  let hasText = false;
  for (let at = open + 2; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5d) return hasText && at + 1 < end && text.charCodeAt(at + 1) === 0x5d ? at + 2 : -1;
    if (code === 0x5b && (at === open + 2 || text.charCodeAt(at + 1) === 0x5b)) return -1;
    if (code === 0x0a || code === 0x0d) return -1;
    if (code !== 0x20 && code !== 0x09) hasText = true;
  }
  return -1;
}
