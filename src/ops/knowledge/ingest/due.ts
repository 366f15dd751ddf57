import type { Ingest, StoredEpisode } from '../stored/shapes.ts';
import { MAX_ASKED_FOR_MS } from './outcome.ts';

/** What another process accepted is left to it for so long. */
const LEFT_TO_OTHERS_MS = 5_000;
/** So long an item that an endpoint is asked about belongs to the process that asks. */
export const CLAIM_MS = 150_000;

/** Whose look it is: what this process accepted, by path, the name under which it claims, and its clock. */
interface Looking {
  readonly own: ReadonlySet<string>;
  readonly self: string;
  readonly nowMs: number;
}

/** The items to work on now: those of all groups in turn, so that none waits for another one's, and the oldest first. */
export function dueItems(items: readonly StoredEpisode[], looking: Looking): readonly StoredEpisode[] {
  const groups = new Map<string, StoredEpisode[]>();
  for (const episode of items) {
    if (dueAt(episode, looking) > looking.nowMs) continue;
    const queue = groups.get(episode.groupId);
    if (queue === undefined) groups.set(episode.groupId, [episode]);
    else queue.push(episode);
  }
  const queues = [...groups.values()].map((queue) => queue.sort(byAge));
  const longest = queues.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: longest }, (_, at) => queues.flatMap((queue) => queue[at] ?? [])).flat();
}

/** When the first of the items is due, in milliseconds since 1970; null where there is none. */
export function nextDue(items: readonly StoredEpisode[], looking: Looking): number | null {
  return items.reduce<number | null>((first, episode) => {
    const at = dueAt(episode, looking);
    return first === null || at < first ? at : first;
  }, null);
}

/** Whether another process is asking an endpoint about an item. */
export function isClaimed({ claimedBy, claimedUntil }: Ingest, { self, nowMs }: Pick<Looking, 'self' | 'nowMs'>): boolean {
  return claimedBy !== self && atMost(claimedUntil, nowMs, CLAIM_MS) > nowMs;
}

/** At once, not before a failed stage may be tried again, and not while another process has it. */
function dueAt({ path, createdAt, ingest }: StoredEpisode, { own, self, nowMs }: Looking): number {
  const retry = atMost(ingest?.retryAt ?? null, nowMs, MAX_ASKED_FOR_MS);
  const claimed = ingest?.claimedBy === self ? 0 : atMost(ingest?.claimedUntil ?? null, nowMs, CLAIM_MS);
  const made = Date.parse(createdAt);
  const left = own.has(path) || made > nowMs ? 0 : made + LEFT_TO_OTHERS_MS;
  return Math.max(retry, claimed, left);
}

/** A time in milliseconds; 0 for none, and for one that is further away than any that is set: the clock was put back since. */
function atMost(time: string | null, nowMs: number, longest: number): number {
  const at = time === null ? 0 : Date.parse(time);
  return at > nowMs + longest ? 0 : at;
}

function byAge(a: StoredEpisode, b: StoredEpisode): number {
  return `${a.createdAt} ${a.uuid}` < `${b.createdAt} ${b.uuid}` ? -1 : 1;
}
