import { fileName, foldKey } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import { lowerBound } from '../sorted-paths.ts';

/** What resolution needs to know of the files: those that share a key (`linkKey`), in any order, each once. */
export interface FileLookup {
  byKey(key: string): readonly string[];
}

/** Where a linkpath leads: a path as it is on disk, or null. */
export interface Resolution {
  readonly path: string | null;
  /** More than one file fits and the order of docs/links.md, Resolution decided. */
  readonly isAmbiguous: boolean;
}

/** All files that a linkpath may mean, before the folder of the source is considered. */
interface Candidates {
  /** By path, so that a folder is a stretch of them. */
  readonly paths: readonly string[];
  /** The one for a source that is nowhere near any of them. */
  readonly best: string | null;
  /** Among all files of their key. */
  readonly namesakes: Namesakes;
  /** They fit from the root of the vault: the folder of the source has no say. */
  readonly isExact: boolean;
}

const MISSING: Resolution = { path: null, isAmbiguous: false };

/** The key that a link and every file it could mean have in common: the last segment, folded, without `.md`. */
export function linkKey(linkpath: string): string {
  const name = foldKey(fileName(linkpath));
  // `[[a.md]]` may mean `a.md` and `a.md.md`: both have the key `a`.
  let end = name.length;
  while (name.endsWith('.md', end)) end -= 3;
  return name.slice(0, end);
}

/** Obsidian's resolution of a linkpath without subpath, seen from a file (docs/links.md, Resolution). */
export function resolveLinkpath(files: FileLookup, query: { linkpath: string; from: string }): Resolution {
  return resolverOf(files)(query);
}

/** `resolveLinkpath` for many links over the same files: what links have in common is found once. */
export function resolverOf(files: FileLookup): (query: { linkpath: string; from: string }) => Resolution {
  const namesakes = new Map<string, Namesakes>();
  const candidates = new Map<string, Candidates>();
  const namesakesOf = (linkpath: string): Namesakes => memoized(namesakes, linkKey(linkpath), (key) => toNamesakes(files.byKey(key)));
  const candidatesOf = (linkpath: string): Candidates => {
    if (linkpath.startsWith('/')) return exactCandidates(namesakesOf(linkpath), linkpath.slice(1));
    const exact = exactCandidates(namesakesOf(linkpath), linkpath);
    return exact.best === null ? suffixCandidates(namesakesOf(linkpath), linkpath) : exact;
  };
  return ({ linkpath, from }) => {
    if (linkpath === '') return { path: from, isAmbiguous: false };
    if (!linkpath.startsWith('./') && !linkpath.startsWith('../'))
      return choose(memoized(candidates, linkpath, candidatesOf), { linkpath, from });
    const absolute = joinRelative({ linkpath, from });
    return absolute === null ? MISSING : choose(exactCandidates(namesakesOf(absolute), absolute), { linkpath: absolute, from });
  };
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
  /** The paths by what they fold to, where there are many: every folder of a vault may have its `README.md`. */
  readonly byFold: ReadonlyMap<string, readonly string[]> | null;
}

const MANY = 16;

function toNamesakes(files: readonly string[]): Namesakes {
  const paths = files.length > 1 ? files.toSorted(compareText) : files;
  const folded = paths.map(foldKey);
  return { paths, folded, byFold: paths.length < MANY ? null : groupByFold(paths, folded) };
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

/** The files that fit the name as it is, or else with `.md`. */
function firstFitting(
  namesakes: Namesakes,
  { name, find, isExact }: { name: string; find: (name: string) => readonly string[]; isExact: boolean },
): Candidates {
  const whole = find(name);
  const paths = whole.length > 0 ? whole : find(`${name}.md`);
  return { paths, best: shortest(paths, { from: 0, folder: '' }), namesakes, isExact };
}

/** The one that Obsidian takes: below the source's folder first, then the shortest, then by code units. */
function choose({ paths, best, namesakes, isExact }: Candidates, { linkpath, from }: { linkpath: string; from: string }): Resolution {
  if (best === null) return MISSING;
  if (paths.length === 1) return { path: best, isAmbiguous: false };
  const folder = isExact ? '' : from.slice(0, from.lastIndexOf('/') + 1);
  const chosen = (folder === '' ? null : shortest(paths, { from: lowerBound(paths, folder), folder })) ?? best;
  return { path: literalTwin(sameFold(namesakes, foldKey(chosen)), { chosen, linkpath }), isAmbiguous: true };
}

/** The shortest of the paths that follow `from` and are below the folder, the first among equals; null for none. */
function shortest(paths: readonly string[], { from, folder }: { from: number; folder: string }): string | null {
  let best: string | null = null;
  for (let at = from; at < paths.length; at += 1) {
    const path = paths[at] ?? '';
    if (!path.startsWith(folder)) break;
    if (best === null || path.length < best.length) best = path;
  }
  return best;
}

/** Of files that differ by case or Unicode form only, the one that is written exactly so: else it could not be linked at all. */
function literalTwin(twins: readonly string[], { chosen, linkpath }: { chosen: string; linkpath: string }): string {
  if (twins.length === 1) return chosen;
  const wanted = linkpath.startsWith('/') ? linkpath : `/${linkpath}`;
  const isWritten = (path: string): boolean => `/${path}`.endsWith(wanted) || `/${path}`.endsWith(`${wanted}.md`);
  return isWritten(chosen) ? chosen : (twins.find(isWritten) ?? chosen);
}

/** The vault path that a relative linkpath means, or null when it leaves the vault. */
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
