import { foldKey } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { UnresolvedTarget } from '../view.ts';
import type { Files } from './files.ts';
import type { LinkTable } from './link-table.ts';

/**
 * Returns the unresolved targets by linkpath. Spellings that fold to the same text are one target, since one new note would satisfy them
 * all; it is shown in the most frequent spelling.
 */
function listUnresolved(links: LinkTable, files: Files): readonly UnresolvedTarget[] {
  const targets = new Map<string, { spellings: Map<string, number>; sources: Set<number>; count: number; areWikilinks: boolean }>();
  for (const { linkpath, rows } of links.unresolved()) {
    const shown = rows.filter((row) => files.entryOf(links.sourceOf(row))?.isHidden === false);
    if (shown.length === 0) continue;
    const sources = shown.map((row) => links.sourceOf(row));
    const key = foldKey(linkpath).replace(/(?<!\.md)(?:\.md)+$/, '');
    const target = targets.get(key) ?? { spellings: new Map<string, number>(), sources: new Set<number>(), count: 0, areWikilinks: true };
    targets.set(key, target);
    target.spellings.set(linkpath, sources.length);
    target.count += sources.length;
    target.areWikilinks &&= shown.every((row) => links.isWikilink(row));
    for (const source of sources) target.sources.add(source);
  }
  return [...targets.values()]
    .map(({ spellings, sources, count, areWikilinks }) => ({
      linkpath: mostUsed(spellings),
      count,
      sources: files.sorted(sources).map((id) => files.pathOf(id) as NotePath),
      areWikilinks,
    }))
    .sort((a, b) => compareText(a.linkpath, b.linkpath));
}

/** Targets cached in the order of their number of sources. */
const MAX_UNRESOLVED = 50;

/** Caches the unresolved targets until unresolved links change, or notes are hidden or shown. */
export class Unresolved {
  readonly #links: LinkTable;
  readonly #files: Files;
  #known: { readonly version: number; readonly list: readonly UnresolvedTarget[]; wanted?: readonly UnresolvedTarget[] } | null = null;

  constructor(links: LinkTable, files: Files) {
    this.#links = links;
    this.#files = files;
  }

  /** Returns the targets by linkpath. */
  get list(): readonly UnresolvedTarget[] {
    return this.#now.list;
  }

  /** Returns the targets with the most linking notes, then by linkpath. */
  mostWanted(limit: number): readonly UnresolvedTarget[] {
    const known = this.#now;
    known.wanted ??= [...known.list]
      .sort((a, b) => b.sources.length - a.sources.length || compareText(a.linkpath, b.linkpath))
      .slice(0, MAX_UNRESOLVED);
    return known.wanted.slice(0, limit);
  }

  /** Handles a note that was hidden or shown. */
  forget(): void {
    this.#known = null;
  }

  get #now() {
    this.#links.resolveAll();
    const version = this.#links.unresolvedChanges;
    if (this.#known?.version !== version) this.#known = { version, list: listUnresolved(this.#links, this.#files) };
    return this.#known;
  }
}

function mostUsed(spellings: ReadonlyMap<string, number>): string {
  const [first] = [...spellings].sort(([a, timesA], [b, timesB]) => timesB - timesA || compareText(a, b));
  return first?.[0] ?? '';
}
