import { removeIfThere } from '../disk/atomic.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { REJECTED } from '../disk/journal.ts';
import { errorMessage } from '../errors.ts';
import type { Ports } from '../ports.ts';
import type { Batches } from './batch.ts';
import { timeOfId } from './id-time.ts';
import { leaveTrash, listTrash } from './trash.ts';

/** Keeps what roux remembers of its writes bounded. */
export interface Pruning {
  /** Forgets what is too old; does nothing when it did so within the last day. Never fails. */
  run(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A rejected intent is there for a person to look at; after so long nobody will. */
const REJECTED_DAYS = 30;
/** Keys count for seven days, which lie in the newest two months. */
const KEY_SEGMENTS = 2;

/** A pruning of a vault's `.roux`. `trashDays` 0: the trash is never emptied. */
export function openPruning(options: {
  readonly files: FileSystem;
  readonly root: string;
  readonly batches: Batches;
  readonly ports: Pick<Ports, 'clock' | 'log'>;
  readonly trashDays: number;
}): Pruning {
  const { files, root, batches, ports, trashDays } = options;
  let lastRun = -Infinity;

  async function emptyTrash(now: number): Promise<void> {
    if (trashDays === 0) return;
    for (const entry of await listTrash(files, root)) {
      if (entry.removedAt !== null && now - Date.parse(entry.removedAt) > trashDays * DAY_MS) await leaveTrash(files, root, entry);
    }
  }

  async function dropRejected(now: number): Promise<void> {
    const folder = `${root}/.roux/journal/${REJECTED}`;
    for (const name of (await files.list(folder)) ?? []) {
      if (timeOfId(name) === null) continue;
      const state = await files.stat(`${folder}/${name}`);
      if (state?.kind === 'file' && now - Number(state.mtimeNs / 1_000_000n) > REJECTED_DAYS * DAY_MS)
        await removeIfThere(files, `${folder}/${name}`);
    }
  }

  async function dropKeys(): Promise<void> {
    const folder = `${root}/.roux/history/keys`;
    const segments = ((await files.list(folder)) ?? []).filter((name) => name.endsWith('.jsonl'));
    for (const name of segments.slice(0, -KEY_SEGMENTS)) await removeIfThere(files, `${folder}/${name}`);
  }

  return {
    async run() {
      const now = ports.clock.now();
      if (now - lastRun < DAY_MS) return;
      lastRun = now;
      const works = [batches.prune(now), emptyTrash(now), dropRejected(now), dropKeys()];
      const fail = (error: unknown): void => ports.log.warn(`Clearing what is old in .roux failed: ${errorMessage(error)}`);
      await Promise.all(works.map((work) => work.catch(fail)));
    },
  };
}
