import { isRecord } from '../../is-record.ts';
import type { CacheFiles } from '../../store/records/cache-files.ts';
import type { Accepted } from '../history/review.ts';

/** Remembers up to where a person reviewed the changes of agents. Shared by all processes of the vault. */
export interface AcceptedReviews {
  read(): Accepted;
  /** Accepts all changes up to a sequence number, or those of one agent. */
  accept(upTo: number, by?: string): Promise<void>;
}

const NAME = 'reviewed';

/** Stored in the cache: if it is lost, the changes of the last day are shown again. */
export function createAcceptedReviews(cache: CacheFiles): AcceptedReviews {
  const read = (): Accepted => {
    const stored = parse(cache.load(NAME)?.toString('utf8') ?? '');
    const all = stored['all'];
    const by = isRecord(stored['by']) ? Object.entries(stored['by']) : [];
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
    // Missing or damaged.
    return {};
  }
}
