import type { Config } from '../../config.ts';
import type { Ports } from '../../ports.ts';
import type { FileSystem } from '../../store/folder/file-system.ts';
import type { GitActivity } from '../../store/folder/git.ts';
import type { ProcessIdentity } from '../../store/folder/process-identity.ts';
import { openFolderStore } from '../../store/open-folder-store.ts';
import type { FolderStore } from '../../store/folder-store.ts';
import { reapplyChanges } from '../plan/note-text.ts';
import type { Warnings } from '../warnings.ts';
import { openSharing } from './open-sharing.ts';
import type { Sharing } from './open-sharing.ts';
import type { Share } from './share.ts';

/** Options of `openStore`. */
export interface StoreOptions {
  readonly files: FileSystem;
  readonly root: string;
  readonly ports: Ports;
  readonly config: Pick<Config, 'readOnly' | 'durability' | 'trashDays'>;
  readonly self: ProcessIdentity;
  readonly git: Pick<GitActivity, 'waitUntilDone'>;
  readonly share: Share | null;
  /** Whether files missing from the folder were really removed; false while its disk may be lost. */
  readonly isWhole: () => boolean;
  readonly warnings: Pick<Warnings, 'set' | 'clear'>;
}

/** Opens the store of a vault: its folder, wrapped to follow a shared vault if there is one. */
export function openStore(options: StoreOptions): { readonly store: FolderStore; readonly sharing: Sharing | null } {
  const { files, root, ports, config, self, git, share, warnings } = options;
  const folder = openFolderStore({
    files,
    ports,
    self,
    git,
    reapply: reapplyChanges,
    isShared: share !== null,
    isReadOnly: config.readOnly,
    isSynced: config.durability === 'full',
    trashDays: config.trashDays,
  });
  if (share === null) return { store: folder, sharing: null };
  const sharing = openSharing({
    folder,
    share,
    root,
    ports,
    mayPush: options.isWhole,
    onProblem: (message) => (message === null ? warnings.clear('store') : warnings.set('store', message)),
  });
  return { store: sharing.store, sharing };
}
