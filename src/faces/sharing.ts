import type { Config, ConfigLayer } from '../config.ts';
import type { Host } from './host.ts';

/** Told while something long is under way. */
export type SharingProgress = (done: number, total: number, message: string) => void;

/** A file that stays out, and why, as a clause. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** What a command has done about a folder and a vault of a store. No text of it holds a password. */
export interface SharingOutcome {
  /** `already`: nothing was left to do. `resumed`: the folder was a working copy of this vault, and goes on where it stood. */
  readonly state: 'done' | 'already' | 'resumed';
  /** Absolute. */
  readonly folder: string;
  /** The URL of the store without a password. */
  readonly url: string;
  /** The vault's name there. */
  readonly vault: string;
  readonly seq: number;
  readonly files: number;
  readonly left: readonly LeftOut[];
  readonly isReadOnly: boolean;
  /** A server of this user that runs on the folder, and does not know of it yet. */
  readonly server: number | null;
  /** The line of `~/.pgpass` that is missing: the store asks for a password, and it was in the URL alone. */
  readonly missingPassword: string | null;
}

/** What a folder was that follows nothing any more. */
export interface Unshared {
  /** Null: it followed nothing. */
  readonly url: string | null;
  /** The folder was not done being shared: the store has a part of it. */
  readonly isPartial: boolean;
  /** What was edited here and is not in the store. */
  readonly waiting: readonly string[];
  /** Why that could not be told; null when it could. */
  readonly unknown: string | null;
  readonly server: number | null;
}

/**
 * How a file of the folder differs from the store's: edited here and not pushed (`waits`), changed there and not taken in (`comes`), both (`both`),
 * or gone here (`missing`).
 */
export interface FileDifference {
  readonly path: string;
  readonly kind: 'waits' | 'comes' | 'both' | 'missing';
}

/** Where a folder stands against the store that it follows. */
export interface SharingStatus {
  readonly url: string;
  readonly vault: string;
  /** What `share` or `clone` is not done with. */
  readonly unfinished: 'share' | 'clone' | null;
  /** The last commit that the folder has; null before the first comparison. */
  readonly seq: number | null;
  /** What the store says; a message where it cannot be asked. */
  readonly store:
    | {
        readonly seq: number;
        readonly files: number;
        readonly isReadOnly: boolean;
        readonly followers: readonly { readonly machine: string; readonly seq: number | null }[];
        readonly differences: readonly FileDifference[];
        /** Files of the folder that the store cannot have. */
        readonly left: readonly LeftOut[];
      }
    | { readonly fault: string; readonly code: string };
}

/** What a store keeps of a vault's past. */
export interface Pruned {
  readonly url: string;
  readonly vault: string;
  /** The last commit. */
  readonly seq: number;
  /** The last commit that the store has no more; 0: it has all of them. */
  readonly keptAfter: number;
}

/** A folder that follows a vault of a store for as long as a server runs. */
export interface TemporaryCopy {
  readonly root: string;
  readonly left: readonly LeftOut[];
  /** Opens it; the caller closes it before `end`. `flags`: what its settings are made of besides their files. */
  open(options: { readonly config: Config; readonly flags: readonly ConfigLayer[] }): Host;
  /** Pushes what is left of edits, and removes the folder. Where they cannot be pushed it stays: gives why. */
  end(): Promise<string | null>;
}

/** Vaults that several machines share, as commands set them up. Errors hold no password. */
export interface Sharing {
  /** Puts a folder into a new vault of a store, or goes on with it, and has the folder follow it. */
  share(folder: string, url: string, onProgress: SharingProgress): Promise<SharingOutcome>;
  /** Makes a folder that follows a vault of a store, or goes on with it. `folder` null: one in `cwd` that is called like the vault. */
  clone(url: string, to: { readonly folder: string | null; readonly cwd: string }, onProgress: SharingProgress): Promise<SharingOutcome>;
  /** Ends following; what was edited is pushed before. */
  unshare(folder: string, options: { readonly isForced: boolean }): Promise<Unshared>;
  /** Null: the folder follows nothing. */
  status(folder: string, onProgress: SharingProgress): Promise<SharingStatus | null>;
  /** Removes commits that are older than so many days from the store that a folder follows, and contents that nothing needs then. Null: the folder follows nothing. */
  prune(folder: string, keepDays: number): Promise<Pruned | null>;
  /** Whether the folder was a working copy somewhere else, and follows nothing here. */
  isStray(folder: string): boolean;
  copy(url: string, onProgress: SharingProgress, signal: AbortSignal): Promise<TemporaryCopy>;
}
