import { INDEX } from '../../note/okf/reserved.ts';
import { foldKey, joinPath, linkKey } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import { lowerBound } from '../sorted-paths.ts';
import type { BundleView } from './bundles.ts';

/** Looks up the files that share a key (`linkKey`), unordered, without duplicates. */
export interface FileLookup {
  byKey(key: string): readonly string[];
  readonly bundles: BundleView;
}

/** The result of resolving a linkpath: a path as on disk, or null. */
export interface Resolution {
  readonly path: string | null;
  /** Whether several files match, so that the order of docs/links.md, Resolution decided. */
  readonly isAmbiguous: boolean;
}

/** All files that a linkpath may mean, regardless of the source's folder. */
interface Candidates {
  /** By path, so that each folder is a contiguous range. */
  readonly paths: readonly string[];
  /** The result for a source that is near none of them. */
  readonly best: string | null;
  /** Among all files of their key. */
  readonly namesakes: Namesakes;
  /** They match from the root of the vault, so the source's folder does not matter. */
  readonly isExact: boolean;
}

const MISSING: Resolution = { path: null, isAmbiguous: false };

/** Resolves a linkpath without subpath from a file as Obsidian does (docs/links.md, Resolution). */
export function resolveLinkpath(files: FileLookup, query: { linkpath: string; from: string }): Resolution {
  return resolverOf(files)(query);
}

/** Creates a `resolveLinkpath` for many links over the same files, with caches for what links have in common. */
export function resolverOf(files: FileLookup): (query: { linkpath: string; from: string }) => Resolution {
  const namesakes = new Map<string, Namesakes>();
  const nameable = new Map<string, Namesakes>();
  const candidates = new Map<string, Candidates>();
  const namesakesOf = (linkpath: string): Namesakes => memoized(namesakes, linkKey(linkpath), (key) => toNamesakes(files.byKey(key)));
  /** Returns the namesakes that a name may mean: not the reserved files, since every folder of a bundle has an `index.md`. */
  const nameableOf = (linkpath: string): Namesakes => {
    const key = linkKey(linkpath);
    return RESERVED_KEYS.has(key) ? memoized(nameable, key, () => withoutReserved(namesakesOf(linkpath), files)) : namesakesOf(linkpath);
  };
  const candidatesOf = (linkpath: string): Candidates => {
    if (linkpath.startsWith('/')) return exactCandidates(namesakesOf(linkpath), linkpath.slice(1));
    const named = nameableOf(linkpath);
    const exact = exactCandidates(linkpath.includes('/') || /\.md$/i.test(linkpath) ? namesakesOf(linkpath) : named, linkpath);
    return exact.best === null ? suffixCandidates(named, linkpath) : exact;
  };
  const resolveAt = (path: string | null, from: string): Resolution =>
    path === null ? MISSING : choose(exactCandidates(namesakesOf(path), path), { linkpath: path, from });
  return ({ linkpath, from }) => {
    if (linkpath === '') return { path: from, isAmbiguous: false };
    const top = files.bundles.topOf(from);
    const inBundle = top === null ? null : resolveInBundle({ linkpath, from, top }, (path) => resolveAt(path, from));
    if (inBundle !== null) return inBundle;
    if (!linkpath.startsWith('./') && !linkpath.startsWith('../'))
      return choose(memoized(candidates, linkpath, candidatesOf), { linkpath, from });
    return resolveAt(joinRelative({ linkpath, from }), from);
  };
}

/**
 * Resolves a link in a bundle of the Open Knowledge Format: `/…` from its top, everything else from the file's folder, and `folder/` as the
 * `index.md` in it. Returns null for a name, which resolves as it does everywhere.
 */
