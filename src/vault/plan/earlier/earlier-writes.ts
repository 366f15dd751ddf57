import { errorMessage, RouxError } from '../../../errors.ts';
import { isoNow } from '../../../ports.ts';
import { hashOf } from '../../../store/folder/hash.ts';
import type { TrashEntry } from '../../../store/records/trash.ts';
import { warnOfBrokenLinks } from '../../links/link-warnings.ts';
import { listMovedNotes, placesSince } from '../../links/moved-notes.ts';
import { PathHistory } from '../../links/path-history.ts';
import { changeFor } from '../file-change.ts';
import type { Committed, WriteMeta } from '../plan.ts';
import type { Writer, WriterOptions } from '../writer.ts';
import { planRestore } from './restore.ts';
import { listBatchesToUndo, planUndo } from './undo.ts';
import type { UndoQuery } from './undo.ts';

/** Writes that undo an earlier one, restore what it removed, or complete it. */
export class EarlierWrites {
  readonly #options: Pick<WriterOptions, 'store' | 'graph' | 'ports' | 'settings' | 'config'>;
  readonly #write: Writer['write'];

  constructor(options: WriterOptions, write: Writer['write']) {
    [this.#options, this.#write] = [options, write];
  }

  async undo(meta: WriteMeta, query: UndoQuery): Promise<Committed> {
    const { store, graph, ports } = this.#options;
    const { batches, events, trash } = store.records;
    const done = await this.#write(meta, async () => {
      const { batches: undone, warnings } = await listBatchesToUndo(events, query);
      const plan = await planUndo(
        {
          read: (path, how) => store.read(path, how),
          batches,
          at: isoNow(ports.clock),
          placeSince: placesSince(events),
          danglingLinks: (removed, changed) => warnOfBrokenLinks(graph, removed, changed),
        },
        undone,
      );
      return { ...plan, warnings: [...(plan.warnings ?? []), ...warnings], result: undone };
    });
    if (isWritten(meta, done)) this.#tryCleanup(() => trash.remove(trash.list().filter((entry) => this.#isBack(entry, done))));
    return { ...done, result: undefined };
  }

  async restore(meta: WriteMeta, reference: string): Promise<Committed> {
    const { store, graph, ports, settings, config } = this.#options;
    const { batches, events, trash } = store.records;
    const done = await this.#write(meta, async () => {
      const entries = trash.find(reference);
      const plan = await planRestore(
        {
          graph,
          style: settings.linkStyle(),
          filenames: config.filenames,
          at: isoNow(ports.clock),
          read: (entry) => trash.read(entry),
          batches,
          events,
          previousPaths: async () => (await listMovedNotes(events, new PathHistory(), graph)).own,
        },
        entries,
      );
      return { ...plan, result: entries };
    });
    // The note is restored; a copy left in the trash does no harm.
    if (isWritten(meta, done)) this.#tryCleanup(() => trash.remove(done.result));
    return { ...done, result: undefined };
  }

  async complete(meta: WriteMeta, id: string): Promise<Committed> {
    const { store } = this.#options;
    const done = await this.#write(meta, async () => {
      const left = store.upkeep.setAsides.find(id)?.left ?? null;
      if (left === null) throw new RouxError('CONFLICT', `The unfinished write ${id} cannot be carried out any more.`, { id });
      return { files: await Promise.all(left.map((one) => changeFor(one, store))) };
    });
    if (meta.dryRun !== true) this.#tryCleanup(() => store.upkeep.setAsides.forget(id));
    return done;
  }

  /** Returns whether a file in the trash is back at its place and need not be restored again. */
  #isBack(entry: TrashEntry, { files, result: undone }: Committed<readonly string[]>): boolean {
    if (undone.includes(entry.batch)) return true;
    const there = files.find(({ path }) => path === entry.path)?.hash ?? null;
    return there !== null && hashOf(this.#options.store.records.trash.read(entry).bytes) === there;
  }

  #tryCleanup(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.ports.log.warn(errorMessage(error));
    }
  }
}

/** Returns whether this call wrote, rather than a dry run or the first call with its idempotency key. */
function isWritten({ dryRun }: WriteMeta, { isReplay }: Committed): boolean {
  return dryRun !== true && isReplay !== true;
}
