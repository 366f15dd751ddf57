import { defaultYamlStyle, printPairLines } from './frontmatter/yaml-print.ts';
import type { Properties } from './note.ts';

/** The text of a new note. `undefined` values are left out; no properties, no block. */
export function composeNote(parts: {
  /** In the order in which they are to stand (docs/format.md, Frontmatter). */
  readonly properties: { readonly [key: string]: Properties[string] | undefined };
  /** As given, right after the block. */
  readonly body: string;
  readonly eol?: string;
}): string {
  const { properties, body, eol = '\n' } = parts;
  const lines = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : printPairLines(key, value, 0, { ...defaultYamlStyle, eol }),
  );
  return lines.length === 0 ? body : ['---', ...lines, '---', ''].join(eol) + body;
}
