import { RouxError } from '../../errors.ts';
import { isoNow } from '../../ports.ts';
import type { Clock } from '../../ports.ts';
import type { Origin, OriginMark } from '../origin.ts';
import type { Segments } from './segments.ts';

/** The record of an idempotency key, kept so that a repeat gets the first answer. */
export interface KeyRecord {
  readonly seq: number;
  readonly timestamp: string;
  readonly key: string;
  /** Hash of what was asked for. */
  readonly payload: string;
  /** What the transaction came to, JSON. */
  readonly result: unknown;
  /** What the caller was told of it, JSON; absent until it was. */
  readonly told?: unknown;
  /** Shows that it was written here: an answer that came with the folder was never given. */
  readonly origin?: OriginMark;
}

/** Idempotency keys of the last seven days, shared by all processes on a vault. Used under the writer lock. */
export interface Keys {
  /** The first answer under this key, or null. Throws `IDEMPOTENCY_MISMATCH` when the key came with another payload. */
  find(key: string, payload: string): KeyRecord | null;
  /** Takes notice of records that were appended. */
  learn(records: readonly KeyRecord[]): void;
  /** Makes the record that goes into the transaction. */
  recordFor(key: string, payload: string, result: unknown): KeyRecord;
  /** The same record with what the caller was told. */
  recordTold(record: KeyRecord, told: unknown): KeyRecord;
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** The keys in these segments. */
export function openKeys(segments: () => Segments<KeyRecord>, origin: Origin, clock: Clock): Keys {
  const known = new Map<string, KeyRecord>();
  let isLoaded = false;

  function refresh(): void {
    const lines = segments();
    const { isComplete } = lines.look();
    if (isLoaded && isComplete) return;
    isLoaded = true;
    known.clear();
    // Seven days lie in two months at most.
    const names = lines.names();
    const months = [...new Set(names.map((name) => name.slice(0, 7)))].slice(-2);
    for (const name of names) if (months.includes(name.slice(0, 7))) learn(lines.read(name));
  }

  const learn = (records: readonly KeyRecord[]): void => {
    for (const record of records) known.set(record.key, record);
  };

  return {
    learn,
    find(key, payload) {
      refresh();
      const record = known.get(key);
      if (record === undefined || clock.now() - Date.parse(record.timestamp) > KEPT_MS) return null;
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
        seq: segments().lastSeq + 1,
        timestamp: isoNow(clock),
        key,
        payload,
        // As it will be read back: the mark is made of that.
        result: JSON.parse(JSON.stringify(result ?? null)) as unknown,
      };
      return { ...record, origin: origin.sign(signedText(record)) };
    },
    recordTold(first, told) {
      const record: KeyRecord = { ...first, seq: segments().lastSeq + 1, told: JSON.parse(JSON.stringify(told ?? null)) as unknown };
      return { ...record, origin: origin.sign(signedText(record)) };
    },
  };
}

/** Whether a value read from the segments is the record of a key. */
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
