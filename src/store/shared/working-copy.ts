import type { Ports } from '../../ports.ts';
import type { FileSystem } from '../folder/file-system.ts';
import type { HistoryEvent } from '../records/history-event.ts';
import type { Entered, HeldStore, Planned } from '../transaction/transact.ts';
import type { StatCache } from './local/stat-cache.ts';
import type { Edit } from '../pair-moves.ts';
import type { LocalChanges } from './local/local-changes.ts';
import type { Merge } from './incoming/merge-incoming.ts';
import type { BlockedChanges } from './incoming/blocked-changes.ts';
import type { StagedFiles } from './local/record-staged.ts';
import type { NotesInFiles } from './local/notes-in-files.ts';
import type { CommitHead, SharedChange, SharedCommit, SharedVault, Turn } from './shared-vault.ts';

/** What a working copy is made of. */
export interface WorkingCopyOptions {
  readonly files: FileSystem;
  readonly ports: Pick<Ports, 'clock' | 'newId'>;
  readonly merge: Merge;
  readonly statCache: StatCache;
  /** The id that a file has in it, by which it is recognised under another name. */
  readonly idOf: NotesInFiles['idOf'];
  /** What the folder is called as a working copy. */
  readonly copy: string;
  /** The last events of the history of this machine. */
  readonly lastEvents: (bytes?: number) => readonly HistoryEvent[];
  /** Files were put in place; what people are to be told of it. */
  readonly onTaken: (paths: readonly string[], warnings: readonly string[]) => void;
}

/**
 * A folder that follows a shared vault: its files, where it stands, and what was edited in it. All but `edits` is called by who holds the
 * writer lock of this machine. What the store has decided has happened: here it is only put in place, and doing it twice is doing it once.
 */
export interface WorkingCopy {
  readonly edits: LocalChanges;
  /** The commit at which the folder stands; null before it was compared with the store. */
  readonly seq: number | null;
  /** Compares the folder with the store at first: what was edited while nobody looked, and what is missing (P-14). */
  begin(held: HeldStore, now: Entered, shared: SharedVault): Promise<void>;
  /** Brings in what others committed. Gives the paths that it wrote. */
  pull(
    held: HeldStore,
    now: Entered,
    from: Pick<SharedVault, 'commitsAfter' | 'blob'> | Turn,
    shared: SharedVault,
  ): Promise<readonly string[]>;
  /** Where the store has fewer commits than the folder, as it was restored to an earlier moment: compares both as at first. */
  compareAnew(held: HeldStore, now: Entered, shared: SharedVault): Promise<void>;
  /** What was edited in the folder and the store does not have. */
  findEdits(held: HeldStore, shared: SharedVault): Promise<readonly Edit[]>;
  /** What was edited here is about to be a commit with this id: after a crash it is looked for, so that nobody's own edit is met as another's. */
  willPush(shared: SharedVault, batch: string): Promise<void>;
  /** The contents that the store has of files that were edited here, those that are small. */
  contentsBefore(shared: SharedVault, edits: readonly Edit[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** The store has what was edited here: the history of this machine too (H-12). */
  hasPushed(held: HeldStore, shared: SharedVault, done: { readonly seq: number; readonly pushed: readonly CommitHead[] }): Promise<void>;
  /** A commit that was made here is in place. */
  placed(planned: Planned, done: StagedFiles): void;
  /** Keeps what is known of the folder for the next start, where enough of it is new; `isLast`: this process ends. */
  keep(shared: SharedVault, how?: { readonly isLast?: boolean }): Promise<void>;
  /** The store has these changes now, and the folder too. */
  standAt(
    shared: SharedVault,
    at: { readonly seq: number; readonly batch: string | null },
    changes: readonly SharedChange[],
  ): Promise<void>;
  /** Puts a commit in place that was made here, where carrying it out did not come to its end. */
  takeIn(held: HeldStore, now: Entered, shared: SharedVault, commit: SharedCommit): Promise<readonly string[]>;
  /** What of the store is not in place here. */
  readonly leftOut: BlockedChanges;
  /** Tries once more to put in place what could not be, if it is time for it. Gives the paths that it wrote. */
  tryAgain(held: HeldStore, now: Entered, shared: SharedVault): Promise<readonly string[]>;
}
