import type { Nodes, Parents } from 'mdast';
import type { BlockId, Heading, Link, Span, TagUse } from '../note.ts';
import { readBlockId, readHeading } from './heading.ts';
import { blankQuoteMarks, readDestination, readResource } from './destination.ts';
import { skipSpace } from '../text.ts';
import { decodeDestination } from './link-text.ts';
import { parseMarkdown } from './markdown-tree.ts';
import { scan } from './scan.ts';
import type { Scan } from './scan.ts';
import { tagEnd } from './tag.ts';
import { readWikilink } from './wikilink.ts';

/**
 * The authoritative reader, with a full Markdown parser. Slow (seconds for some MB), so texts beyond the limits of `scan` are returned as
 * the scanner reads them, with the limit named.
 */
export function readMarkdown(text: string): Scan {
  const scanned = scan(text);
  return scanned.limit === null ? new TreeReader(text).read() : scanned;
}

type Node = Nodes | { readonly type: 'wikiLink'; readonly position?: Nodes['position'] };

class TreeReader {
  readonly #text: string;
  readonly #bom: number;
  readonly #links: Link[] = [];
  readonly #tagUses: TagUse[] = [];
  readonly #headings: Heading[] = [];
  readonly #blocks: BlockId[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#bom = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  read(): Scan {
    // Explicit stack, since the tree may be deeper than the call stack.
    const open: { readonly node: Node; readonly inLabel: boolean; readonly inQuote: boolean; readonly startsText: boolean }[] = [
      { node: parseMarkdown(this.#text), inLabel: false, inQuote: false, startsText: true },
    ];
    for (let next = open.pop(); next; next = open.pop()) {
      const { node, inLabel } = next;
      this.#readNode(node, next);
      if (!('children' in node)) continue;
      const isLabel = inLabel || ((node.type === 'link' || node.type === 'linkReference') && !holdsLink(node));
      const isQuote = next.inQuote || node.type === 'blockquote';
      node.children.forEach((child, index) => {
        const before = node.children[index - 1];
        const startsText = before?.type !== 'link' || !this.#isBareUrl(before);
        open.push({ node: child, inLabel: isLabel, inQuote: isQuote, startsText });
      });
    }
    return {
      links: this.#links.sort(byStart),
      tagUses: this.#tagUses.sort(byStart),
      headings: this.#headings.sort(byStart),
      blocks: this.#blocks.sort(byStart),
      isCertain: true,
      limit: null,
    };
  }

  #readNode(node: Node, context: { readonly inLabel: boolean; readonly inQuote: boolean; readonly startsText: boolean }): void {
    const span = this.#spanOf(node);
    if (!span) return;
    switch (node.type) {
      case 'wikiLink':
        this.#links.push(readWikilink(this.#text, span));
        break;
      case 'link':
        if (!this.#isLiteral(node) && !holdsLink(node))
          this.#readLink(span, { kind: 'link', url: node.url, from: this.#lastChildEnd(node) });
        break;
      case 'image':
        this.#readLink(span, { kind: 'embed', url: node.url, from: span.start + 2 });
        break;
      case 'definition':
        this.#readDefinition(span, node.url);
        break;
      case 'text':
        if (!context.inLabel) this.#readTags(span, context);
        break;
      case 'heading': {
        const { heading, block } = readHeading(this.#text, span);
        this.#headings.push(heading);
        if (block) this.#blocks.push(block);
        break;
      }
      case 'paragraph':
      case 'tableRow': {
        const block = readBlockId(this.#text, span);
        if (block) this.#blocks.push(block);
        break;
      }
      default:
    }
  }

  #spanOf(node: Node): Span | null {
    const start = node.position?.start.offset;
    const end = node.position?.end.offset;
    return start === undefined || end === undefined ? null : { start: start + this.#bom, end: end + this.#bom };
  }

  /** Returns whether a link is a bare GFM URL or an autolink in angle brackets, without a label. */
  #isLiteral(node: Node): boolean {
    const span = this.#spanOf(node);
    return span === null || this.#text.charCodeAt(span.start) !== 0x5b;
  }

  #isBareUrl(node: Node): boolean {
    const first = this.#text.charCodeAt(this.#spanOf(node)?.start ?? 0);
    return first !== 0x5b && first !== 0x3c;
  }

  #lastChildEnd(node: Parents): number {
    const last = node.children.at(-1);
    const end = last && this.#spanOf(last)?.end;
    return end ?? (this.#spanOf(node)?.start ?? 0) + 1;
  }

  #readLink(span: Span, { kind, url, from }: { kind: 'link' | 'embed'; url: string; from: number }): void {
    const link = decodeDestination(url);
    if (link === null) return;
    const source = blankQuoteMarks(this.#text.slice(span.start, span.end));
    // The tree has no end of the label; it is at the `](` whose resource ends with the link.
    for (let at = source.indexOf('](', from - span.start); at !== -1; at = source.indexOf('](', at + 1)) {
      const resource = readResource(source, at + 1, source.length);
      if (resource?.end !== source.length || !resource.target) continue;
      this.#links.push({ kind, form: 'markdown', link, ...span, target: shift(resource.target, span.start) });
      return;
    }
  }

  #readDefinition(span: Span, url: string): void {
    const link = decodeDestination(url);
    if (link === null) return;
    const source = blankQuoteMarks(this.#text.slice(span.start, span.end));
    const label = /^\[(?:[^[\]\\]|\\[^])*\]:/.exec(source)?.[0];
    if (label === undefined) return;
    const destination = readDestination(source, skipSpace(source, label.length, source.length), source.length);
    if (!destination) return;
    const end = span.start + source.replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '').length;
    this.#links.push({ kind: 'link', form: 'reference', link, start: span.start, end, target: shift(destination.target, span.start) });
  }

