import type { Ports } from '../../ports.ts';
import type { OpenWatch } from '../../store/folder/watch.ts';
import type { FolderStore, StoreListener } from '../../store/folder-store.ts';
import type { SharedStore } from '../../store/shared/shared-store.ts';
import type { SharedVectors } from '../../store/shared/shared-vault.ts';
import { editedNotes } from './edited-notes.ts';
import { mergeFiles } from './merge-files.ts';
import type { Share } from './share.ts';

/** Options of `openSharing`. */
export interface SharingOptions {
  readonly folder: FolderStore;
  readonly share: Share;
  readonly root: string;
  readonly ports: Ports;
  /** Whether files missing from the folder were really removed; false while its disk may be lost. */
  readonly mayPush: () => boolean;
  /** Called with a message to show while the shared vault cannot be followed, and with null when it can again. */
  readonly onProblem: (message: string | null) => void;
}

/** The parts of a vault that differ when its folder follows a shared vault. */
export interface Sharing {
  readonly store: FolderStore;
  readonly vectors: SharedVectors;
  /** Wraps a watch to notice what people save, including files that are not notes. */
  wrapWatch(openWatch: OpenWatch): OpenWatch;
  /** Looks again at what is in this folder, or everywhere (null): something may have changed there without an event. */
  touched(folder: string | null): void;
  /** Starts following. */
  follow(): void;
  /** Returns why it cannot follow at the moment; null if it can. */
  problem(): string | null;
}

/** Wraps the folder's store to follow a shared vault. Its code is loaded on first use (P-20). */
export function openSharing(options: SharingOptions): Sharing {
  const { folder, share, root, ports } = options;
  let problem: string | null = null;
  let opened: Promise<SharedStore> | undefined;
  let listener: StoreListener | undefined;

  const open = async (): Promise<SharedStore> => {
    const { openSharedStore } = await import('../../store/shared/open-shared-store.ts');
    const { mayPush } = options;
    const onTrouble = (message: string | null): void => {
      problem = message;
      options.onProblem(message);
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
  // Events before the store is open need no forwarding: it looks at all files at first.
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
    vectors: {
      get: async (...asked) => (await shared()).vectors.get(...asked),
      findMissing: async (...asked) => (await shared()).vectors.findMissing(...asked),
      put: async (...added) => (await shared()).vectors.put(...added),
    },
    wrapWatch: (openWatch) => (events) =>
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
    touched,
    problem: () => problem,
    follow: () =>
      void shared()
        .then((store) => store.follow())
        .catch((error: unknown) => ports.log.error(String(error))),
  };
}
