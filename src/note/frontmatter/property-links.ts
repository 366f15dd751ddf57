import { isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';
import { scan } from '../markdown/scan.ts';
import { readWikilink, wikilinkEnd } from '../markdown/wikilink.ts';
import type { Link, Span } from '../note.ts';
import { readPlainYaml } from './fast-yaml.ts';
import type { YamlString } from './fast-yaml.ts';
import { withoutStacks } from './yaml-bounds.ts';

/**
 * Returns the links in string values of a frontmatter block at `offset` of its note: whole-value wikilinks, and Markdown links. Multi-line
 * values are prose without links.
 */
export function readFrontmatterLinks(yaml: string, offset: number): readonly Link[] {
  if (!yaml.includes('[[') && !yaml.includes('](')) return [];
  const strings = readPlainYaml(yaml)?.strings ?? stringsByLibrary(yaml);
  return strings.flatMap((string) => linksOf(string, yaml, offset));
}

function linksOf(string: YamlString, yaml: string, offset: number): readonly Link[] {
  const { value, property } = string;
  const start = value.length - value.trimStart().length;
  const end = value.trimEnd().length;
  const isWhole = value.startsWith('[[', start) && wikilinkEnd(value, start, end) === end;
  const links = isWhole
    ? [readWikilink(value, { start, end })]
    : value.includes('](')
      ? scan(value).links.filter(({ form }) => form === 'markdown')
      : [];
  if (links.length === 0) return [];
  const offsets = offsetsOf(string, yaml.slice(string.start, string.end));
  const inNote = (span: Span): Span => ({
    start: offset + (offsets[span.start] ?? string.end),
    end: offset + (offsets[span.end] ?? string.end),
  });
  return links.map((link) => ({ ...link, ...inNote(link), target: inNote(link.target), property }));
}

/** Returns the offset in the YAML of each UTF-16 unit of the value, and of its end; quoted scalars have escapes. */
function offsetsOf({ start, quote }: YamlString, source: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at, at + 10);
    const unit =
      quote === "'" && rest.startsWith("''")
        ? { length: 2, units: 1 }
        : quote === '"' && rest.startsWith('\\')
          ? escapeAt(rest)
          : { length: 1, units: 1 };
    for (let count = 0; count < unit.units; count += 1) offsets.push(start + at);
    at += unit.length;
  }
  offsets.push(start + source.length);
  return offsets;
}

function escapeAt(rest: string): { length: number; units: number } {
  const digits = { x: 2, u: 4, U: 8 }[rest.charAt(1)];
  if (digits === undefined) return { length: 2, units: 1 };
  const isAstral = digits === 8 && Number.parseInt(rest.slice(2, 10), 16) > 0xffff;
  return { length: 2 + digits, units: isAstral ? 2 : 1 };
}

function stringsByLibrary(yaml: string): readonly YamlString[] {
  const strings: YamlString[] = [];
  const document = withoutStacks(() =>
    parseDocument(yaml.replace(/\r(?!\n)/g, '\n'), { version: '1.2', schema: 'core', logLevel: 'silent', prettyErrors: false }),
  );
  visit(document, {
    Scalar: (key, node, path) => {
      if (key === 'key' || typeof node.value !== 'string' || !/\[\[|\]\(/.test(node.value) || !node.range) return;
      const [from, to] = node.range;
      if (/[\r\n]/.test(yaml.slice(from, to))) return;
      const quote = node.type === 'QUOTE_DOUBLE' ? '"' : node.type === 'QUOTE_SINGLE' ? "'" : node.type === 'PLAIN' ? '' : null;
      if (quote === null) return;
      const inset = quote.length;
      strings.push({ property: propertyOf([...path, node]), value: node.value, start: from + inset, end: to - inset, quote });
    },
  });
  return strings;
}

function propertyOf(path: readonly unknown[]): string {
  const names: string[] = [];
  path.forEach((node, index) => {
    const child = path[index + 1];
    if (isPair(node)) names.push(isScalar(node.key) ? String(node.key.value) : String(node.key));
    else if (isSeq(node)) names.push(String(node.items.indexOf(child)));
  });
  return names.join('.');
}
