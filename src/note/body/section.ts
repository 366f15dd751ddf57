import { bodyStartOf } from '../frontmatter/read-frontmatter.ts';
import type { Span } from '../note.ts';
import { lineEnd, nextLine } from '../text.ts';

/** One list entry of a body section. */
interface SectionEntry extends Span {
  /** The text after the bullet, trimmed. */
  readonly line: string;
  readonly textStart: number;
  readonly textEnd: number;
}

/** A body section that roux writes: its heading and the list entries below it, up to the next heading. */
export interface BodySection {
  readonly heading: Span;
  readonly entries: readonly SectionEntry[];
  readonly end: number;
}

/** The first section of this name in the body, read line by line outside code, comments and HTML; null when there is none. */
export function readBodySection(text: string, name: string): BodySection | null {
  if (!text.includes(name)) return null;
  let heading: Span | null = null;
  let end = text.length;
  const entries: { start: number; end: number; textStart: number }[] = [];
  let open: OpenBlock | null = null;
  let isListOpen = false;
  let inParagraph = false;
  for (let start = bodyStartOf(text); start < text.length;) {
    const stop = lineEnd(text, start);
    const line = text.slice(start, stop);
    const wasOpen: boolean = open !== null;
    open = open === null ? openedBy(line, inParagraph) : open.isClosedBy(line) ? null : open;
    inParagraph = !wasOpen && open === null && line.trim() !== '' && !/^ {0,3}(?:#{1,6}(?:[ \t]|$)|`{3}|~{3}|<!--)/.test(line);
    if (!wasOpen && open === null) {
      const title = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line);
      if (title !== null && heading !== null && (title[1] ?? '').length <= 2) {
        end = start;
        break;
      }
      if (title !== null && heading === null && title[1] === '##' && title[2] === name) heading = { start, end: stop };
      else if (heading !== null) {
        const bullet = /^[-*+][ \t]+(?=\S)/.exec(line)?.[0];
        if (bullet !== undefined) {
          entries.push({ start, end: stop, textStart: start + bullet.length });
          isListOpen = true;
        } else if (line.trim() === '' || !/^\s/.test(line)) isListOpen = false;
        else if (isListOpen) extend(entries, stop);
      }
    } else if (isListOpen && /^\s/.test(line)) extend(entries, stop);
    start = nextLine(text, stop);
    if (stop === text.length) break;
  }
  if (heading === null) return null;
  return { heading, end, entries: entries.map((entry) => withLine(text, entry)) };
}

function extend(entries: { end: number }[], end: number): void {
  const last = entries.at(-1);
  if (last !== undefined) last.end = end;
}

function withLine(text: string, entry: { start: number; end: number; textStart: number }): SectionEntry {
  const raw = text.slice(entry.textStart, entry.end);
  const line = raw.trim();
  return { ...entry, line, textEnd: entry.textStart + raw.trimEnd().length };
}

/** A block in which headings and bullets are only text. */
interface OpenBlock {
  readonly isClosedBy: (line: string) => boolean;
}

function openedBy(line: string, inParagraph: boolean): OpenBlock | null {
  const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) {
    return { isClosedBy: (next) => /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(next)?.[1]?.startsWith(fence) ?? false };
  }
  const isComment = /^ {0,3}<!--/.test(line);
  if (isComment) return line.includes('-->') ? null : { isClosedBy: (next) => next.includes('-->') };
  const raw = RAW_HTML.exec(line)?.[1]?.toLowerCase();
  if (raw !== undefined) {
    const isClosedBy = (next: string): boolean => next.toLowerCase().includes(`</${raw}>`);
    return isClosedBy(line) ? null : { isClosedBy };
  }
  return BLOCK_HTML.test(line) || (!inParagraph && LONE_TAG.test(line)) ? { isClosedBy: (next) => next.trim() === '' } : null;
}

// CommonMark's HTML blocks: up to the closing tag, and up to a blank line.
const RAW_HTML = /^ {0,3}<(pre|script|style|textarea)(?:[\s>]|$)/i;
const BLOCK_HTML =
  /^ {0,3}<\/?(?:address|article|aside|base|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|option|p|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)(?:[\s>]|\/>|$)/i;
const LONE_TAG = /^ {0,3}<(?:\/[a-z][a-z\d-]*\s*|[a-z][a-z\d-]*(?:\s[^<>]*)?\/?)>[ \t]*$/i;
