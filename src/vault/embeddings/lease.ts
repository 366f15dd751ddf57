import { isRecord } from '../../is-record.ts';
import type { Clock } from '../../ports.ts';
import type { ProcessIdentity, ProcessRecord } from '../../store/folder/process-identity.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';

/** A lease, so that only one of several processes on a vault does the work that it is for; the others read what it saved. */
export interface Lease {
  /** Acquires or renews the lease; takes over that of a process that has ended. False while another process holds it. */
  tryAcquire(): Promise<boolean>;
  /** Gives the lease up, so that another process can have it. */
  release(): Promise<void>;
}

/** How long a result is trusted, and after which time the lease of a process that cannot be inspected counts as stale. */
const CHECK_MS = 10_000;
const STALE_MS = 120_000;

/**
 * Creates a lease stored in the cache. Two processes that acquire it in the same instant may both work for a moment, which wastes time and
 * does no harm: results are stored by the hash of what they were made from. Without `canSave` nothing is written, and the lease is held
 * while no other process holds it.
 */
export function createLease(
  files: CacheFiles,
  self: ProcessIdentity,
  clock: Clock,
  { name = 'embedding', canSave = true }: { readonly name?: string; readonly canSave?: boolean } = {},
): Lease {
  let isHeld = false;
  let looked = -Infinity;
  const save = async (record: ProcessRecord | null): Promise<void> => {
    if (canSave) await files.save(name, [Buffer.from(JSON.stringify({ process: record, at: clock.now() }))]);
  };
  return {
    async tryAcquire() {
      const now = clock.now();
      // A clock that was set back counts like one that went forward.
      if (Math.abs(now - looked) < CHECK_MS) return isHeld;
      looked = now;
      const found = read(files, name);
      const isOwn = found !== null && isSame(found.process, self.record);
      const isTaken =
        found?.process != null &&
        !isOwn &&
        (self.liveness(found.process) === 'alive' || (self.liveness(found.process) === 'unknown' && Math.abs(now - found.at) < STALE_MS));
      isHeld = !isTaken;
      if (isHeld) await save(self.record);
      return isHeld;
    },
    async release() {
      if (!isHeld) return;
      isHeld = false;
      looked = -Infinity;
      const found = read(files, name);
      if (found !== null && isSame(found.process, self.record)) await save(null);
    },
  };
}

function read(files: CacheFiles, name: string): { readonly process: ProcessRecord | null; readonly at: number } | null {
  try {
    const value: unknown = JSON.parse(files.load(name)?.toString('utf8') ?? 'null');
    if (!isRecord(value) || typeof value['at'] !== 'number') return null;
    const { process: record, at } = value;
    return { process: isRecord(record) && typeof record['pid'] === 'number' ? (record as unknown as ProcessRecord) : null, at };
  } catch {
    return null;
  }
}

function isSame(a: ProcessRecord | null, b: ProcessRecord): boolean {
  return a !== null && a.pid === b.pid && a.start === b.start && a.boot === b.boot && a.namespace === b.namespace && a.host === b.host;
}