  #readTags({ start, end }: Span, context: { readonly inQuote: boolean; readonly startsText: boolean }): void {
    const text = this.#text;
    for (let at = text.indexOf('#', start); at !== -1 && at < end; at = text.indexOf('#', at + 1)) {
      if (!this.#mayStartTag(at, start, context)) continue;
      const stop = tagEnd(text, at, end);
      if (stop === -1) continue;
      this.#tagUses.push({ tag: text.slice(at + 1, stop), start: at, end: stop });
      at = stop - 1;
    }
  }

  /**
   * Returns whether a tag may start here: at the start of a text, or after white space or an escaped character. Quote marks are not text.
   */
  #mayStartTag(at: number, start: number, { inQuote, startsText }: { readonly inQuote: boolean; readonly startsText: boolean }): boolean {
    if (at === start) return startsText;
    const before = this.#text.slice(Math.max(start, at - 200), at);
    if (isEscape(before)) return true;
    return /\s$/.test(before) || (inQuote && /[\r\n][ \t]*(?:>[ \t]*)+$/.test(before));
  }
}

/** Whether a text ends with a backslash escape. */
function isEscape(text: string): boolean {
  const slashes = /(?<!\\)(\\+)[!-/:-@[-`{-~]$/.exec(text)?.[1];
  return slashes !== undefined && slashes.length % 2 === 1;
}

/** Links do not nest: a label that contains a wikilink is text. */
function holdsLink(node: Parents): boolean {
  const open: Node[] = [...node.children];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.type === 'wikiLink') {
      if (!('value' in next) || !isEmbedNode(next)) return true;
    } else if ('children' in next) for (const child of next.children) open.push(child);
  }
  return false;
}

function isEmbedNode(node: Node): boolean {
  const { position } = node;
  const length = (position?.end.offset ?? 0) - (position?.start.offset ?? 0);
  const value = 'value' in node && typeof node.value === 'string' ? node.value : '';
  return length === value.length + 5;
}

function shift(span: Span, by: number): Span {
  return { start: span.start + by, end: span.end + by };
}

function byStart(a: Span, b: Span): number {
  return a.start - b.start;
}