function resolveInBundle(
  { linkpath, from, top }: { linkpath: string; from: string; top: string },
  resolveAt: (path: string | null) => Resolution,
): Resolution | null {
  const file = linkpath.endsWith('/') ? `${linkpath}${INDEX}` : linkpath;
  if (file.startsWith('/')) return resolveAt(joinPath(top, file.slice(1)));
  if (/^\.\.?\//.test(file)) return resolveAt(joinRelative({ linkpath: file, from }));
  const isPath = /\.md$/i.test(file);
  if (RESERVED_KEYS.has(linkKey(file)) && !isPath) return null;
  const near = resolveAt(joinRelative({ linkpath: `./${file}`, from }));
  const found = near.path === null ? resolveAt(joinPath(top, file)) : near;
  return found.path === null && !isPath ? null : found;
}

/** The keys of the names that a bundle reserves. */
export const RESERVED_KEYS: ReadonlySet<string> = new Set(['index', 'log']);

function withoutReserved(namesakes: Namesakes, files: FileLookup): Namesakes {
  const paths = namesakes.paths.filter((path) => !files.bundles.isReserved(path));
  return paths.length === namesakes.paths.length ? namesakes : toNamesakes(paths);
}

function memoized<Found>(known: Map<string, Found>, key: string, find: (key: string) => Found): Found {
  let found = known.get(key);
  if (found === undefined) {
    found = find(key);
    known.set(key, found);
  }
  return found;
}

/** The files of one key. */
interface Namesakes {
  /** By path. */
  readonly paths: readonly string[];
  readonly folded: readonly string[];
  /** Paths by their folded form, if there are many: every folder of a vault may have a `README.md`. */
  readonly byFold: ReadonlyMap<string, readonly string[]> | null;
}

const MIN_GROUPED = 16;

function toNamesakes(files: readonly string[]): Namesakes {
  const paths = files.length > 1 ? files.toSorted(compareText) : files;
  const folded = paths.map(foldKey);
  return { paths, folded, byFold: paths.length < MIN_GROUPED ? null : groupByFold(paths, folded) };
}

function groupByFold(paths: readonly string[], folded: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  paths.forEach((path, at) => memoized(groups, folded[at] ?? '', () => []).push(path));
  return groups;
}

function exactCandidates(namesakes: Namesakes, linkpath: string): Candidates {
  return firstFitting(namesakes, { name: foldKey(linkpath), find: (name) => sameFold(namesakes, name), isExact: true });
}

function suffixCandidates(namesakes: Namesakes, linkpath: string): Candidates {
  const { paths, folded } = namesakes;
  const find = (ending: string): readonly string[] => paths.filter((_, at) => folded[at]?.endsWith(ending));
  return firstFitting(namesakes, { name: `/${foldKey(linkpath)}`, find, isExact: false });
}

function sameFold({ paths, folded, byFold }: Namesakes, name: string): readonly string[] {
  return byFold === null ? paths.filter((_, at) => folded[at] === name) : (byFold.get(name) ?? []);
}

/** Returns the files that match the name as it is, or else with `.md`. */
function firstFitting(
  namesakes: Namesakes,
  { name, find, isExact }: { name: string; find: (name: string) => readonly string[]; isExact: boolean },
): Candidates {
  const whole = find(name);
  const paths = whole.length > 0 ? whole : find(`${name}.md`);
  return { paths, best: shortest(paths, { from: 0, folder: '' }), namesakes, isExact };
}

/** Chooses as Obsidian does: in the source's folder first, then the shortest, then by code units. */
function choose({ paths, best, namesakes, isExact }: Candidates, { linkpath, from }: { linkpath: string; from: string }): Resolution {
  if (best === null) return MISSING;
  if (paths.length === 1) return { path: best, isAmbiguous: false };
  const folder = isExact ? '' : from.slice(0, from.lastIndexOf('/') + 1);
  const chosen = (folder === '' ? null : shortest(paths, { from: lowerBound(paths, folder), folder })) ?? best;
  return { path: exactSpelling(sameFold(namesakes, foldKey(chosen)), { chosen, linkpath }), isAmbiguous: true };
}

/** Returns the shortest path at or after index `from` in a folder, the first among equals; null for none. */
function shortest(paths: readonly string[], { from, folder }: { from: number; folder: string }): string | null {
  let best: string | null = null;
  for (let at = from; at < paths.length; at += 1) {
    const path = paths[at] ?? '';
    if (!path.startsWith(folder)) break;
    if (best === null || path.length < best.length) best = path;
  }
  return best;
}

/**
 * Returns, among files that differ only by case or Unicode form, the one spelled exactly like the link, which could not be linked
 * otherwise.
 */
function exactSpelling(variants: readonly string[], { chosen, linkpath }: { chosen: string; linkpath: string }): string {
  if (variants.length === 1) return chosen;
  const wanted = linkpath.startsWith('/') ? linkpath : `/${linkpath}`;
  const isWritten = (path: string): boolean => `/${path}`.endsWith(wanted) || `/${path}`.endsWith(`${wanted}.md`);
  return isWritten(chosen) ? chosen : (variants.find(isWritten) ?? chosen);
}

/** Returns the vault path of a relative linkpath; null when it leaves the vault. */
export function joinRelative({ linkpath, from }: { linkpath: string; from: string }): string | null {
  if (linkpath.endsWith('/.') || linkpath.endsWith('/..')) return null;
  const segments = from.split('/').slice(0, -1);
  for (const segment of linkpath.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return null;
    } else if (segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}
