import { foldKey } from '../note/path.ts';
import { compareText } from './strings.ts';

/** What resolution needs to know of the files: those that share a key (`linkKey`), in any order, each once. */
export interface FileLookup {
  byKey(key: string): readonly string[];
}

/** Where a linkpath leads: a path as it is on disk, or null. */
export interface Resolution {
  readonly path: string | null;
  /** More than one file fits and the order of links.md 1.3 decided. */
  readonly isAmbiguous: boolean;
}

/** All files that a linkpath may mean before the place of the source is considered. */
export interface Candidates {
  readonly paths: readonly string[];
  /** The paths are exact from the root of the vault: the source's folder has no say. */
  readonly isExact: boolean;
}

const MISSING: Resolution = { path: null, isAmbiguous: false };
const NONE: Candidates = { paths: [], isExact: true };

/** The key that a link and every file it could mean have in common: the last segment, folded, without `.md`. */
export function linkKey(linkpath: string): string {
  const name = foldKey(linkpath.slice(linkpath.lastIndexOf('/') + 1));
  // `[[a.md]]` may mean `a.md` and `a.md.md`: both have the key `a`.
  let end = name.length;
  while (name.endsWith('.md', end)) end -= 3;
  return name.slice(0, end);
}

/** Whether a linkpath is read from the folder of its source: `./x`, `../x`, or nothing at all (the source itself). */
export function dependsOnSource(linkpath: string): boolean {
  return linkpath === '' || linkpath.startsWith('./') || linkpath.startsWith('../');
}

/** Obsidian's resolution of a linkpath without subpath, seen from a file (links.md 1.3). */
export function resolveLinkpath(files: FileLookup, { linkpath, from }: { linkpath: string; from: string }): Resolution {
  if (linkpath === '') return { path: from, isAmbiguous: false };
  if (!dependsOnSource(linkpath)) return chooseCandidate(findCandidates(files, linkpath), { linkpath, from });
  const absolute = joinRelative({ linkpath, from });
  return absolute === null ? MISSING : chooseCandidate(findExact(files, absolute), { linkpath: absolute, from });
}

/** The candidates of a linkpath that does not depend on its source. */
export function findCandidates(files: FileLookup, linkpath: string): Candidates {
  if (linkpath.startsWith('/')) return findExact(files, linkpath.slice(1));
  const paths = files.byKey(linkKey(linkpath));
  if (paths.length === 0) return NONE;
  const exact = exactAmong(paths, linkpath);
  if (exact.paths.length > 0) return exact;
  const suffix = `/${foldKey(linkpath)}`;
  const whole = paths.filter((path) => foldKey(path).endsWith(suffix));
  if (whole.length > 0) return { paths: whole, isExact: false };
  return { paths: paths.filter((path) => foldKey(path).endsWith(`${suffix}.md`)), isExact: false };
}

/** The one that Obsidian takes: below the source's folder first, then the shortest, then by code units. */
export function chooseCandidate(candidates: Candidates, { linkpath, from }: { linkpath: string; from: string }): Resolution {
  const { paths, isExact } = candidates;
  const first = paths[0];
  if (first === undefined) return MISSING;
  if (paths.length === 1) return { path: first, isAmbiguous: false };
  const folder = isExact ? '' : from.slice(0, from.lastIndexOf('/') + 1);
  let best = first;
  for (const path of paths) if (comparePlaces(path, best, folder) < 0) best = path;
  return { path: literalTwin(paths, { best, linkpath }), isAmbiguous: true };
}

function findExact(files: FileLookup, linkpath: string): Candidates {
  return exactAmong(files.byKey(linkKey(linkpath)), linkpath);
}

function exactAmong(paths: readonly string[], linkpath: string): Candidates {
  const folded = foldKey(linkpath);
  const whole = paths.filter((path) => foldKey(path) === folded);
  if (whole.length > 0) return { paths: whole, isExact: true };
  return { paths: paths.filter((path) => foldKey(path) === `${folded}.md`), isExact: true };
}

function comparePlaces(a: string, b: string, folder: string): number {
  const isNearA = a.startsWith(folder);
  if (isNearA !== b.startsWith(folder)) return isNearA ? -1 : 1;
  return a.length - b.length || compareText(a, b);
}

/** Of files that differ by case or Unicode form only, the one that is written exactly so: else it could not be linked at all. */
function literalTwin(paths: readonly string[], { best, linkpath }: { best: string; linkpath: string }): string {
  const folded = foldKey(best);
  const wanted = linkpath.startsWith('/') ? linkpath : `/${linkpath}`;
  for (const path of paths) {
    const written = `/${path}`;
    if ((written.endsWith(wanted) || written.endsWith(`${wanted}.md`)) && foldKey(path) === folded) return path;
  }
  return best;
}

/** The vault path that a relative linkpath means, or null when it leaves the vault. */
function joinRelative({ linkpath, from }: { linkpath: string; from: string }): string | null {
  if (linkpath.endsWith('/.') || linkpath.endsWith('/..')) return null;
  const segments = from.split('/').slice(0, -1);
  for (const segment of linkpath.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return null;
    } else if (segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}
