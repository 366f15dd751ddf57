import { bodyStartOf, findFrontmatter } from './frontmatter.ts';
import type { Span } from './note.ts';
import { lineEnd, nextLine } from './text-lines.ts';

/** One list entry of a body section. */
export interface SectionEntry extends Span {
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

/** The first section of this name in the body, read line by line outside code fences and comments; null when there is none. */
export function readBodySection(text: string, name: string): BodySection | null {
  let heading: Span | null = null;
  let end = text.length;
  const entries: { start: number; end: number; textStart: number }[] = [];
  let open: { kind: 'fence' | 'comment'; mark: string } | null = null;
  let isListOpen = false;
  for (let start = bodyStartOf(text, findFrontmatter(text)?.block ?? null); start < text.length;) {
    const stop = lineEnd(text, start);
    const line = text.slice(start, stop);
    const wasOpen: boolean = open !== null;
    open = nextOpen(open, line);
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

function nextOpen(
  open: { kind: 'fence' | 'comment'; mark: string } | null,
  line: string,
): { kind: 'fence' | 'comment'; mark: string } | null {
  if (open?.kind === 'fence') {
    const close = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
    return close !== undefined && close.startsWith(open.mark) ? null : open;
  }
  if (open?.kind === 'comment') return line.includes('-->') ? null : open;
  const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) return { kind: 'fence', mark: fence };
  const comment = /^ {0,3}<!--/.exec(line);
  return comment !== null && !line.includes('-->') ? { kind: 'comment', mark: '-->' } : null;
}
