import type { StoredEpisode } from '../stored/shapes.ts';

/** What another process accepted is left to it for so long. */
const LEFT_TO_OTHERS_MS = 5_000;

/** Which items this process accepted, by path. */
interface Own {
  readonly own: ReadonlySet<string>;
}

/** The items to work on now: those of all groups in turn, so that none waits for another one's, and the oldest first. */
export function dueItems(items: readonly StoredEpisode[], { own, nowMs }: Own & { readonly nowMs: number }): readonly StoredEpisode[] {
  const groups = new Map<string, StoredEpisode[]>();
  for (const episode of items) {
    if (dueAt(episode, { own }) > nowMs) continue;
    const queue = groups.get(episode.groupId);
    if (queue === undefined) groups.set(episode.groupId, [episode]);
    else queue.push(episode);
  }
  const queues = [...groups.values()].map((queue) => queue.sort(byAge));
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => queues.flatMap((queue) => queue[at] ?? [])).flat();
}

/** When the first of the items is due, in milliseconds since 1970; null where there is none. */
export function nextDue(items: readonly StoredEpisode[], own: Own): number | null {
  return items.reduce<number | null>((first, episode) => {
    const at = dueAt(episode, own);
    return first === null || at < first ? at : first;
  }, null);
}

/** At once, not before a failed stage may be tried again, and not while another process has it. */
function dueAt({ path, createdAt, ingest }: StoredEpisode, { own }: Own): number {
  const retry = ingest?.retryAt == null ? 0 : Date.parse(ingest.retryAt);
  if (own.has(path)) return retry;
  const claimed = ingest?.claimedUntil == null ? 0 : Date.parse(ingest.claimedUntil);
  return Math.max(retry, claimed, Date.parse(createdAt) + LEFT_TO_OTHERS_MS);
}

function byAge(a: StoredEpisode, b: StoredEpisode): number {
  return `${a.createdAt} ${a.uuid}` < `${b.createdAt} ${b.uuid}` ? -1 : 1;
}
