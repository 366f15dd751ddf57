import type { GraphLink, UnresolvedTarget } from '../../graph/view.ts';
import { missingKey } from '../../vault/links/renames/plan-retarget.ts';
import type { Vault } from '../../vault/vault.ts';

/**
 * Returns the targets of links that lead nowhere. Left out are Markdown links to what is there and is neither note nor attachment: folders,
 * hidden files, and files beside the vault in its repository, as in `[the rules](../CONTRIBUTING.md)`.
 */
export function listNowhere({ graph, notes }: Vault): readonly UnresolvedTarget[] {
  const isThere = notes.createPlaceFinder();
  const isNowhere = (link: GraphLink): boolean => link.target.kind === 'unresolved' && (link.form === 'wikilink' || !isThere(link));
  const bySource = new Map<string, ReadonlySet<string>>();
  const namesIn = (source: string): ReadonlySet<string> => {
    let names = bySource.get(source);
    if (names === undefined) {
      names = new Set(
        graph
          .links(source)
          .filter(isNowhere)
          .map(({ linkpath }) => missingKey(linkpath)),
      );
      bySource.set(source, names);
    }
    return names;
  };
  return graph.unresolved().flatMap((target): UnresolvedTarget[] => {
    if (target.areWikilinks) return [target];
    const name = missingKey(target.linkpath);
    const sources = target.sources.filter((source) => namesIn(source).has(name));
    if (sources.length === target.sources.length) return [target];
    return sources.length === 0 ? [] : [{ ...target, sources, count: sources.length }];
  });
}
