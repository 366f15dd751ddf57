import { mergeNotes } from '../../../src/note/merge/merge.ts';
import type { Ports } from '../../../src/ports.ts';
import { openFolderStore } from '../../../src/store/open-folder-store.ts';
import { openSharedStore } from '../../../src/store/shared/open-shared-store.ts';
import type { SharedStore, SharedStoreOptions } from '../../../src/store/shared/shared-store.ts';
import type { SimulatedDisk } from './simulated-disk.ts';
import { simulatedProcess } from './simulated-process.ts';

/** What a working copy on a simulated disk is opened with; `process`: another number for each that ran on the disk. */
export interface SimulatedCopyOptions extends Pick<SharedStoreOptions, 'machine' | 'copy' | 'connect' | 'intervals'> {
  readonly disk: Pick<SimulatedDisk, 'files'>;
  readonly ports: Ports;
  readonly process: number;
}

/** A folder on a simulated disk that follows a vault. */
export function openSimulatedCopy({ disk, ports, process, ...rest }: SimulatedCopyOptions): SharedStore {
  const folder = openFolderStore({
    files: disk.files,
    ports,
    self: simulatedProcess(process),
    git: { waitUntilDone: async () => false },
    reapply: () => null,
    isReadOnly: false,
    isSynced: true,
    trashDays: 0,
  });
  return openSharedStore({
    ...rest,
    folder,
    ports,
    merge: ({ base, ours, theirs }) => {
      if (base === null) return null;
      const { text, conflicts } = mergeNotes(base.toString(), ours.toString(), theirs.toString());
      return conflicts ? null : Buffer.from(text);
    },
    notes: {
      idOf,
      describe: ({ path, after, before }) => [
        { node: idOf(path, (after ?? before)?.bytes ?? new Uint8Array()) ?? path, path, action: 'external', changes: [] },
      ],
    },
    mayPush: () => true,
    onTrouble: () => undefined,
  });
}

const idOf = (_: string, bytes: Uint8Array): string | null => /^---\nid: (.*)\n/.exec(Buffer.from(bytes).toString())?.[1] ?? null;
