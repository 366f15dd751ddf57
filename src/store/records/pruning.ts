import { errorMessage } from '../../errors.ts';
import type { Ports } from '../../ports.ts';
import type { FileSystem } from '../folder/file-system.ts';
import { removeIfThere } from '../folder/write-file.ts';
import { REJECTED } from '../transaction/journal.ts';
import type { Batches } from './batches.ts';
import { timeOfId } from './id-time.ts';
import { KEYS } from './records.ts';
import { removeFromTrash, listTrash } from './trash.ts';

/** Keeps the size of `.roux` bounded. */
export interface Pruning {
  /** Deletes what is too old, at most once a day. Never throws. */
  run(): void;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days that a rejected write is kept for people to inspect. */
const REJECTED_DAYS = 30;
/** Keys are valid for seven days, which span two months at most. */
const KEY_MONTHS = 2;

/** Creates the pruning of a vault's `.roux`. `trashDays` 0: the trash is never emptied. */
export function createPruning(options: {
  readonly files: FileSystem;
  readonly batches: Batches;
  readonly ports: Pick<Ports, 'clock' | 'log'>;
  readonly trashDays: number;
}): Pruning {
  const { files, batches, ports, trashDays } = options;
  let lastRun = -Infinity;
  /** Difference between the wall clock and the monotonic clock, in milliseconds. */
  let skew = ports.clock.now() - performance.now();

  /** Whether the clock was set since the last run. It may be wrong, and deletions are final, so pruning skips a day. */
  function wasClockSet(now: number): boolean {
    const before = skew;
    skew = now - performance.now();
    return Math.abs(skew - before) > DAY_MS;
  }

  function emptyTrash(now: number): void {
    if (trashDays === 0) return;
    const isOld = (removedAt: string | null): boolean => removedAt !== null && now - Date.parse(removedAt) > trashDays * DAY_MS;
    removeFromTrash(
      files,
      listTrash(files).filter(({ removedAt }) => isOld(removedAt)),
    );
  }

  function dropRejected(now: number): void {
    for (const { name, kind } of files.list(REJECTED) ?? []) {
      if (kind !== 'file' || timeOfId(name) === null) continue;
      const state = files.stat(`${REJECTED}/${name}`);
      if (state !== null && now - Number(state.mtimeNs / 1_000_000n) > REJECTED_DAYS * DAY_MS) removeIfThere(files, `${REJECTED}/${name}`);
    }
  }

  function dropKeys(): void {
    const names = (files.list(KEYS) ?? []).filter(({ name, kind }) => kind === 'file' && name.endsWith('.jsonl')).map(({ name }) => name);
    const kept = [...new Set(names.map(monthOf).toSorted())].slice(-KEY_MONTHS);
    for (const name of names) if (!kept.includes(monthOf(name))) removeIfThere(files, `${KEYS}/${name}`);
  }

  return {
    run() {
      const now = ports.clock.now();
      if (Math.abs(now - lastRun) < DAY_MS) return;
      lastRun = now;
      if (wasClockSet(now)) return;
      for (const work of [() => batches.prune(now), () => emptyTrash(now), () => dropRejected(now), dropKeys]) {
        try {
          work();
        } catch (error) {
          ports.log.warn(`Clearing what is old in .roux failed: ${errorMessage(error)}`);
        }
      }
    },
  };
}

function monthOf(segment: string): string {
  return segment.slice(0, 7);
}
