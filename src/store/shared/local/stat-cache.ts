import * as z from 'zod';
import type { CacheFiles } from '../../records/cache-files.ts';
import type { FolderSnapshot } from './file-snapshot.ts';
import type { LocalChanges } from './local-changes.ts';
import { hashesAfter, squashCommits } from '../incoming/squash-commits.ts';
import type { SharedVault } from '../shared-vault.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { batchAt, listCommitsBetween } from '../checkpoint/resolve-checkpoint.ts';

/**
 * What was known of a working copy when its files were looked at last, for not asking the store for all of them and not reading all of
 * them at each start: the hash by path as of a commit, and the state that each file had with this hash. Made anew when it is lost.
 */
export interface StatCache {
  /** What the store had at this commit and what was seen in the folder; null where nothing is kept, or not for this commit. */
  load(shared: SharedVault, at: Pick<Checkpoint, 'seq' | 'batch'>): Promise<FolderSnapshot | null>;
  /** Keeps it, where enough of it is new; at the end of a process (`isLast`) where anything is. */
  save(
    edits: Pick<LocalChanges, 'base' | 'snapshot' | 'uncachedReads'>,
    shared: SharedVault,
    at: Pick<Checkpoint, 'seq' | 'batch'>,
    how?: { readonly isLast?: boolean },
  ): Promise<void>;
}

const NAME = 'shared.json';
/** With fewer new ones among so many, reading these again costs less than writing all. */
const FEW = 200;
const FEW_OF_ALL = 0.02;
/** From further back all files are asked for. */
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
const kept = z.object({ format: z.literal(1), vault: z.string(), seq: z.int().min(0), batch: z.string(), files: z.array(file) });

/** The one in the cache of a folder. */
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
      if (!isLast && edits.uncachedReads <= Math.max(FEW, edits.base.size * FEW_OF_ALL)) return;
      const batch = known ?? (await batchAt(shared, seq));
      if (batch === null) return;
      const { base, seen } = edits.snapshot();
      const states = new Map(seen.map(({ path, state }) => [path, state]));
      const files = [...base].map(([path, hash]) => {
        const state = states.get(path);
        const told = state && {
          size: state.size,
          mtimeNs: String(state.mtimeNs),
          ctimeNs: String(state.ctimeNs),
          ino: String(state.ino),
          ...(state.birthNs === undefined ? {} : { birthNs: String(state.birthNs) }),
        };
        return [path, hash, told ?? null];
      });
      await cache.save(NAME, [Buffer.from(JSON.stringify({ format: 1, vault: shared.id, seq, batch, files }))]);
      edits.uncachedReads = 0;
    },
  };
}

/** The commits from what is kept to where the folder stands, where the store has both on one line. */
async function commitsBetween(shared: SharedVault, from: { readonly seq: number; readonly batch: string }, to: number) {
  if (to - from.seq > MAX_COMMITS || (await batchAt(shared, from.seq)) !== from.batch) return null;
  return listCommitsBetween(shared, from.seq, to);
}

function parse(bytes: Buffer | null): z.infer<typeof kept> | null {
  try {
    return kept.safeParse(JSON.parse(bytes?.toString('utf8') ?? '')).data ?? null;
  } catch {
    return null;
  }
}
