import { openHistory } from '../disk/history.ts';
import type { History } from '../disk/history.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { KeyRecord } from './intent.ts';
import type { HistoryEvent } from './plan.ts';

/** What a vault remembers of its writes: events, idempotency keys, and the bytes that undo needs. */
export interface Logbook {
  readonly events: History<HistoryEvent>;
  readonly keys: History<KeyRecord>;
  /** Finished intents: what undo reads. */
  batchFile(batch: string): string;
  /** What a step of a batch displaced. */
  beforeFile(batch: string, step: number): string;
}

/** Who hears of what is appended, by this process or another. */
export interface LogbookListener {
  onEvents(events: readonly HistoryEvent[]): void;
  onKeys(keys: readonly KeyRecord[]): void;
}

/** The logbook in a vault's `.roux` folder. */
export function openLogbook(files: FileSystem, folder: string, listener: Partial<LogbookListener> = {}): Logbook {
  return {
    events: openHistory(files, `${folder}/history`, isHistoryEvent, listener.onEvents),
    keys: openHistory(files, `${folder}/history/keys`, isKeyRecord, listener.onKeys),
    batchFile: (batch) => `${folder}/history/batches/${batch}.json`,
    beforeFile: (batch, step) => `${folder}/history/batches/${batch}.${step}`,
  };
}

function isHistoryEvent(value: unknown): value is HistoryEvent {
  return (
    isLine(value) &&
    'node' in value &&
    typeof value.node === 'string' &&
    'path' in value &&
    'changes' in value &&
    Array.isArray(value.changes)
  );
}

function isKeyRecord(value: unknown): value is KeyRecord {
  return isLine(value) && 'key' in value && typeof value.key === 'string' && 'payload' in value;
}

function isLine(value: unknown): value is { seq: number; timestamp: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'seq' in value &&
    typeof value.seq === 'number' &&
    'timestamp' in value &&
    typeof value.timestamp === 'string'
  );
}
