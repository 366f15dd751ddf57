import type { Nodes } from 'mdast';
import { InlineScanner } from '../../note/markdown/inline.ts';
import type { OuterSink } from '../../note/markdown/containers.ts';
import { parseMarkdown } from '../../note/markdown/markdown-tree.ts';
import { BlockScanner } from '../../note/markdown/scan.ts';
import type { Scan } from '../../note/markdown/scan.ts';
import type { Span } from '../../note/note.ts';
import { applySplices } from '../../note/text.ts';

/**
 * Languages of code blocks that are shown as code. Plugins give other words a meaning: `dataviewjs` runs what it holds, `query` and `base`
 * show notes of the vault.
 */
const CODE_LANGUAGES: ReadonlySet<string> = new Set(
  (
    'applescript asm assembly awk bash bat batch bibtex c c# c++ clojure cmake cmd cobol console cpp cs csharp css csv cuda dart diff ' +
    'docker dockerfile dotenv elixir elm env erlang f# fish fortran fsharp gdscript git gitignore glsl go golang gradle graphql groovy ' +
    'haskell hcl hlsl html http ini java javascript jinja jinja2 js json json5 jsonc jsonl jsx julia kotlin latex less lisp log lua ' +
    'makefile markdown math matlab md mermaid nginx nim nix objc objective-c objectivec ocaml pascal patch perl php plain plaintext ' +
    'plantuml plsql postgresql powershell prisma prolog properties proto protobuf ps1 pseudocode py python python3 r racket rb regex rs ' +
    'ruby rust sas sass scala scheme scss sh shell solidity sparql sql sqlite svelte svg swift tcl terraform tex text toml ts tsx txt ' +
    'typescript vb vba vbnet verilog vhdl vim vue wasm xml xquery yaml yml zig zsh'
  ).split(' '),
);

/** Dataview runs a span of code that begins like this. */
export const LIVE_SPAN = /^\s{0,99}\$?=/;
const AUTOLINK = /^<https?:/i;
/** Each pass reads what the one before laid open. */
const MAX_PASSES = 10;

/** What acts in a text as Markdown is read: across lines, in lists, quotes and tables. */
interface Live {
  /** What stands behind the marks of blocks of code that plugins run. */
  readonly fences: readonly Span[];
  /** Spans of code that Dataview runs. */
  readonly spans: readonly Span[];
  /** Whether there is HTML, or an image of a Markdown link. */
  readonly shows: boolean;
  /** Of the scan (`Scan`). */
  readonly isCertain: boolean;
  readonly limit: Scan['limit'];
}

/** Returns what stands behind the marks of a block of code: a language, or a word that no plugin takes for one. */
export function quietLanguage(info: string): string {
  if (isOrder(info)) return `text ${info.trim().replace(/`/g, '')}`;
  return info.trim().split(/[\s{:,]/, 1)[0] ?? '';
}

/** Returns a text in which no code runs. */
export function disarm(text: string): string {
  let disarmed = text;
  for (let pass = 0; pass < MAX_PASSES && /[`~]/.test(disarmed); pass += 1) {
    const { fences, spans } = findLive(disarmed);
    if (fences.length + spans.length === 0) break;
    const source = disarmed;
    disarmed = applySplices(source, [
      ...fences.map(({ start, end }) => ({ start, end, text: quietLanguage(source.slice(start, end)) })),
      ...spans.flatMap(({ start, end }) => {
        const marks = /^`+/.exec(source.slice(start, end))?.[0].length ?? 0;
        const text = '\\`'.repeat(marks);
        return [
          { start, end: start + marks, text },
          { start: end - marks, end, text },
        ];
      }),
    ]);
  }
  return disarmed;
}

/** Returns whether anything in a text runs, or is HTML or an image of a Markdown link; also where that cannot be told. */
export function isLive(text: string): boolean {
  if (!/[`~<]|!\[/.test(text)) return false;
  const { fences, spans, shows, isCertain, limit } = findLive(text);
  if (shows || fences.length + spans.length > 0) return true;
  // Such as an address that takes the backslash behind it.
  return !isCertain && (limit !== null || isTreeLive(text));
}

function isTreeLive(text: string): boolean {
  const open: Nodes[] = [parseMarkdown(text)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'html' || node.type === 'image' || node.type === 'imageReference') return true;
    if (node.type === 'inlineCode' && LIVE_SPAN.test(node.value)) return true;
    if (node.type === 'code' && isOrder(node.lang ?? '')) return true;
    if ('children' in node) for (const each of node.children) open.push(each);
  }
  return false;
}

function findLive(text: string): Live {
  const inline = new LiveInline();
  const blocks = new LiveBlocks(text);
  const { isCertain, limit } = new BlockScanner(text, inline, blocks).scan();
  return { fences: blocks.fences, spans: inline.spans, shows: inline.shows || blocks.shows, isCertain, limit };
}

/** Returns whether what stands behind the marks of a block of code is no language. */
function isOrder(info: string): boolean {
  const [language = ''] = info.trim().split(/[\s{:,]/, 1);
  return info.trim() !== '' && !CODE_LANGUAGES.has(language.toLowerCase());
}

class LiveInline extends InlineScanner {
  readonly spans: Span[] = [];
  shows = false;

  protected override pass(kind: 'code' | 'html' | 'image', source: string, start: number): void {
    if (kind !== 'code') this.shows ||= kind === 'image' || !AUTOLINK.test(source);
    else if (LIVE_SPAN.test(source.replace(/^`+/, ''))) this.spans.push({ start, end: start + source.length });
  }
}

class LiveBlocks implements OuterSink {
  readonly fences: Span[] = [];
  shows = false;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  heading(): void {}

  paragraph(): void {}

  line(): void {}

  fence({ start, end }: Span, mark: string): void {
    const from = start + mark.length;
    if (isOrder(this.#text.slice(from, end))) this.fences.push({ start: from, end });
  }

  html(): void {
    this.shows = true;
  }
}
