import { unquotedLinksOf } from '../../graph/links/unquoted.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import type { FileMoves, FileView } from './file-lookup.ts';
import type { LinkFates } from './relinks.ts';

/** Links in properties without quotes that name a moved file: they are no links, and are found and left alone. */
export function unquotedLinks(context: FileView, fates: LinkFates, files: FileMoves): string[] {
  if (files.moves.size === 0) return [];
  const warnings: string[] = [];
  for (const entry of context.graph.entries({ includeHidden: true, withUnquotedLinks: true })) {
    for (const { property, text } of unquotedLinksOf(entry)) {
      const target = fates.targetOf(splitLinkText(text.split('|')[0] ?? ''), entry.path);
      if (target === null || !files.moves.has(target)) continue;
      warnings.push(
        `${entry.path}: the property ${property} holds [[${text}]] without quotes, which is a nested list and no link; it was left alone. Put it in quotes.`,
      );
    }
  }
  return warnings;
}
