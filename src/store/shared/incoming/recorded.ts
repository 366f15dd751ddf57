import { shortHash } from '../../records/history-event.ts';
import type { HistoryEvent } from '../../records/history-event.ts';
import type { Entered } from '../../transaction/transact.ts';
import type { CommitHead, SharedChange } from '../shared-vault.ts';
import { eventsOfCommit } from './commits-at-once.ts';

/** The commits whose events the history of a folder has already, because another process of this machine follows the same store. */
export interface Recorded {
  /** As of when the writer lock was taken. */
  asOf(now: Pick<Entered, 'recorded'>): ReadonlySet<string>;
  /** What was put in place before is told of by this process. */
  isCertain(): void;
}

/** What was recorded a moment ago is in so much of the history. */
export const RECENT_BYTES = 256 * 1024;

/** They may be heard of long before the store is asked; the last are enough. */
const MOST = 10_000;

/** `lastEvents`: the last events of the history, asked for where it is not known what came to it since: what a crash left was perhaps recorded. */
export function openRecorded(lastEvents: () => readonly HistoryEvent[]): Recorded {
  let recorded = new Set<string>();
  let isInDoubt = true;
  return {
    asOf({ recorded: batches }) {
      if (isInDoubt || batches === null) recorded = new Set(lastEvents().flatMap(({ batch }) => batch ?? []));
      isInDoubt = false;
      for (const batch of batches ?? []) recorded.add(batch);
      for (const batch of recorded) {
        if (recorded.size <= MOST) break;
        recorded.delete(batch);
      }
      return recorded;
    },
    isCertain() {
      isInDoubt = false;
    },
  };
}

/** Events of what was edited here, as far as they are not among the last of the history: what a tool's write found is recorded with it. */
export function notRecorded({ changes, ...head }: CommitHead, lastEvents: readonly HistoryEvent[]): ReturnType<typeof eventsOfCommit> {
  const last = new Map(lastEvents.map(({ path, hash }) => [path, hash]));
  const isKnown = ({ path, hash }: SharedChange): boolean =>
    last.has(path) && last.get(path) === (hash === null ? undefined : shortHash(hash));
  return eventsOfCommit({ ...head, changes: changes.filter((change) => !isKnown(change)) });
}
