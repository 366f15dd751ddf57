import type { Ports } from '../../ports.ts';
import type { FolderStore } from '../folder-store.ts';
import type { NotesInFiles } from './local/notes-in-files.ts';
import type { Merge } from './incoming/sides.ts';
import type { SyncIntervals } from './sync-schedule.ts';
import type { SharedVault, SharedVectors } from './shared-vault.ts';

/** Options of `openSharedStore`. */
export interface SharedStoreOptions {
  readonly folder: FolderStore;
  readonly ports: Ports;
  /** Connects to the vault; called again after a rejection (`STORE_UNAVAILABLE`). */
  readonly connect: () => Promise<SharedVault>;
  readonly merge: Merge;
  readonly notes?: NotesInFiles;
  /** The name of this machine. */
  readonly machine: string;
  /** The id of this working copy; `''` for none. */
  readonly copy?: string;
  /** False while files may be missing because their disk is. */
  readonly mayPush: () => boolean;
  /** Reports why the folder cannot follow the store; null when it can again. */
  readonly onTrouble: (message: string | null) => void;
  readonly intervals?: SyncIntervals;
}

/** The store of a folder that follows a shared vault. */
export interface SharedStore extends FolderStore {
  readonly vectors: SharedVectors;
  /** A file event in a folder: under a name, or under any (null). `folder` null: anywhere. */
  touched(folder: string | null, name?: string | null): void;
  /** Follows the store from now on, or as soon as it can be reached. Resolves after the first attempt. */
  follow(): Promise<void>;
  /** Syncs the folder and the store now; rejects if that fails. */
  sync(): Promise<void>;
}
