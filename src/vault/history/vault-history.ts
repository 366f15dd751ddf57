import type { FolderStore } from '../../store/folder-store.ts';
import { sizesOfRecords } from '../../store/records/records.ts';
import type { Writer } from '../plan/writer.ts';
import type { GraphView } from '../../graph/view.ts';
import type { Health, History } from '../vault.ts';
import { createAcceptedReviews } from '../cache/accepted-reviews.ts';
import { reviewNote } from './review-note.ts';
import type { ReviewedNote } from './review-note.ts';
import { reviewFiles } from './review.ts';
import { createActivityLog } from './activity.ts';
import type { ActivityLog } from './activity.ts';
import { createBranchNotes } from './git/branch-notes.ts';
import { eventsBackward } from './events.ts';
import type { EventFilter } from './events.ts';
import { readNoteAsOf } from './as-of.ts';
import type { WriteCounts } from './write-counts.ts';
import { lastEventPerFile, readWriteDiff } from './write-diff.ts';

/** The members of `History` that read events. */
export type EventHistory = Omit<History, 'movedNotes' | 'findMovedNote' | 'loadOriginals' | 'findOriginal'>;

/** Creates the part of a vault's history that reads events. `refresh` brings the graph up to date with the disk. */
export function createEventHistory({
  root,
  graph,
  store,
  writer,
  counts,
  refresh,
  now,
}: {
  readonly root: string;
  readonly graph: GraphView;
  readonly store: FolderStore;
  readonly writer: Writer;
  readonly counts: WriteCounts;
  readonly refresh: () => Promise<void>;
  /** The time in milliseconds. */
  readonly now: () => number;
}): EventHistory {
  const reviews = createAcceptedReviews(store.cache);
  const activities = createActivityLog(store);
  const filtered = new WeakMap<EventFilter, ActivityLog>();
  const activitiesOf = (filter: EventFilter | undefined): ActivityLog => {
    if (filter === undefined) return activities;
    const known = filtered.get(filter) ?? createActivityLog(store, filter);
    filtered.set(filter, known);
    return known;
  };
  return {
    ofNote: (query) => writer.history(query),
    ofNotes: (query) => writer.histories(query),
    isUndo: (batch) => activitiesOf(undefined).isUndo(batch),
    async *backward() {
      yield* (await writer.unrecorded()).toReversed();
      yield* eventsBackward(store.records.events);
    },
    branchNotes: createBranchNotes(root),
    authorsOf: (paths) => counts.authorsOf(paths),
    async version() {
      await refresh();
      return writer.version();
    },
    async requireVersion(based) {
      if (based.isChecked) return;
      await refresh();
      await writer.checkVersion(based);
    },
    async asOf(query) {
      await refresh();
      return readNoteAsOf({ root, store, graph, unrecorded: () => writer.unrecorded() }, query);
    },
    async review(query) {
      await refresh();
      const { isByAgent, files, since, ...rest } = await reviewFiles(store.records.events, reviews.read(), {
        ...query,
        now: now(),
        unrecorded: await writer.unrecorded(),
      });
      async function* notes(): AsyncGenerator<ReviewedNote> {
        for (const file of files) yield await reviewNote(store, file, isByAgent);
      }
      return { ...rest, since: since === null ? null : new Date(since).toISOString(), notes: notes() };
    },
    acceptReview: (upTo, by) => reviews.accept(upTo, by),
    async activity(query, filter) {
      await refresh();
      return activitiesOf(filter).page(query, await writer.unrecorded());
    },
    activeAgents: (filter) => activitiesOf(filter).agents(),
    async writeDiff(id, part, filter) {
      await refresh();
      const unrecorded = await writer.unrecorded();
      const activity = await activitiesOf(filter).find(id, unrecorded);
      if (activity === null) return null;
      return {
        activity,
        total: lastEventPerFile(activity.events).length,
        files: await readWriteDiff({ store, graph, unrecorded }, activity, part),
      };
    },
  };
}

/** Returns what history, undo data and trash take. */
export function sizesOf(store: FolderStore): ReturnType<Health['sizes']> {
  const { history, batches } = sizesOfRecords(store.files);
  const trash = store.records.trash.list();
  return {
    history: { events: store.records.lastSeq(), bytes: history },
    undo: { bytes: batches },
    trash: { files: trash.length, bytes: trash.reduce((sum, { size }) => sum + size, 0) },
  };
}
