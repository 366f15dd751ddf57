import { RouxError } from '../errors.ts';
import { bodyStartOf, readFrontmatter } from './frontmatter.ts';
import type { Properties } from './note.ts';
import { changeProperties } from './property-change.ts';
import type { PropertyChange } from './property-change.ts';
import { sameValue } from './property-value.ts';
import { applySplices } from './splice.ts';
import { lineEnding } from './text-lines.ts';
import { yamlSplices } from './yaml-splices.ts';
import { parseYamlText } from './yaml-text.ts';

/**
 * The text with its frontmatter changed, every byte that no change concerns as it was.
 * Throws `INVALID_FRONTMATTER` when the block would have to change and cannot be read, or cannot take the change.
 */
export function editProperties(path: string, text: string, changes: readonly PropertyChange[]): string {
  return replaceProperties(path, text, (values) => changes.reduce(changeProperties, values));
}

/** The text with the values of its frontmatter replaced by what a function makes of them, in the same way. */
export function replaceProperties(path: string, text: string, change: (values: Properties) => Properties): string {
  const before = readFrontmatter(text);
  const problem = before.problems.find(({ code }) => code !== 'frontmatter-dropped-key');
  if (problem !== undefined) {
    const line = problem.line === undefined ? '' : ` (line ${problem.line})`;
    const reason = problem.message.replace(/[\s.:]+$/, '');
    throw new RouxError(
      'INVALID_FRONTMATTER',
      `The frontmatter of ${path} cannot be changed${line}: ${reason}. Correct it by hand first.`,
      {
        path,
        line: problem.line ?? null,
        problem: problem.code,
      },
    );
  }
  const wanted = change(before.data);
  if (wanted === before.data || sameValue(wanted, before.data)) return text;
  const after = writeProperties(text, before.yaml, wanted);
  const body = text.slice(bodyStartOf(text, before.block));
  if (after === null || !readsAs(after, wanted, body)) {
    throw new RouxError(
      'INVALID_FRONTMATTER',
      `The frontmatter of ${path} (from line 1) is written in a way that this change cannot be made in without touching the rest, or would grow too large. Edit it by hand.`,
      { path, line: 1 },
    );
  }
  return after;
}

function writeProperties(text: string, yaml: { start: number; end: number } | null, wanted: Properties): string | null {
  const eol = lineEnding(text);
  if (yaml === null) {
    const at = bodyStartOf(text, null);
    const splices = yamlSplices(parseYamlText('', eol), wanted) ?? [];
    return `${text.slice(0, at)}---${eol}${applySplices('', splices)}---${eol}${text.slice(at)}`;
  }
  const source = text.slice(yaml.start, yaml.end);
  const splices = yamlSplices(parseYamlText(source, eol), wanted);
  if (splices === null) return null;
  return text.slice(0, yaml.start) + applySplices(source, splices) + text.slice(yaml.end);
}

/** The check behind every edit: read again, the values are the wanted ones and the body is the same. */
function readsAs(text: string, wanted: Properties, body: string): boolean {
  const after = readFrontmatter(text);
  return after.isReadable && sameValue(after.data, wanted) && text.slice(bodyStartOf(text, after.block)) === body;
}
