import { visit } from 'yaml';
import type { Scalar } from 'yaml';
import { findFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { printFlow, quoted } from '../../note/frontmatter/yaml-print.ts';
import type { YamlStyle } from '../../note/frontmatter/yaml-print.ts';
import { parseYamlText } from '../../note/frontmatter/yaml-text.ts';
import { applySplices, lineEnding } from '../../note/text.ts';
import type { Splice } from '../../note/text.ts';

/** Private use characters, which no template has. */
const MARK = /\ue000(\d+)\ue001/;

/**
 * Escapes the values of template variables that are in the frontmatter, so that a YAML value is the text with its variables replaced and
 * nothing in a value is parsed as YAML. A value that cannot be plain is quoted as a whole. Fillings of the body stay unchanged, and all of
 * them if the frontmatter cannot be parsed anyway.
 */
export function fillYaml(text: string, fillings: readonly Splice[]): readonly Splice[] {
  const yaml = findFrontmatter(text)?.yaml;
  if (yaml === undefined) return fillings;
  const inside = fillings.filter(({ start, end }) => start >= yaml.start && end <= yaml.end);
  if (inside.length === 0) return fillings;
  // YAML would read `{{…}}` as nested maps, so a marker word replaces it during parsing.
  const marked = applySplices(
    text.slice(yaml.start, yaml.end),
    inside.map(({ start, end }, at) => ({ start: start - yaml.start, end: end - yaml.start, text: markOf(at) })),
  );
  const { document, style } = parseYamlText(marked, lineEnding(text));
  if (document.errors.length > 0) return fillings;
  const texts = inside.map((filling) => filling.text);
  const splices: Splice[] = [];
  visit(document, {
    Scalar(_key, node, path) {
      const [start, end] = node.range ?? [0, 0];
      const source = marked.slice(start, end);
      if (!MARK.test(source)) return;
      const isFlow = path.some((above) => 'flow' in above && above.flow === true);
      splices.push({ start, end, text: fillScalar(node, source, { texts, style, within: isFlow ? 'flow' : 'block' }) });
    },
  });
  // The remaining markers are in comments.
  const filled = filledIn(applySplices(marked, splices), texts);
  return [...fillings.filter((filling) => !inside.includes(filling)), { start: yaml.start, end: yaml.end, text: filled }];
}

function markOf(at: number): string {
  return `\ue000${at}\ue001`;
}

function filledIn(text: string, texts: readonly string[]): string {
  return text.replace(new RegExp(MARK, 'g'), (_mark, at: string) => texts[Number(at)] ?? '');
}

function fillScalar(
  { type, value }: Scalar,
  source: string,
  { texts, style, within }: { readonly texts: readonly string[]; readonly style: YamlStyle; readonly within: 'block' | 'flow' },
): string {
  if (type === 'QUOTE_DOUBLE')
    return filledIn(
      source,
      texts.map((text) => quoted(text, '"').slice(1, -1)),
    );
  if (type === 'QUOTE_SINGLE')
    return filledIn(
      source,
      texts.map((text) => text.replaceAll("'", "''")),
    );
  if (type !== 'PLAIN') return filledIn(source, texts);
  const text = filledIn(String(value), texts);
  // A template that produces a number or a YAML keyword means it.
  return /^[\w.+-]+$/.test(text) ? text : printFlow(text, style, within);
}
