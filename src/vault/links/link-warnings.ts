import { unquotedLinksOf } from '../../graph/links/unquoted.ts';
import type { GraphView } from '../../graph/view.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { fileLookup } from './file-lookup.ts';
import type { FileMoves, FileView } from './file-lookup.ts';
import { LinkRewriter } from './relinks.ts';

/** Warns of unquoted links in properties that name a moved file. YAML does not read them as links, so they are left alone. */
export function warnOfUnquotedLinks(context: FileView, rewriter: LinkRewriter, files: FileMoves): string[] {
  if (files.moves.size === 0) return [];
  const warnings: string[] = [];
  for (const entry of context.graph.entries({ includeHidden: true, withUnquotedLinks: true })) {
    for (const { property, text } of unquotedLinksOf(entry)) {
      const target = rewriter.targetBefore(splitLinkText(text.split('|')[0] ?? ''), entry.path);
      if (target === null || !files.moves.has(target)) continue;
      warnings.push(
        `${entry.path}: the property ${property} holds [[${text}]] without quotes, which is a nested list and no link; it was left alone. Put it in quotes.`,
      );
    }
  }
  return warnings;
}

/**
 * Warns of links to removed files, which lead nowhere or to another file of the name. They are not edited. `changed`: files whose links
 * will change in the same step.
 */
export function warnOfBrokenLinks(
  graph: GraphView,
  removed: readonly string[],
  changed: { has(path: string): boolean } = new Set(),
): readonly string[] {
  const gone = new Set(removed);
  const rewriter = new LinkRewriter(fileLookup(graph), { moves: new Map(), created: [], removed }, 'minimal');
  const seen = new Set<string>();
  return removed.flatMap((path) =>
    graph.backlinks(path).flatMap((link) => {
      const use = `${link.from}\n${link.linkpath}`;
      if (gone.has(link.from) || changed.has(link.from) || link.linkpath === '' || seen.has(use)) return [];
      seen.add(use);
      const next = rewriter.targetAfter(link, link.from);
      return `${link.from}: the link to ${link.linkpath} ${next === null ? 'now leads nowhere' : `now leads to ${next}`}.`;
    }),
  );
}
