import { foldKey } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { GraphLink } from '../view.ts';
import type { Files } from './files.ts';
import type { LinkTable } from './link-table.ts';

/** A note that is linked and does not exist. */
export interface Ghost {
  readonly linkpath: string;
  readonly count: number;
  readonly sources: readonly NotePath[];
}

/**
 * The targets that links find nothing by, by linkpath. Spellings that fold alike are one, since one new note would serve them all;
 * it is shown as most links write it.
 */
export function listGhosts(links: LinkTable, files: Files): readonly Ghost[] {
  const ghosts = new Map<string, { spellings: Map<string, number>; sources: Set<number>; count: number }>();
  for (const { linkpath, rows } of links.unresolved()) {
    const sources = rows.map((row) => links.sourceOf(row)).filter((source) => files.entryOf(source)?.isHidden === false);
    if (sources.length === 0) continue;
    const key = foldKey(linkpath).replace(/(?:\.md)+$/, '');
    const ghost = ghosts.get(key) ?? { spellings: new Map<string, number>(), sources: new Set<number>(), count: 0 };
    ghosts.set(key, ghost);
    ghost.spellings.set(linkpath, sources.length);
    ghost.count += sources.length;
    for (const source of sources) ghost.sources.add(source);
  }
  return [...ghosts.values()]
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

/** The links of these rows by source path, then in the order of the text. */
export function readInOrder(links: LinkTable, files: Files, rows: readonly number[]): readonly GraphLink[] {
  const wanted = new Set(rows);
  const sources = new Set(rows.map((row) => links.sourceOf(row)));
  return files
    .sorted(sources)
    .flatMap((source) => links.out(source).filter((row) => wanted.has(row)))
    .map((row) => links.read(row));
}
