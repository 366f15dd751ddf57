import { eventName } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';

/** What is seen of the events of one write: those of some files, say. None: the write is not there. */
export type Sight = (events: readonly HistoryEvent[]) => readonly HistoryEvent[];

/** Events by write, the newest write first. Branches that git merged may have counted from the same number: a batch stays together even so. */
export function groupWrites(events: readonly HistoryEvent[]): readonly (readonly HistoryEvent[])[] {
  const writes = new Map<string, HistoryEvent[]>();
  for (const event of events) {
    // What others say of a batch of ours is none of it.
    const key = `${event.foreign === true ? 'foreign ' : ''}${event.batch ?? `${event.agent} ${event.timestamp}`}`;
    const known = writes.get(key);
    if (known === undefined) writes.set(key, [event]);
    else known.push(event);
  }
  return [...writes.values()].sort((a, b) => lastSeqOf(b) - lastSeqOf(a) || (idOf(a) < idOf(b) ? -1 : 1));
}

export function lastSeqOf(events: readonly HistoryEvent[]): number {
  return events.reduce((most, { seq }) => Math.max(most, seq), 0);
}

export function idOf(events: readonly HistoryEvent[]): string {
  const last = events.find(({ seq }) => seq === lastSeqOf(events));
  return last === undefined ? '' : activityId(last);
}

/** The batch of a write, where it has one that was written here. */
export function batchOf([first]: readonly HistoryEvent[]): string | null {
  return first?.foreign === true ? null : (first?.batch ?? null);
}

/** The id by which `find` knows the write of an event. */
export function activityId(event: HistoryEvent): string {
  return batchOf([event]) ?? (event.foreign === true ? `foreign-${eventName(event)}` : `seq-${event.seq}`);
}

export function isForeign([first]: readonly HistoryEvent[]): boolean {
  return first?.foreign === true;
}
