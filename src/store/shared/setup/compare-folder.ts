import type { FileReader } from '../../folder/file-system.ts';
import { hashAt } from '../../folder/hash.ts';
import type { CommitFeed, SharedVault } from '../shared-vault.ts';
import { revertBlocked } from '../incoming/blocked-change.ts';
import { belongsToCopy, readCheckpoint } from '../checkpoint/checkpoint.ts';
import { isAllowedPath, listInventory } from './inventory.ts';
import type { SkippedFile } from './inventory.ts';

/**
 * How a file of a folder differs from the store's. `waits`: edited here, and not pushed. `comes`: changed there, and not applied here.
 * `blocked`: changed there, and applying it failed. `unusable`: the store has it under a name that no vault may have. `both`: edited here
 * and changed there. `missing`: gone here.
 */
export interface Difference {
  readonly path: string;
  readonly kind: 'waits' | 'comes' | 'blocked' | 'unusable' | 'both' | 'missing';
}

/** The differences between a folder and its store. */
export interface Comparison {
  /** The checkpoint of the folder; null if it has none of this vault. */
  readonly seq: number | null;
  /** The last commit of the store. */
  readonly storeSeq: number;
  /** The number of files in the store. */
  readonly files: number;
  readonly differences: readonly Difference[];
  /** Files that the store cannot have. */
  readonly skipped: readonly SkippedFile[];
}

/** Compares every file of a folder with the store, by hash. Changes neither. */
export async function compareFolder({
  files,
  shared,
  copy,
  onProgress,
}: {
  readonly files: FileReader;
  readonly shared: Pick<SharedVault, 'id'> & { readonly feed: Pick<CommitFeed, 'listing' | 'filesAt'> };
  /** The id of the working copy. */
  readonly copy: string;
  readonly onProgress: (done: number, total: number) => void;
}): Promise<Comparison> {
  const checkpoint = readCheckpoint(files);
  const isOurs = checkpoint !== null && belongsToCopy(checkpoint, { vault: shared.id, copy });
  const before = isOurs ? await shared.feed.filesAt(checkpoint.seq) : null;
  const blocked = isOurs ? checkpoint.unplaced : [];
  const base = before && revertBlocked(before, blocked);
  const isBlocked = new Set(blocked.map(({ path }) => path));
  const listing = await shared.feed.listing();
  const there = new Map(listing.files.map(({ path, hash }) => [path, hash]));
  const refused: string[] = [];
  const { paths, skipped } = listInventory(files, (folder) => refused.push(folder));
  const here = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    const hash = hashAt(files, path);
    if (hash !== null) here.set(path, hash);
    onProgress(index + 1, paths.length);
  }
  const all = [...new Set([...here.keys(), ...there.keys(), ...(base?.keys() ?? [])])].toSorted();
  const differences = all.flatMap((path): Difference[] => {
    if (refused.some((folder) => path.startsWith(`${folder}/`))) return [];
    if (!isAllowedPath(path)) return there.has(path) ? [{ path, kind: 'unusable' }] : [];
    const kind = kindOf({ here: here.get(path), base: base?.get(path), there: there.get(path), isKnown: base !== null });
    return kind === null ? [] : [{ path, kind: kind === 'comes' && isBlocked.has(path) ? 'blocked' : kind }];
  });
  return {
    seq: isOurs ? checkpoint.seq : null,
    storeSeq: listing.seq,
    files: there.size,
    differences,
    skipped: [...skipped, ...refused.map((path) => ({ path, reason: 'this user may not look into it' }))],
  };
}

/** `isKnown`: the files of the checkpoint are known. */
function kindOf({
  here,
  base,
  there,
  isKnown,
}: {
  readonly here: string | undefined;
  readonly base: string | undefined;
  readonly there: string | undefined;
  readonly isKnown: boolean;
}): Difference['kind'] | null {
  if (here === there) return null;
  if (!isKnown) return here === undefined ? 'comes' : there === undefined ? 'waits' : 'both';
  if (here === base) return 'comes';
  if (here === undefined && there === base) return 'missing';
  return there === base ? 'waits' : 'both';
}
