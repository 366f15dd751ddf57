import { foldKey, linkKey } from '../note/path.ts';
import { compareText } from '../note/text.ts';
import type { Catalog } from './catalog.ts';
import type { Entry } from './entry.ts';
import type { Files } from './links/files.ts';
import { RESERVED_KEYS } from './links/resolve.ts';
import type { Lookup } from './view.ts';

/**
 * Finds the note for a reference: by id, exact path, path suffix, title or alias, the first that matches anything (docs/format.md,
 * Identity).
 */
export function lookUp({ files, catalog }: { files: Files; catalog: Catalog }, reference: string): Lookup {
  const wanted = reference.trim();
  if (wanted === '') return { kind: 'missing' };
  const path = wanted.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
  // A path exactly as on disk means that file, even if others differ only by case.
  const own = files.entryOf(files.idOf(path));
  // Every folder of a bundle has an `index.md`, so that its name alone means none of them.
  const isName = !path.includes('/') && RESERVED_KEYS.has(linkKey(path));
  for (const level of [
    () => catalog.byId(wanted),
    () => (own === null ? exactPaths(files, path) : [own]),
    () => pathSuffixes(files, path),
    () => catalog.byTitle(wanted),
    () => catalog.byAlias(wanted),
  ]) {
    const found = isName ? level().filter((entry) => !entry.isReserved || entry === own) : level();
    const first = found[0];
    if (first !== undefined) return found.length === 1 ? { kind: 'found', entry: first } : { kind: 'ambiguous', candidates: found };
  }
  return { kind: 'missing' };
}

function exactPaths(files: Files, path: string): readonly Entry[] {
  const folded = foldKey(path);
  const near = namesakes(files, path);
  const whole = near.filter((entry) => foldKey(entry.path) === folded);
  return whole.length > 0 ? whole : near.filter((entry) => foldKey(entry.path) === `${folded}.md`);
}

function pathSuffixes(files: Files, path: string): readonly Entry[] {
  const suffix = `/${foldKey(path)}`;
  const near = namesakes(files, path);
  const whole = near.filter((entry) => foldKey(entry.path).endsWith(suffix));
  return whole.length > 0 ? whole : near.filter((entry) => foldKey(entry.path).endsWith(`${suffix}.md`));
}

/** Returns the notes with the same file name as the path, by path. */
function namesakes(files: Files, path: string): readonly Entry[] {
  return files
    .idsByKey(linkKey(path))
    .map((id) => files.entryOf(id))
    .filter((entry) => entry !== null)
    .toSorted((a, b) => compareText(a.path, b.path));
}
