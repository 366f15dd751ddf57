import { RouxError } from '../../errors.ts';
import { isoNow } from '../../ports.ts';
import type { Clock } from '../../ports.ts';
import type { Origin, OriginMark } from '../origin.ts';
import type { Segments } from './segments.ts';

/** The record of an idempotency key, so that a repeat gets the first answer. */
export interface KeyRecord {
  readonly seq: number;
  readonly timestamp: string;
  readonly key: string;
  /** Hash of the request. */
  readonly payload: string;
  /** Result of the transaction, JSON. */
  readonly result: unknown;
  /** The answer that the caller got, JSON; absent until it was sent. */
  readonly told?: unknown;
  /** Shows that the record was written here: an answer that came with the folder was never given. */
  readonly origin?: OriginMark;
}

/** Idempotency keys of the last seven days, shared by all processes of a vault. Used under the writer lock. */
export interface Keys {
  /** Returns the record of a key, or null. Throws `IDEMPOTENCY_MISMATCH` when the key was used for another payload. */
  find(key: string, payload: string): KeyRecord | null;
  /** Builds the record that is written with the transaction. */
  recordFor(key: string, payload: string, result: unknown): KeyRecord;
  /** Builds the record again with the answer that the caller got. */
  recordWithAnswer(record: KeyRecord, told: unknown): KeyRecord;
}

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Reads and builds the records of idempotency keys. `known`: has the lines of the segments that were read or appended. */
export function createKeys(segments: Segments<KeyRecord>, known: Map<string, KeyRecord>, origin: Origin, clock: Clock): Keys {
  let isLoaded = false;

  function refresh(): void {
    const { isComplete } = segments.poll();
    if (isLoaded && isComplete) return;
    isLoaded = true;
    known.clear();
    // Seven days span two months at most.
    const names = segments.names();
    const months = [...new Set(names.map((name) => name.slice(0, 7)))].slice(-2);
    for (const name of names) if (months.includes(name.slice(0, 7))) addKeys(known, segments.readAtOnce(name));
  }

  return {
    find(key, payload) {
      refresh();
      const record = known.get(key);
      if (record === undefined || clock.now() - Date.parse(record.timestamp) > RETENTION_MS) return null;
      if (!origin.isOurs(signedText(record), record.origin)) return null;
      if (record.payload !== payload) {
        throw new RouxError(
          'IDEMPOTENCY_MISMATCH',
          `The idempotency key ${JSON.stringify(key)} was used for another request; use a new key.`,
          { idempotency_key: key },
        );
      }
      return record;
    },
    recordFor(key, payload, result) {
      const record: KeyRecord = {
        seq: segments.lastSeq + 1,
        timestamp: isoNow(clock),
        key,
        payload,
        // Normalised to what will be read back, since the signature covers it.
        result: JSON.parse(JSON.stringify(result ?? null)) as unknown,
      };
      return { ...record, origin: origin.sign(signedText(record)) };
    },
    recordWithAnswer(first, told) {
      const record: KeyRecord = { ...first, seq: segments.lastSeq + 1, told: JSON.parse(JSON.stringify(told ?? null)) as unknown };
      return { ...record, origin: origin.sign(signedText(record)) };
    },
  };
}

export function addKeys(known: Map<string, KeyRecord>, records: readonly KeyRecord[]): void {
  for (const record of records) known.set(record.key, record);
}

/** Returns whether a value read from the segments is the record of a key. */
export function isKeyRecord(value: unknown): value is KeyRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Readonly<Record<string, unknown>>;
  return (
    typeof record['seq'] === 'number' &&
    typeof record['timestamp'] === 'string' &&
    typeof record['key'] === 'string' &&
    typeof record['payload'] === 'string'
  );
}

function signedText({ timestamp, key, payload, result, told }: KeyRecord): string {
  return JSON.stringify(['key', timestamp, key, payload, result, ...(told === undefined ? [] : [told])]);
}
