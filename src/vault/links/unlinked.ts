import { isPropertyList, isPropertyMap } from '../../note/frontmatter/property-value.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import type { Properties, PropertyValue } from '../../note/note.ts';
import type { FileMoves, FileView } from './file-lookup.ts';
import type { LinkFates } from './relinks.ts';

/** A list in a list, which is what `[[X]]` is in YAML where no quote stands before it. */
const NESTED = /(?:^|[\s,[])\[\s*\[|-\s+-|-\s+\[/m;

/** Links in properties without quotes that name a moved file: they are no links, and are found and left alone. */
export function unquotedLinks(context: FileView, fates: LinkFates, files: FileMoves): string[] {
  if (files.moves.size === 0) return [];
  const warnings: string[] = [];
  for (const entry of context.graph.entries({ includeHidden: true })) {
    if (!NESTED.test(entry.yaml ?? '')) continue;
    for (const { property, text } of nestedTexts(entry.properties)) {
      const target = fates.targetOf(splitLinkText(text.split('|')[0] ?? ''), entry.path);
      if (target === null || !files.moves.has(target)) continue;
      warnings.push(
        `${entry.path}: the property ${property} holds [[${text}]] without quotes, which is a nested list and no link; it was left alone. Put it in quotes.`,
      );
    }
  }
  return warnings;
}

/** Texts that are the only entry of a list in a list: what `[[X]]` without quotes is in YAML. */
function nestedTexts(properties: Properties): { property: string; text: string }[] {
  const walk = (value: PropertyValue, property: string): { property: string; text: string }[] => {
    if (isPropertyList(value)) {
      const only = value[0];
      if (value.length === 1 && isPropertyList(only) && only.length === 1 && typeof only[0] === 'string')
        return [{ property, text: only[0] }];
      return value.flatMap((entry) => walk(entry, property));
    }
    return isPropertyMap(value) ? Object.entries(value).flatMap(([key, entry]) => walk(entry, `${property}.${key}`)) : [];
  };
  return Object.entries(properties).flatMap(([key, value]) => walk(value, key));
}
