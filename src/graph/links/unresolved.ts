import { foldKey } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { UnresolvedTarget } from '../view.ts';
import type { Files } from './files.ts';
import type { LinkTable } from './link-table.ts';

/**
 * The targets that links find nothing by, by linkpath. Spellings that fold alike are one, since one new note would serve them all;
 * it is shown as most links write it.
 */
export function listUnresolved(links: LinkTable, files: Files): readonly UnresolvedTarget[] {
  const targets = new Map<string, { spellings: Map<string, number>; sources: Set<number>; count: number }>();
  for (const { linkpath, rows } of links.unresolved()) {
    const sources = rows.map((row) => links.sourceOf(row)).filter((source) => files.entryOf(source)?.isHidden === false);
    if (sources.length === 0) continue;
    const key = foldKey(linkpath).replace(/(?:\.md)+$/, '');
    const target = targets.get(key) ?? { spellings: new Map<string, number>(), sources: new Set<number>(), count: 0 };
    targets.set(key, target);
    target.spellings.set(linkpath, sources.length);
    target.count += sources.length;
    for (const source of sources) target.sources.add(source);
  }
  return [...targets.values()]
    .map(({ spellings, sources, count }) => ({
      linkpath: mostUsed(spellings),
      count,
      sources: files.sorted(sources).map((id) => files.pathOf(id) as NotePath),
    }))
    .sort((a, b) => compareText(a.linkpath, b.linkpath));
}

function mostUsed(spellings: ReadonlyMap<string, number>): string {
  const [first] = [...spellings].sort(([a, timesA], [b, timesB]) => timesB - timesA || compareText(a, b));
  return first?.[0] ?? '';
}
