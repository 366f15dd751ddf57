import type { FolderStore } from '../../store/open-folder-store.ts';
import { sizesOfRecords } from '../../store/records/records.ts';
import type { Writer } from '../plan/write.ts';
import type { GraphView } from '../../graph/view.ts';
import type { Vault } from '../vault.ts';
import { readAsOf } from './as-of.ts';

/** What a vault tells of what was written, and takes back. */
export type Past = Pick<
  Vault,
  'history' | 'histories' | 'undo' | 'restore' | 'carryOut' | 'trash' | 'version' | 'requireVersion' | 'sizes' | 'asOf'
>;

/** The past of a vault. `refresh`: brings the graph up to date with what changed. */
export function openPast({
  root,
  graph,
  store,
  writer,
  refresh,
}: {
  readonly root: string;
  readonly graph: GraphView;
  readonly store: FolderStore;
  readonly writer: Writer;
  readonly refresh: () => Promise<void>;
}): Past {
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
      writer.mustBeAt(based);
    },
    async asOf(query) {
      await refresh();
      return readAsOf({ root, store, graph, unrecorded: () => writer.unrecorded() }, query);
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
