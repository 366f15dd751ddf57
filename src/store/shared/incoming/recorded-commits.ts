import { shortHash } from '../../records/history-event.ts';
import type { HistoryEvent } from '../../records/history-event.ts';
import type { Entered } from '../../transaction/transact.ts';
import type { CommitHead, SharedChange } from '../shared-vault.ts';
import { eventsOfCommit } from './commit-groups.ts';

/** Knows which commits are in the history of the folder already, because another process of this machine follows the same store. */
export interface RecordedCommits {
  /** Returns the ids of the recorded commits, as of when the writer lock was taken. */
  asOf(now: Pick<Entered, 'recorded'>): ReadonlySet<string>;
}

/** The end of the history that holds the latest events. */
export const RECENT_BYTES = 256 * 1024;

/** More ids are forgotten, oldest first. */
const MAX_BATCHES = 10_000;

/** Creates the list. `lastEvents` returns the end of the history; it is read when events may have been added unnoticed, as before a crash. */
export function trackRecordedCommits(lastEvents: () => readonly HistoryEvent[]): RecordedCommits {
  let recorded = new Set<string>();
  let isInDoubt = true;
  return {
    asOf({ recorded: batches }) {
      if (isInDoubt || batches === null) recorded = new Set(lastEvents().flatMap(({ batch }) => batch ?? []));
      isInDoubt = false;
      for (const batch of batches ?? []) recorded.add(batch);
      for (const batch of recorded) {
        if (recorded.size <= MAX_BATCHES) break;
        recorded.delete(batch);
      }
      return recorded;
    },
  };
}

/**
 * Returns the events of what was edited here that the history does not have yet. An edit that a tool's write found was recorded with it, as
 * one without a batch. A commit of another machine that was merged with the edit left the same content, but says nothing of the edit.
 */
export function listUnrecordedEvents(
  { changes, ...head }: CommitHead,
  lastEvents: readonly HistoryEvent[],
): ReturnType<typeof eventsOfCommit> {
  const last = new Map(lastEvents.map((event) => [event.path, event]));
  const isKnown = ({ path, hash }: SharedChange): boolean => {
    const event = last.get(path);
    return event !== undefined && event.batch === undefined && event.hash === (hash === null ? undefined : shortHash(hash));
  };
  return eventsOfCommit({ ...head, changes: changes.filter((change) => !isKnown(change)) });
}
