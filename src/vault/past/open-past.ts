import type { FolderStore } from '../../store/open-folder-store.ts';
import { sizesOfRecords } from '../../store/records/records.ts';
import type { Writer } from '../plan/writer.ts';
import type { GraphView } from '../../graph/view.ts';
import type { Vault } from '../vault.ts';
import { openAcceptedReviews } from '../cache/accepted-reviews.ts';
import { reviewNote } from './review-note.ts';
import type { ReviewedNote } from './review-note.ts';
import { reviewFiles } from './review.ts';
import { openActivities } from './activity.ts';
import type { Activities } from './activity.ts';
import type { Sight } from './events.ts';
import { readAsOf } from './as-of.ts';
import { filesOf, readWritten } from './written.ts';

/** What a vault tells of what was written, and takes back. */
export type Past = Pick<
  Vault,
  | 'history'
  | 'histories'
  | 'undo'
  | 'restore'
  | 'carryOut'
  | 'trash'
  | 'version'
  | 'requireVersion'
  | 'sizes'
  | 'asOf'
  | 'review'
  | 'acceptReview'
  | 'activity'
  | 'activeAgents'
  | 'written'
>;

/** The past of a vault. `refresh`: brings the graph up to date with what changed. */
export function openPast({
  root,
  graph,
  store,
  writer,
  refresh,
  now,
}: {
  readonly root: string;
  readonly graph: GraphView;
  readonly store: FolderStore;
  readonly writer: Writer;
  readonly refresh: () => Promise<void>;
  /** The time in milliseconds. */
  readonly now: () => number;
}): Past {
  const reviews = openAcceptedReviews(store.cache);
  const activities = openActivities(store);
  const inSight = new WeakMap<Sight, Activities>();
  const activitiesOf = (sight: Sight | undefined): Activities => {
    if (sight === undefined) return activities;
    const known = inSight.get(sight) ?? openActivities(store, sight);
    inSight.set(sight, known);
    return known;
  };
  return {
    history: (query) => writer.history(query),
    histories: (query) => writer.histories(query),
    undo: (meta, query) => writer.undo(meta, query),
    restore: (meta, reference) => writer.restore(meta, reference),
    carryOut: (meta, id) => writer.carryOut(meta, id),
    trash: () => store.trash.list(),
    async version() {
      await refresh();
      return writer.version();
    },
    async requireVersion(based) {
      if (based.isChecked) return;
      await refresh();
      await writer.mustBeAt(based);
    },
    async asOf(query) {
      await refresh();
      return readAsOf({ root, store, graph, unrecorded: () => writer.unrecorded() }, query);
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
    async activity(query, sight) {
      await refresh();
      return activitiesOf(sight).page(query, await writer.unrecorded());
    },
    activeAgents: (sight) => activitiesOf(sight).agents(),
    async written(id, part, sight) {
      await refresh();
      const unrecorded = await writer.unrecorded();
      const activity = await activitiesOf(sight).find(id, unrecorded);
      if (activity === null) return null;
      return { activity, total: filesOf(activity.events).length, files: await readWritten({ store, graph, unrecorded }, activity, part) };
    },
    sizes() {
      const { history, batches } = sizesOfRecords(store.files);
      const trash = store.trash.list();
      return {
        history: { events: store.lastSeq(), bytes: history },
        undo: { bytes: batches },
        trash: { files: trash.length, bytes: trash.reduce((sum, { size }) => sum + size, 0) },
      };
    },
  };
}
