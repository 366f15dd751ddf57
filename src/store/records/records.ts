import type { FileReader, FileSystem } from '../folder/file-system.ts';
import { listAllowed } from '../folder/read-allowed.ts';
import type { Origin } from '../origin.ts';
import { isHistoryEvent } from './history-event.ts';
import type { HistoryEvent } from './history-event.ts';
import { isKeyRecord } from './keys.ts';
import type { KeyRecord } from './keys.ts';
import { openLineAuthorship } from './line-authorship.ts';
import { openSegments } from './segments.ts';
import type { Segments } from './segments.ts';

/** What a vault remembers of its writes: events, idempotency keys, and the bytes that undo needs. Paths are vault-relative. */
export interface Records {
  readonly events: Segments<HistoryEvent>;
  /** The same, apart from what is read under the lock: whoever reads waits for no writer. */
  readonly overheard: Segments<HistoryEvent>;
  readonly keys: Segments<KeyRecord>;
  /** Finished intents: what undo reads. */
  batchFile(batch: string): string;
  /** What a step of a batch displaced. */
  beforeFile(batch: string, step: number): string;
}

/** Who hears of what is appended, by this process or another. */
export interface RecordsListener {
  onEvents(events: readonly HistoryEvent[]): void;
  onKeys(keys: readonly KeyRecord[]): void;
}

/** Where the events are kept. */
export const HISTORY = '.roux/history';
/** Where idempotency keys are kept. */
export const KEYS = `${HISTORY}/keys`;
/** Where finished transactions are kept. */
export const BATCHES = `${HISTORY}/batches`;

/** The records in a vault's `.roux` folder. */
export function openRecords(
  files: FileSystem,
  { origin, isSynced }: { readonly origin: Origin; readonly isSynced: boolean },
  listener: Partial<RecordsListener> = {},
): Records {
  const { onEvents = () => undefined, onKeys = () => undefined } = listener;
  const authorship = openLineAuthorship(files, origin, { folder: HISTORY, batches: BATCHES, isSynced });
  const openEvents = () => openSegments(files, HISTORY, { isLine: isHistoryEvent, onLines: onEvents, authorship });
  return {
    events: openEvents(),
    overheard: openEvents(),
    keys: openSegments(files, KEYS, { isLine: isKeyRecord, onLines: onKeys }),
    batchFile: (batch) => `${BATCHES}/${batch}.json`,
    beforeFile: (batch, step) => `${BATCHES}/${batch}.${step}`,
  };
}

/** What the events, and what is kept to take writes back, take of the disk, in bytes. */
export function sizesOfRecords(files: Pick<FileReader, 'list' | 'stat'>): { readonly history: number; readonly batches: number } {
  const sizeOf = (folder: string): number =>
    listAllowed(files, folder).reduce(
      (sum, { name, kind }) => sum + (kind === 'file' ? (files.stat(`${folder}/${name}`)?.size ?? 0) : 0),
      0,
    );
  return { history: sizeOf(HISTORY), batches: sizeOf(BATCHES) };
}
