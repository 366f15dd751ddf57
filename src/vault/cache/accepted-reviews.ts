import { isRecord } from '../../is-record.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import type { Accepted } from '../history/review.ts';

/** Up to where somebody said that they had seen what agents changed: told to all processes of this vault. */
export interface AcceptedReviews {
  read(): Accepted;
  /** All up to a number of the history, or what one agent did. */
  accept(upTo: number, by?: string): Promise<void>;
}

const NAME = 'reviewed';

/** Kept with what can be made anew: without it the changes of the last day are shown again. */
export function openAcceptedReviews(cache: CacheFiles): AcceptedReviews {
  const read = (): Accepted => {
    const kept = parse(cache.load(NAME)?.toString('utf8') ?? '');
    const all = kept['all'];
    const by = isRecord(kept['by']) ? Object.entries(kept['by']) : [];
    return {
      all: typeof all === 'number' ? all : 0,
      by: new Map(by.flatMap(([agent, seq]) => (typeof seq === 'number' ? [[agent, seq] as const] : []))),
    };
  };
  return {
    read,
    async accept(upTo, by) {
      const before = read();
      const agents = by === undefined ? [...before.by] : [...before.by, [by, upTo] as const];
      const later = agents.filter(([, seq]) => by !== undefined || seq > upTo);
      const all = by === undefined ? Math.max(before.all, upTo) : before.all;
      await cache.save(NAME, [Buffer.from(JSON.stringify({ all, by: Object.fromEntries(later) }))]);
    },
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    // None, or none of ours.
    return {};
  }
}
