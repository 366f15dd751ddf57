import type { CacheFiles } from '../../store/records/cache-files.ts';

/** When somebody said that notes which vanished are meant to be gone: told to all processes of this vault. */
export interface AcceptedLosses {
  /** Whether that was after this time. */
  isAccepted(since: number): boolean;
  accept(now: number): Promise<void>;
}

const NAME = 'accepted-losses';

/** Kept with what can be made anew: without it a process asks again. */
export function openAcceptedLosses(cache: CacheFiles): AcceptedLosses {
  return {
    isAccepted: (since) => Number(cache.load(NAME)?.toString('utf8') ?? 0) > since,
    accept: (now) => cache.save(NAME, [Buffer.from(String(now))]),
  };
}
