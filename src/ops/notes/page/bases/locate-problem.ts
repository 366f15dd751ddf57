import { LineCounter, parseDocument } from 'yaml';
import { isRecord } from '../../../../is-record.ts';
import { yamlOptions } from '../../../../note/frontmatter/yaml-values.ts';

/** The line of a mistake, from 1, and its text. */
export interface ProblemLine {
  readonly line: number;
  readonly text: string;
}

const MAX_LINE_CHARACTERS = 200;

/** Finds the line of a base that an error is about, by the details of the error: its line, its expression or its place. */
export function locateProblem(source: string, details: unknown): ProblemLine | null {
  if (!isRecord(details)) return null;
  const lines = source.split('\n');
  const { line, expression, place } = details;
  const at =
    typeof line === 'number'
      ? line
      : typeof expression === 'string'
        ? findExpression(lines, expression)
        : typeof place === 'string'
          ? findPlace(source, place)
          : null;
  if (at === null) return null;
  // YAML that ends too early has its mistake after the last line.
  const index = lines.findLastIndex((text, each) => each < at && text.trim() !== '');
  return index < 0 ? null : { line: index + 1, text: (lines[index] ?? '').trim().slice(0, MAX_LINE_CHARACTERS) };
}

/** Finds the line with an expression. YAML may write it with other quotes, and the error may have shortened it. */
function findExpression(lines: readonly string[], expression: string): number | null {
  const wanted = withoutQuotes(expression.replace(/^…|…$/g, ''));
  const at = wanted === '' ? -1 : lines.findIndex((line) => withoutQuotes(line).includes(wanted));
  return at < 0 ? null : at + 1;
}

function withoutQuotes(text: string): string {
  return text.replace(/["'\\\s]+/g, '');
}

/** Finds the line of a place such as `views[0].order`. */
function findPlace(source: string, place: string): number | null {
  const counter = new LineCounter();
  const document = parseDocument(source, { ...yamlOptions, lineCounter: counter, prettyErrors: false });
  const keys = [...place.matchAll(/[^.[\]]+/g)].map(([key]) => (/^\d+$/.test(key) ? Number(key) : key));
  const node: unknown = document.getIn(keys, true);
  const range = isRecord(node) ? node['range'] : null;
  const offset: unknown = Array.isArray(range) ? range[0] : null;
  return typeof offset === 'number' ? counter.linePos(offset).line : null;
}
