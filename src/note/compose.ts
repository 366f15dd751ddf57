import { RouxError } from '../errors.ts';
import { forbiddenKey } from './frontmatter/property-edit.ts';
import { isForbiddenKey, isPropertyMap, sameValue } from './frontmatter/property-value.ts';
import { readFrontmatter } from './frontmatter/read-frontmatter.ts';
import { defaultYamlStyle, printPairLines } from './frontmatter/yaml-print.ts';
import type { Properties, PropertyValue } from './note.ts';

/**
 * Returns the text of a new note. `undefined` values are omitted; without properties there is no block. Throws `INVALID_PARAMS` when the
 * block would not read back as given.
 */
export function composeNote(parts: {
  /** In output order (docs/format.md, Frontmatter). */
  readonly properties: { readonly [key: string]: Properties[string] | undefined };
  /** Placed unchanged right after the block. */
  readonly body: string;
  readonly eol?: string;
}): string {
  const { properties, body, eol = '\n' } = parts;
  const given = Object.entries(properties).filter((pair): pair is [string, PropertyValue] => pair[1] !== undefined);
  const lines = given.flatMap(([key, value]) => printPairLines(key, value, 0, { ...defaultYamlStyle, eol }));
  if (lines.length === 0) return body;
  const head = ['---', ...lines, '---', ''].join(eol);
  mustReadBack(head, given);
  return head + body;
}

function mustReadBack(head: string, given: readonly (readonly [string, PropertyValue])[]): void {
  const forbidden = given.flatMap(([key, value]) => forbiddenIn(key, value))[0];
  if (forbidden !== undefined) throw forbiddenKey(forbidden);
  const { block, data, isReadable, problems } = readFrontmatter(head);
  const isWhole = block?.end === head.length && isReadable && problems.length === 0;
  const lost = given.find(([key, value]) => !Object.hasOwn(data, key) || !sameValue(data[key], value))?.[0];
  if (isWhole && lost === undefined && Object.keys(data).length === given.length) return;
  const name = isWhole ? lost : largestOf(given);
  const reason = problems[0]?.message.replace(/(?<![\s.:])[\s.:]+$/, '') ?? `${name} would not read back as it was given`;
  throw new RouxError(
    'INVALID_PARAMS',
    `These properties cannot be kept, so nothing was written: ${reason}. Send less in ${name}, or put it into the content.`,
    { property: name },
  );
}

/** Returns the largest property, also inside the `properties` map. */
function largestOf(given: readonly (readonly [string, PropertyValue])[]): string {
  const each = given.flatMap(([key, value]) =>
    key === 'properties' && isPropertyMap(value) ? Object.entries(value) : [[key, value] as const],
  );
  const [largest] = each.sort((a, b) => JSON.stringify(b[1]).length - JSON.stringify(a[1]).length);
  return largest?.[0] ?? '';
}

function forbiddenIn(key: string, value: PropertyValue): readonly string[] {
  if (isForbiddenKey(key)) return [key];
  return isPropertyMap(value) ? Object.entries(value).flatMap(([name, inner]) => forbiddenIn(name, inner)) : [];
}
