import { bodyStartOf } from '../frontmatter/read-frontmatter.ts';
import type { BlockId, Heading, Link, TagUse } from '../note.ts';
import { readBlockId, readHeading } from './heading.ts';
import { continueContainer, cursorAt, isRule, nextNonspace, openContainer } from './containers.ts';
import type { Container, Cursor, OuterSink } from './containers.ts';
import { readDefinitions } from './definition.ts';
import { blankQuoteMarks } from './destination.ts';
import { htmlBlockEnd } from './html.ts';
import { InlineScanner } from './inline.ts';
import { continueOpaque, isOpaque } from './leaf.ts';
import type { Leaf, Paragraph } from './leaf.ts';
import { mathBlockEnd } from './math.ts';
import { cellsOf, countDelimiterCells, countHeadCells } from './table.ts';

/** The elements in the body of a note. */
export interface Scan {
  readonly links: readonly Link[];
  readonly tagUses: readonly TagUse[];
  readonly headings: readonly Heading[];
  readonly blocks: readonly BlockId[];
  /** False when only the authoritative reader can decide. */
  readonly isCertain: boolean;
  /** Why the text is beyond the authoritative reader; null when it is not. */
  readonly limit: 'too-nested' | 'too-large' | null;
}

/** Limits for the full parser, so that it does not block the thread for long. */
const LIMITS = { depth: 50, length: 256 * 1024, cost: 4_000_000 } as const;

/** Scans links, tags, headings and block ids in one pass, in linear time for any text. */
export function scan(text: string): Scan {
  return new BlockScanner(text, new InlineScanner()).scan();
}

/** Scans a body line by line. For blocks only, pass an inline scanner that reads nothing. */
export class BlockScanner {
  readonly #text: string;
  readonly #inline: InlineScanner;
  readonly #headings: Heading[] = [];
  readonly #blocks: BlockId[] = [];
  readonly #containers: Container[] = [];
  #leaf: Leaf | null = null;
  #isCertain = true;
  #isTooNested = false;
  #hasDefinitions = false;
  readonly #outer: OuterSink | null;

  constructor(text: string, inline: InlineScanner, outer: OuterSink | null = null) {
    this.#text = text;
    this.#inline = inline;
    this.#outer = outer;
  }

  scan(): Scan {
    const text = this.#text;
    const start = bodyStartOf(text);
    const hasReturns = text.includes('\r');
    let feed = -1;
    for (let from = start; from < text.length;) {
      if (feed < from) feed = text.indexOf('\n', from);
      if (feed === -1) feed = text.length;
      let end = feed;
      if (hasReturns) for (let at = from; at < end; at += 1) if (text.charCodeAt(at) === 0x0d) end = at;
      const isText = this.#readLine(from, end);
      this.#outer?.line({ start: from, end }, this.#containers[0], { isText, isInLeaf: this.#leaf !== null });
      from = text.startsWith('\r\n', end) ? end + 2 : end + 1;
    }
    this.#closeLeaf();
    const inline = this.#inline;
    const isLarge = text.length - start > LIMITS.length || inline.cost > LIMITS.cost;
    return {
      links: inline.links,
      tagUses: inline.tagUses,
      headings: this.#headings,
      blocks: this.#blocks,
      isCertain: this.#isCertain && inline.isCertain && !(this.#hasDefinitions && inline.mayBeReference),
      limit: this.#isTooNested ? 'too-nested' : isLarge ? 'too-large' : null,
    };
  }

