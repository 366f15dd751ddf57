import { isRecord } from '../../is-record.ts';
import type { Clock } from '../../ports.ts';
import type { ProcessIdentity, ProcessRecord } from '../../store/folder/process-identity.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';

/** So that of several processes on one vault one embeds, and the others read what it kept. */
export interface Claim {
  /** Whether this process may go on; takes the place of one that is gone. */
  isOurs(): Promise<boolean>;
  /** Lets another process have it. */
  release(): Promise<void>;
}

const NAME = 'embedding';
/** How long what was found out holds, and how long the claim of a process that cannot be looked at. */
const LOOK_MS = 10_000;
const STALE_MS = 120_000;

/**
 * A claim that lies in the cache. Two that claim in the same instant may both embed for a moment, which is wasted and harms nothing: what is
 * kept is by the hash of its text.
 */
export function openClaim(files: CacheFiles, self: ProcessIdentity, clock: Clock): Claim {
  let isHeld = false;
  let looked = -Infinity;
  const save = (record: ProcessRecord | null): Promise<void> =>
    files.save(NAME, [Buffer.from(JSON.stringify({ process: record, at: clock.now() }))]);
  return {
    async isOurs() {
      const now = clock.now();
      // A clock that was put back counts as one that went on.
      if (Math.abs(now - looked) < LOOK_MS) return isHeld;
      looked = now;
      const found = read(files);
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
      const found = read(files);
      if (found !== null && isSame(found.process, self.record)) await save(null);
    },
  };
}

function read(files: CacheFiles): { readonly process: ProcessRecord | null; readonly at: number } | null {
  try {
    const value: unknown = JSON.parse(files.load(NAME)?.toString('utf8') ?? 'null');
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
