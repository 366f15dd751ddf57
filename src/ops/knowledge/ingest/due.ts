import type { Ingest, StoredEpisode } from '../stored/shapes.ts';
import { MAX_RETRY_AFTER_MS } from './outcome.ts';

/** Items that another process accepted are left to that process for this time. */
const OTHER_PROCESS_GRACE_MS = 5_000;
/** How long a process that calls an endpoint about an item owns the item. */
export const CLAIM_MS = 150_000;

/** The state of the process that looks for work. */
interface DueContext {
  /** Paths of items that this process accepted. */
  readonly own: ReadonlySet<string>;
  /** The name under which this process claims items. */
  readonly self: string;
  readonly nowMs: number;
  /** Returns whether a process of this machine, named in a claim, has ended. */
  readonly hasEnded: (name: string) => boolean;
}

/** Returns the items to work on now: oldest first, one group after the other in turn, so that no group waits for another. */
export function dueItems(items: readonly StoredEpisode[], context: DueContext): readonly StoredEpisode[] {
  const groups = new Map<string, StoredEpisode[]>();
  for (const episode of items) {
    if (dueAt(episode, context) > context.nowMs) continue;
    const queue = groups.get(episode.groupId);
    if (queue === undefined) groups.set(episode.groupId, [episode]);
    else queue.push(episode);
  }
  const queues = [...groups.values()].map((queue) => queue.sort(byAge));
  const longest = queues.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, at) => queues.flatMap((queue) => queue[at] ?? [])).flat();
}

/** Returns when the first item is due, in milliseconds since 1970; null if there are none. */
export function nextDue(items: readonly StoredEpisode[], context: DueContext): number | null {
  return items.reduce<number | null>((first, episode) => {
    const at = dueAt(episode, context);
    return first === null || at < first ? at : first;
  }, null);
}

/** Returns whether another process is calling an endpoint about an item. The claim of a process that has ended holds nothing. */
export function isClaimed({ claimedBy, claimedUntil }: Ingest, context: Pick<DueContext, 'self' | 'nowMs' | 'hasEnded'>): boolean {
  const { self, nowMs, hasEnded } = context;
  if (claimedBy === self || readDeadline(claimedUntil, nowMs, CLAIM_MS) <= nowMs) return false;
  return claimedBy === null || !hasEnded(claimedBy);
}

/** Returns when an item is due: after its retry delay, after the claim of another process, and after the grace time of that process. */
function dueAt({ path, createdAt, ingest }: StoredEpisode, context: DueContext): number {
  const { own, nowMs } = context;
  const retry = readDeadline(ingest?.retryAt ?? null, nowMs, MAX_RETRY_AFTER_MS);
  const claimed = ingest !== null && isClaimed(ingest, context) ? readDeadline(ingest.claimedUntil, nowMs, CLAIM_MS) : 0;
  const created = Date.parse(createdAt);
  const graceEnd = own.has(path) || created > nowMs ? 0 : created + OTHER_PROCESS_GRACE_MS;
  return Math.max(retry, claimed, graceEnd);
}

/** Returns a time in milliseconds; 0 for none, and for one further ahead than `longestMs`, which only a clock that was set back explains. */
function readDeadline(time: string | null, nowMs: number, longestMs: number): number {
  const at = time === null ? 0 : Date.parse(time);
  return at > nowMs + longestMs ? 0 : at;
}

function byAge(a: StoredEpisode, b: StoredEpisode): number {
  return `${a.createdAt} ${a.uuid}` < `${b.createdAt} ${b.uuid}` ? -1 : 1;
}
