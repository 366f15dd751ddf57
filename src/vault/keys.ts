import type { History } from '../disk/history.ts';
import { RouxError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { KeyRecord } from './intent.ts';
import type { Committed } from './plan.ts';

/** Idempotency keys of the last seven days, shared by all processes on a vault. Used under the writer lock. */
export interface Keys {
  /** The first result under this key, or null. Throws `IDEMPOTENCY_MISMATCH` when the key came with another payload. */
  find(key: string, payload: string): Promise<Committed | null>;
  /** Takes notice of records that were appended. */
  learn(records: readonly KeyRecord[]): void;
  /** Makes the record that goes into the transaction. */
  recordFor(key: string, payload: string): (result: Committed) => KeyRecord;
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** The keys in this history. */
export function openKeys(history: () => History<KeyRecord>, clock: Clock): Keys {
  const known = new Map<string, KeyRecord>();
  let isLoaded = false;

  async function refresh(): Promise<void> {
    const lines = history();
    const { isComplete } = await lines.look();
    if (!isLoaded || !isComplete) {
      isLoaded = true;
      known.clear();
      // Seven days lie in two segments at most.
      for (const segment of (await lines.segments()).slice(-2)) learn(await lines.read(segment));
    }
  }

  const learn = (records: readonly KeyRecord[]): void => {
    for (const record of records) known.set(record.key, record);
  };

  return {
    learn,
    async find(key, payload) {
      await refresh();
      const record = known.get(key);
      if (record === undefined || clock.now() - Date.parse(record.timestamp) > KEPT_MS) return null;
      if (record.payload !== payload) {
        throw new RouxError(
          'IDEMPOTENCY_MISMATCH',
          `The idempotency key ${JSON.stringify(key)} was used for another request; use a new key.`,
          { idempotency_key: key },
        );
      }
      return isCommitted(record.result) ? record.result : null;
    },
    recordFor: (key, payload) => (result) => {
      const record: KeyRecord = { seq: history().lastSeq + 1, timestamp: new Date(clock.now()).toISOString(), key, payload, result };
      return record;
    },
  };
}

function isCommitted(value: unknown): value is Committed {
  return typeof value === 'object' && value !== null && 'files' in value && 'batch' in value;
}
