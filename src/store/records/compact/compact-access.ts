import type { Ports } from '../../../ports.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import type { Origin } from '../../origin.ts';
import { BATCHES } from '../records.ts';

/** What a compaction works with. */
export interface CompactAccess {
  readonly files: FileSystem;
  readonly origin: Origin;
  readonly ports: Pick<Ports, 'clock' | 'log' | 'newId'>;
  /** Runs a task while it holds the writer lock. */
  readonly underLock: (task: (files: FileSystem, lock: { check(): Promise<void> }) => Promise<void>) => Promise<void>;
}

/** Younger batches are not packed: they are the ones that are undone and read most. */
const MIN_AGE_MS = 60 * 60 * 1000;

/** Suffix of temporary files. */
export const STAGED = '.staged';

/** Returns whether a time in milliseconds is long enough ago; false for null. */
export function isOld({ ports }: CompactAccess, time: number | null): boolean {
  return time !== null && ports.clock.now() - time >= MIN_AGE_MS;
}

export function stagedName({ ports }: CompactAccess): string {
  return `${BATCHES}/${ports.newId()}${STAGED}`;
}
