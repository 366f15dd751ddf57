import type { Link, TagUse } from '../note.ts';
import { isPunctuation } from '../text.ts';
import { readResource } from './destination.ts';
import { inlineHtmlEnd } from './html.ts';
import { decodeDestination } from './link-text.ts';
import { inlineMathEnd } from './math.ts';
import { mayHoldEmphasis, tagEnd } from './tag.ts';
import { readWikilink, wikilinkEnd } from './wikilink.ts';

/** An open `[` or `![`, with the numbers of links and tags before it. */
interface Bracket {
  readonly at: number;
  readonly isImage: boolean;
  readonly links: number;
  readonly tags: number;
}

/** The open brackets of a block. As plain numbers, since a text may have a million of them. */
class OpenBrackets {
  readonly #numbers: number[] = [];
  /** Links do not nest: this many of the first brackets contain one and can only become images. */
  #inactive = 0;

  get length(): number {
    return this.#numbers.length / 3;
  }

  push({ at, isImage, links, tags }: Bracket): void {
    this.#numbers.push(isImage ? -at - 1 : at, links, tags);
  }

  /** Removes the last bracket; returns null if there is none, or if it cannot become a link. */
  pop(): Bracket | null {
    const [tags, links, place] = [this.#numbers.pop(), this.#numbers.pop(), this.#numbers.pop()];
    if (place === undefined || links === undefined || tags === undefined) return null;
    const isActive = place < 0 || this.length >= this.#inactive;
    this.#inactive = Math.min(this.#inactive, this.length);
    return isActive ? { at: place < 0 ? -place - 1 : place, isImage: place < 0, links, tags } : null;
  }

  /** Records that a link was found inside of all open brackets. */
  deactivate(): void {
    this.#inactive = this.length;
  }
}

/** Characters at which a construct can start or end. Most others are passed by the engine of expressions, which needs no warming up. */
const SPECIAL = /[\\`<[\]!#$:.@]/g;

/** Scans the text of blocks for links and tags. */
export class InlineScanner {
  readonly links: Link[] = [];
  readonly tagUses: TagUse[] = [];
  isCertain = true;
  /** Whether there is a bracket pair that may name a definition. */
  mayBeReference = false;
  /** Estimated cost of a full parser. */
  cost = 0;
  /** Offset up to which the present block was scanned for the end of a URL. */
  #checked = 0;
  /** The text that was searched beyond the end of a block, and the range at whose end is its next special character. */
  #searched: readonly [text: string, from: number, found: number] = ['', 0, -1];

  /** Scans `text` from `start` to `end`; `base` is the offset of `text` in the note. */
  read(text: string, start: number, end: number, base: number): void {
    const brackets = new OpenBrackets();
    this.#checked = 0;
    /** End of the last construct, which a tag may follow. */
    let after = start;
    let lastTag = -1;
    let specials = 0;
    /** Kinds of HTML that have no end in this block. */
    let unclosed = '';
    // Made when needed, as most blocks have none.
    let codeSpans: CodeSpans | null = null;
    for (let at = this.#nextSpecial(text, start, end); at < end; at = this.#nextSpecial(text, at + 1, end)) {
      const code = text.charCodeAt(at);
      specials += 1;
      /** End of the construct that starts or ends here; -1 if there is none. */
      let stop = -1;
      switch (code) {
        case 0x5c:
          if (at + 1 < end && isPunctuation(text.charCodeAt(at + 1))) stop = at + 2;
          break;
        case 0x60: {
          let run = at + 1;
          while (run < end && text.charCodeAt(run) === 0x60) run += 1;
          codeSpans ??= new CodeSpans(text, end);
          stop = codeSpans.endOf(run, run - at);
          if (stop === -1) at = run - 1;
          else this.pass('code', text.slice(at, stop), base + at);
          break;
        }
        case 0x3c: {
          const kind = text.slice(at, at + 3);
          if (unclosed !== '' && unclosed.includes(kind)) break;
          stop = inlineHtmlEnd(text, at, end);
          if (stop !== -1) this.pass('html', text.slice(at, stop), base + at);
          else if (kind.startsWith('<!') || kind.startsWith('<?')) unclosed += `${kind}\n`;
          break;
        }
        case 0x24:
          stop = inlineMathEnd(text, at, end);
          break;
        case 0x21:
        case 0x5b: {
          const isImage = code === 0x21;
          const open = isImage ? at + 1 : at;
          if (isImage && (open >= end || text.charCodeAt(open) !== 0x5b)) break;
          stop = text.charCodeAt(open + 1) === 0x5b ? wikilinkEnd(text, open, end) : -1;
          if (stop === -1) {
            brackets.push({ at, isImage, links: this.links.length, tags: this.tagUses.length });
            at = open;
          } else {
            this.#add(readWikilink(text, { start: at, end: stop }), base);
            if (!isImage) brackets.deactivate();
          }
          break;
        }
        case 0x5d:
          stop = this.#closeBracket(text, at, { end, base, brackets });
          break;
        case 0x23: {
          const tagStop = this.#readTag(text, at, { end, base, after });
          if (tagStop === -1) break;
          lastTag = tagStop;
          at = tagStop - 1;
          break;
        }
        case 0x3a:
          if (brackets.length === 0 && text.startsWith('//', at + 1) && /https?$/i.test(text.slice(Math.max(start, at - 5), at)))
            this.#checkUrl(text, at, end);
          break;
        case 0x2e:
          if (brackets.length === 0 && /www$/i.test(text.slice(Math.max(start, at - 3), at))) this.#checkUrl(text, at, end);
          break;
        case 0x40:
          if (lastTag !== -1 && !/\s/.test(text.slice(lastTag, at))) this.isCertain = false;
          lastTag = -1;
          break;
        default:
      }
      if (stop !== -1) {
        after = stop;
        at = stop - 1;
      }
    }
    this.cost += specials * (end - start);
  }

  /** Returns the offset of the next special character, else of the end of the text. All blocks search one text once, quotes their own. */
  #nextSpecial(text: string, at: number, end: number): number {
    const [searched, from, next] = this.#searched;
    if (from <= at && at <= next && searched === text) return next;
    SPECIAL.lastIndex = at;
    const found = SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : text.length;
    if (end < text.length) this.#searched = [text, at, found];
    return found;
  }

  /** Reads the link that ends with the label's bracket at `at` and a destination. Returns its end; -1 if there is none. */
  #closeBracket(
    text: string,
    at: number,
    { end, base, brackets }: { readonly end: number; readonly base: number; readonly brackets: OpenBrackets },
  ): number {
    const bracket = brackets.pop();
    if (!bracket) return -1;
    const isFootnote = text.charCodeAt(bracket.at + 1) === 0x5e;
    const resource = at + 1 < end && text.charCodeAt(at + 1) === 0x28 ? readResource(text, at + 1, end) : null;
    if (!resource) {
      const holdsSome = this.links.length > bracket.links || this.tagUses.length > bracket.tags;
      if (holdsSome || brackets.length > 0 || isFootnote || text.charCodeAt(at + 1) === 0x5b) this.mayBeReference = true;
      return -1;
    }
    if (isFootnote || (bracket.isImage && this.links.length > bracket.links)) this.isCertain = false;
    this.tagUses.length = bracket.tags;
    if (resource.target) {
      const raw = text.slice(resource.target.start, resource.target.end);
      if (/&#?\w+;/.test(raw)) this.isCertain = false;
      const link = decodeDestination(raw.includes('\\') ? raw.replace(/\\([!-/:-@[-`{-~])/g, '$1') : raw);
      const kind = bracket.isImage ? 'embed' : 'link';
      const span = { start: bracket.at, end: resource.end, target: resource.target };
      if (link !== null) this.#insert({ kind, form: 'markdown', link, ...span }, base, bracket.links);
    }
    if (bracket.isImage) this.pass('image', text.slice(bracket.at, resource.end), base + bracket.at);
    else brackets.deactivate();
    return resource.end;
  }

  /** Called for code, HTML and images as they are passed; `source` without marks of quotes. */
  protected pass(_kind: 'code' | 'html' | 'image', _source: string, _start: number): void {}

  /** Reads a tag at `at`. `after`: the end of the last construct, which a tag may follow. Returns its end; -1 if there is none. */
  #readTag(
    text: string,
    at: number,
    { end, base, after }: { readonly end: number; readonly base: number; readonly after: number },
  ): number {
    const stop = tagEnd(text, at, end);
    if (stop === -1) return -1;
    const before = text.charCodeAt(at - 1);
    if (at !== after && !isSpace(before, text, at)) {
      // Only the full parser can tell whether emphasis or a reference ends here.
      if (before === 0x2a || before === 0x5f || before === 0x7e || before === 0x5d) this.isCertain = false;
      return -1;
    }
    const tag = text.slice(at + 1, stop);
    if (mayHoldEmphasis(tag) || text.startsWith('://', stop) || (text.startsWith('.', stop) && /www$/i.test(tag))) this.isCertain = false;
    this.tagUses.push({ tag, start: base + at, end: base + stop });
    return stop;
  }

  /** Checks for a bare URL, which hides syntax inside it by rules of the full parser. */
  #checkUrl(text: string, at: number, end: number): void {
    if (at < this.#checked) return;
    for (let index = at + 1; index < end; index += 1) {
      this.#checked = index;
      const code = text.charCodeAt(index);
      if (code <= 0x20 || code === 0x3c) return;
      if (code === 0x5b || code === 0x60 || code === 0x24 || code === 0x5c) {
        this.isCertain = false;
        return;
      }
    }
  }

  #add(link: Link, base: number): void {
    this.links.push(base === 0 ? link : shiftLink(link, base));
  }

  /** A link that contains others (images in its label) is inserted before them. */
  #insert(link: Link, base: number, index: number): void {
    this.links.splice(index, 0, shiftLink(link, base));
  }
}

