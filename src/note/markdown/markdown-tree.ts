import type { Root } from 'mdast';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { wikiLinkPlugin } from 'remark-wiki-link';
import { unified } from 'unified';
import type { Data } from 'unified';
import { findFrontmatter } from '../frontmatter/read-frontmatter.ts';
import { inlineMathEnd, mathBlockEnd } from './math.ts';
import { wikilinkEnd } from './wikilink.ts';

const VIRTUAL_SPACE = -1;

/** Parses Markdown as Obsidian does: GFM, wikilinks, embeds and math. Positions in the tree exclude a BOM. */
export function parseMarkdown(text: string): Root {
  const processor = unified().use(remarkParse).use(remarkGfm, { singleTilde: false }).use(wikiLinkPlugin).use(obsidianSyntax, text);
  // Only if a block was found: the package's failed attempt on a first rule changes how the next line is parsed.
  return (findFrontmatter(text) ? processor.use(remarkFrontmatter) : processor).parse(text);
}

type MicromarkExtension = Exclude<NonNullable<Data['micromarkExtensions']>[number], readonly unknown[]>;
type TreeExtension = Exclude<NonNullable<Data['fromMarkdownExtensions']>[number], readonly unknown[]>;

/** A micromark character: negative for tabs and line ends, null at the end. */
type Code = number | null;
type State = (code: Code) => State | undefined;
interface Effects {
  enter(token: string): unknown;
  exit(token: string): unknown;
  consume(code: Code): void;
  attempt(construct: Construct, ok: State, nok: State): State;
}
interface Tokenizer {
  now(): { readonly offset: number; readonly line: number };
  /** Whether this only checks if a block could start here. */
  readonly interrupt?: boolean;
  readonly parser: { readonly lazy: Readonly<Record<number, boolean>> };
}
interface Construct {
  readonly name?: string;
  readonly concrete?: boolean;
  readonly partial?: boolean;
  tokenize(this: Tokenizer, effects: Effects, ok: State, nok: State): State;
}

/** Adds what the packages lack, and replaces the wikilink package's tokenizer, which is quadratic for unclosed brackets. */
function obsidianSyntax(this: { data(): Data }, source: string): void {
  const data = this.data();
  // micromark drops a BOM and counts offsets after it.
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  const link = wikilink(2, (at) => (text.startsWith('[[', at) ? wikilinkEnd(text, at, text.length) : -1));
  const embed = wikilink(3, (at) => (text.startsWith('[[', at + 1) ? wikilinkEnd(text, at + 1, text.length) : -1));
  const math = opaqueSpan('inlineMath', (at) => inlineMathEnd(text, at, text.length));
  const block = opaqueBlock('blockMath', (at) => mathBlockEnd(text, at));
  const syntax = { text: { 33: embed, 91: link, 36: math }, flow: { 36: block } } as unknown as MicromarkExtension;
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []).slice(0, -1), syntax];
  const asCode = { inlineMath: 'inlineCode', blockMath: 'code' } as const;
  const tree = {
    enter: Object.fromEntries(
      Object.entries(asCode).map(([token, type]) => [
        token,
        function (this: TreeContext, at: unknown) {
          this.enter({ type, value: '' }, at);
        },
      ]),
    ),
    exit: Object.fromEntries(
      Object.keys(asCode).map((token) => [
        token,
        function (this: TreeContext, at: unknown) {
          this.exit(at);
        },
      ]),
    ),
  } as unknown as TreeExtension;
  // GFM's pass over the finished tree turns the tokenizer's leftovers into literal autolinks and loses positions.
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []).flat().map(withoutTransforms), tree];
}

interface TreeContext {
  enter(node: unknown, token: unknown): void;
  exit(token: unknown): void;
}

function withoutTransforms(extension: TreeExtension): TreeExtension {
  const { transforms: _, ...rest } = extension;
  return rest;
}

/** Creates a construct with a known end: consumed up to there, or not at all if its block ends before. */
function opaqueSpan(name: string, endOf: (at: number) => number): Construct {
  return {
    name,
    tokenize(effects, ok, nok) {
      let end = -1;
      const inside: State = (code) => {
        if (this.now().offset >= end) {
          effects.exit(name);
          return ok(code);
        }
        if (isEnd(code)) return nok(code);
        effects.consume(code);
        return inside;
      };
      return (code) => {
        end = endOf(this.now().offset);
        if (end === -1) return nok(code);
        effects.enter(name);
        return inside(code);
      };
    },
  };
}

/** Creates a wikilink construct with the tokens of the wikilink package, so that its tree extension builds the node. */
function wikilink(markerLength: number, endOf: (at: number) => number): Construct {
  return {
    name: 'wikiLink',
    tokenize(effects, ok, nok) {
      let start = 0;
      let end = -1;
      const inside: State = (code) => {
        const at = this.now().offset;
        if (at >= end) {
          effects.exit('wikiLinkMarker');
          effects.exit('wikiLink');
          return ok(code);
        }
        if (isEnd(code)) return nok(code);
        // A tab is read as itself and then as the columns that it fills, all at one offset.
        if (code === VIRTUAL_SPACE) {
          effects.consume(code);
          return inside;
        }
        if (at === start + markerLength) {
          effects.exit('wikiLinkMarker');
          effects.enter('wikiLinkData');
          effects.enter('wikiLinkTarget');
        } else if (at === end - 2) {
          effects.exit('wikiLinkTarget');
          effects.exit('wikiLinkData');
          effects.enter('wikiLinkMarker');
        }
        effects.consume(code);
        return inside;
      };
      return (code) => {
        start = this.now().offset;
        end = endOf(start);
        if (end === -1) return nok(code);
        effects.enter('wikiLink');
        effects.enter('wikiLinkMarker');
        return inside(code);
      };
    },
  };
}

const nextLine: Construct = {
  partial: true,
  tokenize(effects, ok, nok) {
    const lineStart: State = (code) => (this.parser.lazy[this.now().line] ? nok(code) : ok(code));
    return (code) => {
      if (code === null) return nok(code);
      effects.enter('lineEnding');
      effects.consume(code);
      effects.exit('lineEnding');
      return lineStart;
    };
  },
};

/** Creates a block of lines with a known end; it ends early with its container. */
function opaqueBlock(name: string, endOf: (at: number) => number): Construct {
  // micromark splits events by line and needs two or more in each, so every line is a token of its own.
  const lineName = `${name}Line`;
  return {
    name,
    concrete: true,
    tokenize(effects, ok, nok) {
      let end = -1;
      const after: State = (code) => {
        effects.exit(name);
        return ok(code);
      };
      const lineStart: State = (code) => {
        if (code === null || isEnd(code)) return lineStop(code);
        effects.enter(lineName);
        return inside(code);
      };
      const inside: State = (code) => {
        if (code === null || isEnd(code)) {
          effects.exit(lineName);
          return lineStop(code);
        }
        effects.consume(code);
        return inside;
      };
      const lineStop: State = (code) =>
        code === null || this.interrupt === true || this.now().offset >= end
          ? after(code)
          : effects.attempt(nextLine, lineStart, after)(code);
      return (code) => {
        end = endOf(this.now().offset);
        if (end === -1) return nok(code);
        effects.enter(name);
        return lineStart(code);
      };
    },
  };
}

function isEnd(code: Code): boolean {
  return code === null || code < -2;
}
