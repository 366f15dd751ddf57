import type { Frontmatter, Problem, Properties, Span } from '../note.ts';
import { lineEnd, nextLine } from '../text.ts';
import { noProperties, readYaml } from './yaml-values.ts';

/** Position of a frontmatter block: the whole block, and the YAML between its marker lines. */
export interface FrontmatterBlock {
  readonly block: Span;
  readonly yaml: Span;
}

const executable: Problem = {
  code: 'frontmatter-executable',
  message: 'The first line names a language after ---; such a block is never run and not read as frontmatter. Use a plain --- line.',
  line: 1,
};

/** Finds the block at the start of a note (docs/links.md, Frontmatter); null for none. Linear for any text. */
export function findFrontmatter(text: string): FrontmatterBlock | null {
  const start = bomLength(text);
  const yamlStart = markerEnd(text, start);
  if (yamlStart === null || yamlStart === text.length) return null;
  for (let line = yamlStart; line < text.length; line = nextLine(text, lineEnd(text, line))) {
    const end = markerEnd(text, line);
    if (end !== null) return { block: { start, end }, yaml: { start: yamlStart, end: line } };
  }
  return null;
}

/** Reads the frontmatter of a note and its problems. Values are parsed on first use of `data`, `isReadable` or `problems`. */
export function readFrontmatter(text: string): Frontmatter & { readonly problems: readonly Problem[] } {
  const found = findFrontmatter(text);
  if (!found) {
    const problems = isExecutableOpener(text) ? [executable] : [];
    return { block: null, yaml: null, data: noProperties, isReadable: true, problems };
  }
  return new LazyFrontmatter(text.slice(found.yaml.start, found.yaml.end), found);
}

/** Returns the start of the body: after the block, which is searched if not given, else after a BOM. */
export function bodyStartOf(text: string, block: Span | null = findFrontmatter(text)?.block ?? null): number {
  return block ? block.end : bomLength(text);
}

class LazyFrontmatter implements Frontmatter {
  readonly block: Span;
  readonly yaml: Span;
  readonly #source: string;
  #values: { readonly data: Properties; readonly isReadable: boolean; readonly problems: readonly Problem[] } | undefined;

  constructor(source: string, found: FrontmatterBlock) {
    this.#source = source;
    this.block = found.block;
    this.yaml = found.yaml;
  }

  get data(): Properties {
    return this.#read().data;
  }

  get isReadable(): boolean {
    return this.#read().isReadable;
  }

  get problems(): readonly Problem[] {
    return this.#read().problems;
  }

  #read() {
    return (this.#values ??= readYaml(this.#source, { firstLine: 2 }));
  }
}

function bomLength(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

/** Returns the end of a `---` line at `start`, including its EOL; null for other lines. */
function markerEnd(text: string, start: number): number | null {
  if (!text.startsWith('---', start)) return null;
  let at = start + 3;
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09) at += 1;
  if (at === text.length) return at;
  const code = text.charCodeAt(at);
  if (code === 0x0a) return at + 1;
  if (code === 0x0d) return text.charCodeAt(at + 1) === 0x0a ? at + 2 : at + 1;
  return null;
}

function isExecutableOpener(text: string): boolean {
  return /^\ufeff?---[ \t]*[A-Za-z_$]/.test(text.slice(0, 64));
}
