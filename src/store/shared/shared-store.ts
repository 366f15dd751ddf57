import type { Ports } from '../../ports.ts';
import type { FolderStore } from '../folder-store.ts';
import type { NotesInFiles } from './local/notes-in-files.ts';
import type { Merge } from './incoming/merge-incoming.ts';
import type { SyncIntervals } from './sync-schedule.ts';
import type { SharedVault } from './shared-vault.ts';

/** What a store that several machines share is made of: a folder, and a vault in a database. */
export interface SharedStoreOptions {
  readonly folder: FolderStore;
  readonly ports: Ports;
  /** Reaches the vault; rejects with `STORE_UNAVAILABLE` while that cannot be done, and is asked again then. */
  readonly connect: () => Promise<SharedVault>;
  readonly merge: Merge;
  readonly notes?: NotesInFiles;
  /** What this machine is called. */
  readonly machine: string;
  /** What the folder is called as a working copy; `''`: nothing. */
  readonly copy?: string;
  /** Whether what is gone from the folder was removed by somebody: not while its disk may be lost. */
  readonly mayPush: () => boolean;
  /** People are told until it is null: the store cannot be reached, or the folder cannot follow. */
  readonly onTrouble: (message: string | null) => void;
  readonly intervals?: SyncIntervals;
}

/** The store of a folder that follows a shared vault. */
export interface SharedStore extends FolderStore {
  /** The watch heard something in a folder, under a name or under any (null); a folder of null: anywhere. */
  touched(folder: string | null, name?: string | null): void;
  /** From now on the folder follows: with the store, or as soon as it can be reached. Resolves after the first attempt. */
  follow(): Promise<void>;
  /** Brings the folder and the store together at once; rejects where that fails. */
  sync(): Promise<void>;
}
