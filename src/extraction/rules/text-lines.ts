import { InlineScanner } from '../../note/markdown/inline.ts';
import { BlockScanner } from '../../note/markdown/scan.ts';

import type { Container, LineState, OuterSink } from '../../note/markdown/containers.ts';
import type { Heading, Link, Span } from '../../note/note.ts';

/** A line of text outside of code, HTML and math, without the markers of quotes and lists before it. */
export interface TextLine extends Span {
  readonly text: string;
  /** The columns before the list marker or the text. */
  readonly indent: number;
  readonly isItem: boolean;
  /** The heading of the line's section, or null. Headings themselves are not lines. */
  readonly heading: Heading | null;
}

export interface TextLines {
  readonly lines: readonly TextLine[];
  readonly links: readonly Link[];
  readonly headings: readonly Heading[];
}

/** Splits a body into lines, in one linear pass. */
export function readTextLines(body: string): TextLines {
  const sink = new Collector(body);
  const { links } = new BlockScanner(body, new InlineScanner(), sink).scan();
  return { lines: sink.lines, links, headings: sink.headings };
}

class Collector implements OuterSink {
  readonly lines: TextLine[] = [];
  readonly headings: Heading[] = [];
  readonly #body: string;

  constructor(body: string) {
    this.#body = body;
  }

  heading(heading: Heading): void {
    this.headings.push(heading);
  }

  paragraph(): void {}

  line({ start, end }: Span, _: Container | undefined, { isText }: LineState): void {
    const raw = this.#body.slice(start, end);
    const heading = this.headings.at(-1) ?? null;
    if (!isText || raw.trim() === '' || (heading !== null && heading.start >= start)) return;
    const marks = /^[ \t>]*/.exec(raw)?.[0] ?? '';
    const bullet = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/.exec(raw.slice(marks.length))?.[0] ?? '';
    this.lines.push({
      start,
      end,
      text: raw.slice(marks.length + bullet.length).trim(),
      indent: marks.replaceAll('\t', '    ').length,
      isItem: bullet !== '',
      heading,
    });
  }
}

/** Returns the text and language of a body that is a single fenced block; null if it contains anything else. */
export function readOnlyFence(body: string): { readonly language: string; readonly text: string } | null {
  const lines = body.trim().split(/\r\n|[\r\n]/);
  const [, mark, info] = /^(`{3,}|~{3,})(.*)$/s.exec(lines[0] ?? '') ?? [];
  if (mark === undefined || info === undefined || info.includes('`') || lines.length < 2) return null;
  const language = /^[\w+-]*/.exec(info.trimStart())?.[0] ?? '';
  const closes = (line: string): boolean => line.startsWith(mark) && /^(?:`+|~+)[ \t]*$/.test(line);
  return lines.findIndex((line, index) => index > 0 && closes(line)) === lines.length - 1
    ? { language: language.toLowerCase(), text: lines.slice(1, -1).join('\n') }
    : null;
}
