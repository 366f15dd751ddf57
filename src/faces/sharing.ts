import type { Config, ConfigLayer } from '../config.ts';
import type { Host } from './host.ts';

/** Called during long work. */
export type SharingProgress = (done: number, total: number, message: string) => void;

/** A file that cannot be shared; `reason` is a clause. */
export interface ExcludedFile {
  readonly path: string;
  readonly reason: string;
}

/** The result of sharing or cloning. None of its texts contains a password. */
export interface SharingOutcome {
  /** `already`: nothing was left to do. `resumed`: the folder was a working copy of this vault before, and follows it again. */
  readonly state: 'done' | 'already' | 'resumed';
  /** Absolute path. */
  readonly folder: string;
  /** The URL of the store, without a password. */
  readonly url: string;
  /** The vault's name in the store. */
  readonly vault: string;
  readonly seq: number;
  readonly files: number;
  readonly left: readonly ExcludedFile[];
  readonly isReadOnly: boolean;
  /** The process id of a running server on the folder that does not know of the sharing yet; null if there is none. */
  readonly server: number | null;
  /** The line to add to `~/.pgpass`, if the store needs a password and only the URL had it; else null. */
  readonly missingPassword: string | null;
}

/** The result of unsharing a folder. */
export interface Unshared {
  /** The store that it followed; null if it followed none. */
  readonly url: string | null;
  /** Whether sharing was unfinished, so that the store has only a part of the files. */
  readonly isPartial: boolean;
  /** Files edited here that are not in the store. */
  readonly waiting: readonly string[];
  /** Why that could not be determined; null if it could. */
  readonly unknown: string | null;
  readonly server: number | null;
}

/**
 * How a file differs from the store: edited here and not pushed (`waits`), changed there and not applied (`comes`) or not applicable so far
 * (`blocked`), under a name that no vault may have (`unusable`), changed on both sides (`both`), or deleted here (`missing`).
 */
export interface FileDifference {
  readonly path: string;
  readonly kind: 'waits' | 'comes' | 'blocked' | 'unusable' | 'both' | 'missing';
}

/** The state of a folder and the store that it follows. */
export interface SharingStatus {
  readonly url: string;
  readonly vault: string;
  /** The command that has not finished; null if none. */
  readonly unfinished: 'share' | 'clone' | null;
  /** The last commit that the folder has; null before the first comparison. */
  readonly seq: number | null;
  /** The state of the store, or why it cannot be reached. */
  readonly store:
    | {
        readonly seq: number;
        readonly files: number;
        readonly isReadOnly: boolean;
        readonly followers: readonly { readonly machine: string; readonly seq: number | null }[];
        readonly differences: readonly FileDifference[];
        /** Files of the folder that the store cannot hold. */
        readonly left: readonly ExcludedFile[];
      }
    | { readonly fault: string; readonly code: string };
}

/** The result of pruning: which commits the store retains. */
export interface Pruned {
  readonly url: string;
  readonly vault: string;
  /** The last commit. */
  readonly seq: number;
  /** The last commit that was removed; 0 if none was. */
  readonly keptAfter: number;
}

/** A folder that follows a shared vault while a server runs. */
export interface TemporaryCopy {
  readonly root: string;
  readonly left: readonly ExcludedFile[];
  /** Opens the copy; the caller closes it before `end`. `flags` are the settings from the command line. */
  open(options: { readonly config: Config; readonly flags: readonly ConfigLayer[] }): Host;
  /** Pushes the remaining edits and removes the folder. If they cannot be pushed, the folder stays, and the reason is returned. */
  end(): Promise<string | null>;
}

/** The operations on shared vaults behind the commands. Their errors contain no password. */
export interface Sharing {
  /** Puts a folder into a new vault of a store, or resumes that, and makes the folder follow it. */
  share(folder: string, url: string, onProgress: SharingProgress): Promise<SharingOutcome>;
  /** Makes a folder that follows a shared vault, or resumes that. If `folder` is null, it is created in `cwd` under the vault's name. */
  clone(url: string, to: { readonly folder: string | null; readonly cwd: string }, onProgress: SharingProgress): Promise<SharingOutcome>;
  /** Makes a folder stop following its store, after pushing its edits. */
  unshare(folder: string, options: { readonly isForced: boolean }): Promise<Unshared>;
  /** Returns the state of a folder and its store; null if it follows none. */
  status(folder: string, onProgress: SharingProgress): Promise<SharingStatus | null>;
  /**
   * Removes commits older than `keepDays` from the store, and contents that only they used. Returns null if the folder follows no store.
   */
  prune(folder: string, keepDays: number): Promise<Pruned | null>;
  /** Whether the folder was a working copy elsewhere and follows nothing here, for example after it was moved. */
  isOrphanedCopy(folder: string): boolean;
  copy(url: string, onProgress: SharingProgress, signal: AbortSignal): Promise<TemporaryCopy>;
}
