import * as z from 'zod';
import type { CacheFiles } from '../../records/cache-files.ts';
import type { FolderSnapshot } from './file-snapshot.ts';
import type { LocalChanges } from './local-changes.ts';
import { hashesAfter, squashCommits } from '../incoming/squash-commits.ts';
import type { SharedVault } from '../shared-vault.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { batchAt, listCommitsBetween } from '../checkpoint/resolve-checkpoint.ts';

/**
 * A cache of the store's files as of a commit and of the state in which each was seen in the folder, as in git's index: a start need not ask the
 * store for all files, nor read all of them. It is rebuilt when it is lost.
 */
export interface StatCache {
  /** Returns what is cached, brought to this commit; null if nothing usable is. */
  load(shared: SharedVault, at: Pick<Checkpoint, 'seq' | 'batch'>): Promise<FolderSnapshot | null>;
  /** Saves the cache if enough is new, or if anything is and the process ends (`isLast`). */
  save(
    edits: Pick<LocalChanges, 'base' | 'snapshot' | 'uncachedReads'>,
    shared: SharedVault,
    at: Pick<Checkpoint, 'seq' | 'batch'>,
    how?: { readonly isLast?: boolean },
  ): Promise<void>;
}

const NAME = 'shared.json';
/** Reading fewer new files again costs less than writing the cache. */
const MIN_NEW_FILES = 200;
const MIN_NEW_SHARE = 0.02;
/** A cache that is further behind is not used. */
const MAX_COMMITS = 2_000;

const number = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);
const file = z.tuple([
  z.string(),
  z.string(),
  z.object({ size: z.int().min(0), mtimeNs: number, ctimeNs: number, ino: number, birthNs: number.optional() }).nullable(),
]);
const cacheSchema = z.object({ format: z.literal(1), vault: z.string(), seq: z.int().min(0), batch: z.string(), files: z.array(file) });

/** Creates the cache in the cache files of a folder. */
export function createStatCache(cache: Pick<CacheFiles, 'load' | 'save' | 'remove'>): StatCache {
  return {
    async load(shared, { seq, batch }) {
      const found = parse(cache.load(NAME));
      if (found === null || found.vault !== shared.id || found.seq > seq) return null;
      const base = new Map(found.files.map(([path, hash]) => [path, hash]));
      if (found.seq < seq || found.batch !== batch) {
        const commits = await commitsBetween(shared, found, seq);
        if (commits === null) return null;
        for (const [path, hash] of hashesAfter(squashCommits(commits))) {
          if (hash === null) base.delete(path);
          else base.set(path, hash);
        }
      }
      return { base, seen: found.files.flatMap(([path, hash, state]) => (state === null ? [] : [{ path, hash, state }])) };
    },
    async save(edits, shared, { seq, batch: known }, { isLast = false } = {}) {
      if (edits.uncachedReads === 0) return;
      if (!isLast && edits.uncachedReads <= Math.max(MIN_NEW_FILES, edits.base.size * MIN_NEW_SHARE)) return;
      const batch = known ?? (await batchAt(shared, seq));
      if (batch === null) return;
      const { base, seen } = edits.snapshot();
      const states = new Map(seen.map(({ path, state }) => [path, state]));
      const files = [...base].map(([path, hash]) => {
        const state = states.get(path);
        const saved = state && {
          size: state.size,
          mtimeNs: String(state.mtimeNs),
          ctimeNs: String(state.ctimeNs),
          ino: String(state.ino),
          ...(state.birthNs === undefined ? {} : { birthNs: String(state.birthNs) }),
        };
        return [path, hash, saved ?? null];
      });
      await cache.save(NAME, [Buffer.from(JSON.stringify({ format: 1, vault: shared.id, seq, batch, files }))]);
      edits.uncachedReads = 0;
    },
  };
}

/** Lists the commits from the cache to the checkpoint; null if the store does not have them. */
async function commitsBetween(shared: SharedVault, from: { readonly seq: number; readonly batch: string }, to: number) {
  if (to - from.seq > MAX_COMMITS || (await batchAt(shared, from.seq)) !== from.batch) return null;
  return listCommitsBetween(shared, from.seq, to);
}

function parse(bytes: Buffer | null): z.infer<typeof cacheSchema> | null {
  try {
    return cacheSchema.safeParse(JSON.parse(bytes?.toString('utf8') ?? '')).data ?? null;
  } catch {
    return null;
  }
}
