import type { Ports } from '../../ports.ts';
import type { OpenWatch } from '../../store/folder/watch.ts';
import type { FolderStore, StoreListener } from '../../store/folder-store.ts';
import type { SharedStore } from '../../store/shared/shared-store.ts';
import { editedNotes } from './edited-notes.ts';
import { mergeFiles } from './merge-files.ts';
import type { Share } from './share.ts';

/** What following a shared vault takes of a vault. */
export interface SharingOptions {
  readonly folder: FolderStore;
  readonly share: Share;
  readonly root: string;
  readonly ports: Ports;
  /** Whether what is gone from the folder was removed by somebody. */
  readonly mayPush: () => boolean;
  /** People are told until it is null. */
  readonly onTrouble: (message: string | null) => void;
}

/** A folder that follows a shared vault: what is different from one that does not. */
export interface Sharing {
  readonly store: FolderStore;
  /** The same watch, heard for what people save besides notes. */
  hear(openWatch: OpenWatch): OpenWatch;
  /** From now on it follows. */
  follow(): void;
  /** Why it cannot at this moment; null: it can. */
  trouble(): string | null;
}

/** The store of a shared vault in place of its folder's. Its code is loaded when it is first asked for (P-20). */
export function openSharing(options: SharingOptions): Sharing {
  const { folder, share, root, ports } = options;
  let trouble: string | null = null;
  let opened: Promise<SharedStore> | undefined;
  let listener: StoreListener | undefined;

  const open = async (): Promise<SharedStore> => {
    const { openSharedStore } = await import('../../store/shared/open-shared-store.ts');
    const { mayPush } = options;
    const onTrouble = (message: string | null): void => {
      trouble = message;
      options.onTrouble(message);
    };
    const store = openSharedStore({
      folder,
      ports,
      mayPush,
      onTrouble,
      merge: mergeFiles,
      notes: editedNotes,
      machine: share.machine,
      copy: share.copy,
      connect: () => share.connect(),
    });
    if (listener !== undefined) store.listen(listener);
    return store;
  };
  const shared = (): Promise<SharedStore> => (opened ??= open());
  // What is heard before there is anybody to tell is found all the same: at first everything is looked at.
  const touched = (folder: string | null, name: string | null = null): void =>
    void opened?.then((store) => store.touched(folder, name)).catch(() => undefined);
  const relative = (path: string): string => path.replaceAll('\\', '/').slice(root.length + 1);

  return {
    store: {
      ...folder,
      capabilities: () => ({ ...folder.capabilities(), isShared: true }),
      listen(next) {
        listener = next;
        folder.listen(next);
      },
      transact: async (meta, prepare) => (await shared()).transact(meta, prepare),
      close: async () => (opened === undefined ? folder.close() : (await opened).close()),
    },
    hear: (openWatch) => (events) =>
      openWatch({
        ...events,
        onEvent(path, name) {
          touched(relative(path), name);
          events.onEvent(path, name);
        },
        onLost(path) {
          touched(null);
          events.onLost(path);
        },
      }),
    trouble: () => trouble,
    follow: () =>
      void shared()
        .then((store) => store.follow())
        .catch((error: unknown) => ports.log.error(String(error))),
  };
}
