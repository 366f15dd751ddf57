import { isPropertyList, isPropertyMap } from '../../note/frontmatter/property-value.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import type { Properties, PropertyValue } from '../../note/note.ts';
import { baseName, foldKey } from '../../note/path.ts';
import type { FileMoves, FileView } from './file-lookup.ts';
import type { LinkFates } from './relinks.ts';

/** What names a moved file without being a link, found and left alone: unquoted links in properties, filters of `.base` files. */
export function unlinkedMentions(context: FileView, fates: LinkFates, files: FileMoves): string[] {
  const names = [...files.moves.keys()].map((path) => foldKey(baseName(path)));
  if (names.length === 0) return [];
  return [...unquotedLinks(context, fates, files, names), ...baseFilters(context, files)];
}

function unquotedLinks(context: FileView, fates: LinkFates, files: FileMoves, names: readonly string[]): string[] {
  const warnings: string[] = [];
  for (const entry of context.graph.entries({ includeHidden: true })) {
    const yaml = entry.yaml ?? '';
    if (!/\[\[|-\s+-|-\s+\[|\[\s+\[/.test(yaml)) continue;
    const folded = foldKey(yaml);
    if (!names.some((name) => folded.includes(name))) continue;
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

function baseFilters(context: FileView, files: FileMoves): string[] {
  const names = new Map(
    [...files.moves.keys()].flatMap((path) => [path, path.replace(/\.md$/i, ''), baseName(path)].map((name) => [foldKey(name), name])),
  );
  return [...context.graph.attachments()]
    .filter((path) => /\.base$/i.test(path))
    .flatMap((path) => {
      const quoted = (context.readText(path) ?? '').matchAll(/link\(\s*\\?["']([^"'\\]+)\\?["']/g);
      const named = new Set(
        [...quoted].map((match) => names.get(foldKey(splitLinkText(match[1] ?? '').linkpath))).filter((name) => name !== undefined),
      );
      return [...named].map((name) => `${path}: a filter names link("${name}"); it was left alone. Change it by hand.`);
    });
}