function shiftLink(link: Link, by: number): Link {
  const { start, end, target } = link;
  return { ...link, start: start + by, end: end + by, target: { start: target.start + by, end: target.end + by } };
}

/** Runs of backticks of this many lengths are searched for to the end of the block without success; then all runs are listed, once. */
const MAX_SEARCHED_LENGTHS = 4;

/** Finds the ends of code spans in a block, asked from left to right, in linear time. */
class CodeSpans {
  readonly #text: string;
  readonly #end: number;
  /** Lengths of runs without a partner. */
  readonly #unclosed = new Set<number>();
  /** The ends of all runs by their length, the next one last. */
  #runs: Map<number, number[]> | null = null;

  constructor(text: string, end: number) {
    this.#text = text;
    this.#end = end;
  }

  /** Returns the end of the code span whose opening run of this length ends at `from`, or -1. */
  endOf(from: number, length: number): number {
    if (this.#unclosed.has(length)) return -1;
    const found = this.#unclosed.size < MAX_SEARCHED_LENGTHS ? this.#search(from, length) : this.#lookUp(from, length);
    if (found === -1) this.#unclosed.add(length);
    return found;
  }

  #search(from: number, length: number): number {
    for (const [start, end] of this.#runsFrom(from)) if (end - start === length) return end;
    return -1;
  }

  #lookUp(from: number, length: number): number {
    if (this.#runs === null) {
      this.#runs = new Map();
      for (const [start, end] of [...this.#runsFrom(from)].reverse()) {
        const ends = this.#runs.get(end - start);
        if (ends === undefined) this.#runs.set(end - start, [end]);
        else ends.push(end);
      }
    }
    const ends = this.#runs.get(length) ?? [];
    while (ends.length > 0 && (ends.at(-1) ?? 0) - length < from) ends.pop();
    return ends.at(-1) ?? -1;
  }

  *#runsFrom(from: number): Generator<readonly [start: number, end: number]> {
    const [text, end] = [this.#text, this.#end];
    for (let at = text.indexOf('`', from); at !== -1 && at < end; at = text.indexOf('`', at)) {
      let run = at + 1;
      while (run < end && text.charCodeAt(run) === 0x60) run += 1;
      yield [at, run];
      at = run;
    }
  }
}

function isSpace(code: number, text: string, at: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || (code >= 128 && /\s/.test(text.charAt(at - 1)));
}
