import type { CacheFiles } from '../../store/records/cache-files.ts';

/** Remembers when somebody confirmed that vanished notes are meant to be gone. Shared by all processes of the vault. */
export interface AcceptedDeletions {
  /** Returns whether that was after this time, in milliseconds. */
  isAccepted(since: number): boolean;
  accept(now: number): Promise<void>;
}

const NAME = 'accepted-losses';

/** Stored in the cache: if it is lost, a process asks again. */
export function createAcceptedDeletions(cache: CacheFiles): AcceptedDeletions {
  return {
    isAccepted: (since) => Number(cache.load(NAME)?.toString('utf8') ?? 0) > since,
    accept: (now) => cache.save(NAME, [Buffer.from(String(now))]),
  };
}
