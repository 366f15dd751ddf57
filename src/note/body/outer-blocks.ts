import type { Container } from '../markdown/containers.ts';
import { InlineScanner } from '../markdown/inline.ts';
import { BlockScanner } from '../markdown/scan.ts';
import type { OuterSink } from '../markdown/containers.ts';
import type { Heading, Span } from '../note.ts';

/** The top-level blocks of a body, each kind in order. */
export interface OuterBlocks {
  readonly headings: readonly Heading[];
  /** List items, from the start of their first line to the end of their last non-blank one. */
  readonly items: readonly Span[];
  readonly paragraphs: readonly Span[];
}

/** Reads the top-level blocks by CommonMark's block structure, without inline content. Linear for any text. */
export function readOuterBlocks(text: string): OuterBlocks {
  const blocks = new Collector(text);
  new BlockScanner(text, new NoInline(), blocks).scan();
  return blocks;
}

/**
 * Returns the starts of lines before which no block is open, in order: text from there on is parsed as if it started there, and text above
 * is parsed the same whatever follows, as long as the line remains one of these.
 */
export function freshLines(text: string): readonly number[] {
  const starts: number[] = [];
  let isFresh = true;
  new BlockScanner(text, new NoInline(), {
    heading: () => undefined,
    paragraph: () => undefined,
    line: ({ start }, outer, { isInLeaf }) => {
      if (isFresh) starts.push(start);
      isFresh = outer === undefined && !isInLeaf;
    },
  }).scan();
  return starts;
}

/** Skips inline content, for a scan of blocks alone. */
export class NoInline extends InlineScanner {
  override read(): void {}
}

class Collector implements OuterSink {
  readonly headings: Heading[] = [];
  readonly items: { start: number; end: number }[] = [];
  readonly paragraphs: Span[] = [];
  readonly #text: string;
  #open: Container | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  heading(heading: Heading): void {
    this.headings.push(heading);
  }

  paragraph({ start, end }: Span): void {
    this.paragraphs.push({ start, end });
  }

  line({ start, end }: Span, outer: Container | undefined): void {
    const item = outer?.kind === 'item' ? outer : null;
    const isNew = item !== this.#open;
    this.#open = item;
    if (item === null || !this.#hasText(start, end)) return;
    const last = this.items.at(-1);
    if (isNew || last === undefined) this.items.push({ start, end });
    else last.end = end;
  }

  /** Returns whether a line holds more than white space. Mostly its first character tells. */
  #hasText(start: number, end: number): boolean {
    const code = this.#text.charCodeAt(start);
    return (start < end && code > 0x20 && code < 0x80) || this.#text.slice(start, end).trim() !== '';
  }
}
