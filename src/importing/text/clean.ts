import { wholeEnd } from '../../note/text.ts';

/** Longer titles are cut; a note's file name is shorter anyway. */
const MAX_TITLE_CHARACTERS = 500;
/** Line ends and control characters, stand-ins of links, and what turns the direction of a line, so that a name pretends to be another one. */
const NO_LINE = /[\p{Cc}\p{Zl}\p{Zp}\ue000-\ue002\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Returns a title or a name of a source as one line of text that no property takes for a link, and Templater for no order; `fallback` for one that is empty. */
export function cleanLine(text: unknown, fallback = ''): string {
  if (typeof text !== 'string') return fallback;
  const line = wellFormed(text)
    .replace(NO_LINE, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
    .replaceAll('[[', '[ [')
    .replaceAll('](', '] (')
    .replaceAll('<%', '< %');
  if (line === '') return fallback;
  return line.length <= MAX_TITLE_CHARACTERS ? line : `${line.slice(0, wholeEnd(line, MAX_TITLE_CHARACTERS - 1))}…`;
}

/** Returns a text of a source with LF line ends, and without characters that no text has, or that stand for links (`linkToken`). */
export function cleanText(text: string): string {
  return wellFormed(text)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]|[\ue000-\ue002]/gu, '\ufffd');
}

/** Returns a time of a source, as ISO 8601 UTC; undefined for what is none. Numbers are seconds since 1970. */
export function toTime(value: unknown): string | undefined {
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (!Number.isFinite(ms)) return undefined;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1900 || date.getUTCFullYear() > 9999 ? undefined : date.toISOString();
}

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
