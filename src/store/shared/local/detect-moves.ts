import { pairMoves } from '../../pair-moves.ts';
import type { Edit, Evidence } from '../../pair-moves.ts';
import type { FetchContents, LocalChangesOptions } from './file-snapshot.ts';

/** At most this many contents are fetched to read the ids in them. */
const MAX_IDS_FETCHED = 500;
const MAX_IDS_CACHED = 5_000;

/** Detects moves among edits, also by the ids in the files. */
export type DetectMoves = (
  edits: readonly Edit[],
  contentsOf: FetchContents,
  evidence: Omit<Evidence, 'idBefore' | 'idNow'>,
) => Promise<readonly Edit[]>;

/** Creates a detector that reads the id of each content once. */
export function createMoveDetector(idOf: NonNullable<LocalChangesOptions['idOf']>): DetectMoves {
  /** The ids by the hash of their content. */
  const ids = new Map<string, string | null>();

  function cacheId(path: string, hash: string, bytes: Uint8Array): string | null {
    const id = ids.get(hash) ?? idOf(path, bytes);
    ids.delete(hash);
    ids.set(hash, id);
    for (const oldest of ids.keys()) {
      if (ids.size <= MAX_IDS_CACHED) break;
      ids.delete(oldest);
    }
    return id;
  }

  return async (all, contentsOf, evidence) => {
    const here = all.filter(({ file }) => file !== null);
    const stored = all.filter(({ before }) => before !== null);
    if (here.length === 0 || stored.length === 0 || (all.length === 1 && stored.length === 1)) return all;
    const idNow = new Map(here.map(({ path, file }) => [path, file === null ? null : cacheId(path, file.hash, file.bytes)]));
    const isAsked = [...idNow.values()].some((id) => id !== null);
    const unknown = stored.filter(({ before }) => before !== null && !ids.has(before)).slice(0, MAX_IDS_FETCHED);
    const contents = isAsked && unknown.length > 0 ? await contentsOf([...new Set(unknown.flatMap(({ before }) => before ?? []))]) : null;
    for (const { path, before } of unknown) {
      const bytes = before === null ? undefined : contents?.get(before);
      if (before !== null && bytes !== undefined) cacheId(path, before, bytes);
    }
    return pairMoves(all, {
      ...evidence,
      idBefore: ({ before }) => (before === null ? null : (ids.get(before) ?? null)),
      idNow: ({ path }) => idNow.get(path) ?? null,
    });
  };
}
