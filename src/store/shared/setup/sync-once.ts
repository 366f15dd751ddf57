import type { Ports } from '../../../ports.ts';
import type { FileSystem } from '../../folder/file-system.ts';
import type { ProcessIdentity } from '../../folder/process-identity.ts';
import { openFolderStore } from '../../open-folder-store.ts';
import type { Reapply } from '../../transaction/under-lock.ts';
import type { Merge } from '../incoming/sides.ts';
import type { NotesInFiles } from '../local/notes-in-files.ts';
import { openSharedStore } from '../open-shared-store.ts';
import type { SharedVault } from '../shared-vault.ts';

/** Syncs a folder with its store once. */
export async function syncOnce({
  files,
  ports,
  self,
  machine,
  copy,
  merge,
  notes,
  reapply,
  connect,
}: {
  readonly files: FileSystem;
  readonly ports: Ports;
  readonly self: ProcessIdentity;
  readonly machine: string;
  readonly copy: string;
  readonly merge: Merge;
  readonly notes: NotesInFiles;
  readonly reapply: Reapply;
  readonly connect: () => Promise<SharedVault>;
}): Promise<void> {
  const folder = openFolderStore({
    files,
    ports,
    self,
    git: { waitUntilDone: async () => false },
    reapply,
    isReadOnly: false,
    isSynced: true,
    trashDays: 0,
  });
  const store = openSharedStore({ folder, ports, machine, copy, merge, notes, connect, mayPush: () => true, onTrouble: () => undefined });
  try {
    await store.recover();
    await store.sync();
    // What could not be merged lies beside it now, and nobody watches the folder.
    store.touched(null);
    await store.sync();
  } finally {
    await store.close();
  }
}
