import type { FolderStore } from '../../store/folder-store.ts';
import type { Writes } from '../vault.ts';
import type { Writer } from './writer.ts';

/** Creates the port through which a vault is changed. */
export function createWrites(store: FolderStore, writer: Writer): Writes {
  return {
    write: (meta, makePlan) => writer.write(meta, makePlan),
    undo: (meta, query) => writer.undo(meta, query),
    restore: (meta, reference) => writer.restore(meta, reference),
    completeWrite: (meta, id) => writer.completeWrite(meta, id),
    trash: () => store.trash.list(),
    waitForWrites: () => store.waitForWrites(),
    replayCache: store.replayCache,
    stopWriting: () => writer.stop(),
  };
}
