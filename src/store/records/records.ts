import type { FileReader, FileSystem } from '../folder/file-system.ts';
import { listAllowed } from '../folder/system-error.ts';
import type { Origin } from '../origin.ts';
import { isHistoryEvent } from './history-event.ts';
import type { HistoryEvent } from './history-event.ts';
import { addKeys, isKeyRecord } from './keys.ts';
import type { KeyRecord } from './keys.ts';
import { createLineAuthorship } from './line-authorship.ts';
import { SegmentLog } from './segments.ts';
import type { Segments } from './segments.ts';

/** The records of a vault's writes: events, idempotency keys, and the bytes for undo. Paths are vault-relative. */
export interface Records {
  readonly events: Segments<HistoryEvent>;
  /** The same events with a read position of its own, for readers that do not hold the lock. */
  readonly unlockedEvents: Segments<HistoryEvent>;
  readonly keys: Segments<KeyRecord>;
  /** The lines of `keys` that were read or appended, by key. */
  readonly knownKeys: Map<string, KeyRecord>;
  /** Returns the path of a finished intent. */
  batchFile(batch: string): string;
  /** Returns the path of the bytes that a step of a batch displaced. */
  beforeFile(batch: string, step: number): string;
}

/** Folder of the events. */
export const HISTORY = '.roux/history';
/** Folder of the idempotency keys. */
export const KEYS = `${HISTORY}/keys`;
/** Folder of the finished transactions. */
export const BATCHES = `${HISTORY}/batches`;

/** Opens the records in a vault's `.roux` folder. `onEvents` receives what is appended, by this process or another. */
export function openRecords(
  files: FileSystem,
  { origin, isSynced }: { readonly origin: Origin; readonly isSynced: boolean },
  onEvents: (events: readonly HistoryEvent[]) => void = () => undefined,
): Records {
  const knownKeys = new Map<string, KeyRecord>();
  const authorship = createLineAuthorship(files, origin, { folder: HISTORY, batches: BATCHES, isSynced });
  const openEvents = () => new SegmentLog(files, HISTORY, { isLine: isHistoryEvent, onLines: onEvents, authorship });
  return {
    events: openEvents(),
    unlockedEvents: openEvents(),
    keys: new SegmentLog(files, KEYS, { isLine: isKeyRecord, onLines: (lines) => addKeys(knownKeys, lines) }),
    knownKeys,
    batchFile: (batch) => `${BATCHES}/${batch}.json`,
    beforeFile: (batch, step) => `${BATCHES}/${batch}.${step}`,
  };
}

/** Returns the sizes on disk of the events and of the data for undo, in bytes. */
export function sizesOfRecords(files: Pick<FileReader, 'list' | 'stat'>): { readonly history: number; readonly batches: number } {
  const sizeOf = (folder: string): number =>
    listAllowed(files, folder).reduce(
      (sum, { name, kind }) => sum + (kind === 'file' ? (files.stat(`${folder}/${name}`)?.size ?? 0) : 0),
      0,
    );
  return { history: sizeOf(HISTORY), batches: sizeOf(BATCHES) };
}