  /** Reads a line; returns whether it is text and not code, HTML or math. */
  #readLine(start: number, end: number): boolean {
    const text = this.#text;
    const cursor = cursorAt(start, 0);
    let matched = 0;
    for (const container of this.#containers) {
      if (!continueContainer(text, cursor, end, container)) break;
      matched += 1;
    }
    const isWhole = matched === this.#containers.length;
    const leaf = this.#leaf;
    if (leaf && isOpaque(leaf)) {
      const goesOn = isWhole && continueOpaque(leaf, text, cursor, end);
      if (!goesOn || goesOn === 'last') this.#leaf = null;
      if (goesOn) return false;
    }
    const hasNew = this.#openContainers(cursor, end, matched);
    this.#readLeaf(cursor, end, { isLazy: !isWhole && !hasNew, matched, isQuoted: cursor.at > start });
    return !this.#isInOpaque();
  }

  #isInOpaque(): boolean {
    return this.#leaf !== null && (isOpaque(this.#leaf) || this.#leaf.kind === 'code');
  }

  #openContainers(cursor: Cursor, end: number, matched: number): boolean {
    let hasNew = false;
    // A number other than 1, or an empty item, starts a list only where no paragraph is open.
    const leaf = matched === this.#containers.length ? this.#leaf : null;
    const isInterrupting = leaf?.kind === 'paragraph';
    for (;;) {
      if (this.#containers.length - (hasNew ? 0 : this.#containers.length - matched) >= LIMITS.depth) {
        const probe = { ...cursor };
        if (openContainer(this.#text, probe, end, isInterrupting)) this.#isTooNested = true;
        return hasNew;
      }
      const container = openContainer(this.#text, cursor, end, isInterrupting);
      if (!container) return hasNew;
      if (!hasNew) {
        if (leaf?.kind === 'code' && container.kind === 'item') this.#isCertain = false;
        this.#closeLeaf();
        this.#containers.length = matched;
      }
      this.#containers.push(container);
      hasNew = true;
    }
  }

  #readLeaf(cursor: Cursor, end: number, line: { isLazy: boolean; matched: number; isQuoted: boolean }): void {
    const text = this.#text;
    const { at, indent } = nextNonspace(text, cursor, end);
    const paragraph = this.#leaf?.kind === 'paragraph' ? this.#leaf : null;
    if (at === end) {
      // Indented code continues after blank lines.
      if (this.#leaf?.kind !== 'code') this.#closeLeaf();
      if (line.isLazy) this.#leave(line);
      return;
    }
    if (indent >= 4) {
      // Text here, but the full parser's tree does not distinguish such a `>` from a quote mark.
      if (paragraph && text.charCodeAt(at) === 0x3e) this.#isCertain = false;
      if (paragraph) return this.#extend(paragraph, at, end, { indent, isQuoted: line.isQuoted });
      this.#leave(line);
      this.#leaf = { kind: 'code' };
      return;
    }
    const code = text.charCodeAt(at);
    if (this.#startsBlock(code, at, end, { paragraph, ...line })) return;
    if (paragraph) {
      const isTable = !line.isLazy && (code === 0x7c || code === 0x2d || code === 0x3a) && this.#startTable(paragraph, at, end);
      if (!isTable) this.#extend(paragraph, at, end, { indent, isQuoted: line.isQuoted });
    } else if (this.#leaf?.kind === 'table' && !line.isLazy) this.#readRow(at, end);
    else {
      this.#leave(line);
      this.#leaf = { kind: 'paragraph', start: at, end, lastStart: at, lastIndent: indent, isQuoted: false };
    }
  }

  /** Reads a heading, rule, or the first line of code, HTML or math; false when the line is text. */
  #startsBlock(code: number, at: number, end: number, line: { paragraph: Leaf | null; isLazy: boolean; matched: number }): boolean {
    const text = this.#text;
    const { paragraph } = line;
    if (code === 0x23) {
      if (!/^#{1,6}(?:[ \t]|$)/.test(text.slice(at, Math.min(end, at + 8)))) return false;
      this.#leave(line);
      const { heading, block } = readHeading(text, { start: at, end });
      this.#addHeading(heading, block);
      this.#inline.read(text, heading.start + heading.level, heading.end, 0);
      return true;
    }
    if (code === 0x60 || code === 0x7e) {
      const mark = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(text.slice(at, end))?.[0];
      if (mark === undefined) return false;
      this.#leave(line);
      this.#outer?.fence?.({ start: at, end }, mark);
      this.#leaf = { kind: 'fence', mark };
      return true;
    }
    if (code === 0x24) {
      const close = mathBlockEnd(text, at);
      if (close === -1) return false;
      this.#leave(line);
      this.#leaf = { kind: 'math', end: close };
      return true;
    }
    if (code === 0x3c) {
      const rest = text.slice(at, end);
      const close = htmlBlockEnd(rest, { mayBeLoneTag: paragraph === null || line.isLazy });
      if (close === null) return false;
      // On a lazy line the full parser ends such a block early.
      if (line.isLazy && close === 'blank') this.#isCertain = false;
      this.#leave(line);
      this.#outer?.html?.();
      this.#leaf = close !== 'blank' && close.test(rest) ? null : { kind: 'html', end: close };
      return true;
    }
    if (
      (code === 0x3d || code === 0x2d) &&
      paragraph?.kind === 'paragraph' &&
      !line.isLazy &&
      /^(?:=+|-+)[ \t]*$/.test(text.slice(at, end))
    ) {
      this.#readSetext(paragraph, end);
      return true;
    }
    if (!isRule(text, at, end)) return false;
    this.#leave(line);
    return true;
  }

  #readSetext(paragraph: Paragraph, end: number): void {
    const text = this.#text;
    // A paragraph of definitions has no text for a heading; rare enough for the full parser.
    if (text.charCodeAt(paragraph.start) === 0x5b && text.slice(paragraph.start, paragraph.end).includes(']:')) this.#isCertain = false;
    const { heading, block } = readHeading(text, { start: paragraph.start, end });
    this.#addHeading(heading, block);
    this.#readText(paragraph);
    this.#leaf = null;
  }

  #addHeading(heading: Heading, block: BlockId | null): void {
    this.#headings.push(heading);
    if (this.#containers.length === 0) this.#outer?.heading(heading);
    if (block) this.#blocks.push(block);
  }

  #startTable(paragraph: Paragraph, at: number, end: number): boolean {
    const text = this.#text;
    const cells = countDelimiterCells(text.slice(at, end));
    if (cells === 0 || paragraph.lastIndent > 3 || countHeadCells(text, paragraph.lastStart, paragraph.end) !== cells) return false;
    const head = { start: paragraph.lastStart, end: paragraph.end };
    if (paragraph.lastStart > paragraph.start) {
      const before = text.slice(paragraph.start, paragraph.lastStart).replace(/(?:\r\n|\r|\n)[ \t>]*$/, '');
      this.#readParagraph({ ...paragraph, end: paragraph.start + before.length });
    }
    this.#leaf = { kind: 'table' };
    this.#readRow(head.start, head.end);
    return true;
  }

  #readRow(start: number, end: number): void {
    for (const cell of cellsOf(this.#text, start, end)) this.#inline.read(this.#text, cell.start, cell.end, 0);
    const block = readBlockId(this.#text, { start, end });
    if (block) this.#blocks.push(block);
  }

  #extend(paragraph: Paragraph, at: number, end: number, line: { indent: number; isQuoted: boolean }): void {
    paragraph.lastStart = at;
    paragraph.lastIndent = line.indent;
    paragraph.end = end;
    if (line.isQuoted) paragraph.isQuoted = true;
  }

  /** Closes open blocks before another starts: a lazy line leaves the containers that it did not continue. */
  #leave(line: { isLazy: boolean; matched: number }): void {
    this.#closeLeaf();
    if (line.isLazy) this.#containers.length = line.matched;
  }

  #closeLeaf(): void {
    const leaf = this.#leaf;
    this.#leaf = null;
    if (leaf?.kind === 'paragraph') this.#readParagraph(leaf);
  }

  #readParagraph(paragraph: Paragraph): void {
    if (this.#containers.length === 0) this.#outer?.paragraph(paragraph);
    let { start } = paragraph;
    if (this.#text.charCodeAt(start) === 0x5b) {
      const source = paragraph.isQuoted ? blankQuoteMarks(this.#text.slice(start, paragraph.end)) : this.#text.slice(start, paragraph.end);
      const definitions = readDefinitions(source, start);
      if (definitions.end > 0) {
        this.#hasDefinitions = true;
        for (const link of definitions.links) this.#inline.links.push(link);
        if (!definitions.isCertain) this.#isCertain = false;
        start += definitions.end;
      }
    }
    if (start >= paragraph.end) return;
    this.#readText({ ...paragraph, start });
    const block = readBlockId(this.#text, { start, end: paragraph.end });
    if (block) this.#blocks.push(block);
  }

  #readText({ start, end, isQuoted }: { start: number; end: number; isQuoted: boolean }): void {
    if (isQuoted) this.#inline.read(blankQuoteMarks(this.#text.slice(start, end)), 0, end - start, start);
    else this.#inline.read(this.#text, start, end, 0);
  }
}
