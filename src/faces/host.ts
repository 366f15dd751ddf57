import type { Config } from '../config.ts';
import type { Operation } from '../ops/operation.ts';
import type { Caller, Session } from '../ops/session.ts';
import type { Log } from '../ports.ts';

/** How a vault stands: what faces report of it. What is in it is asked with operations. */
export interface VaultState {
  /** The first scan is done and the graph is complete. */
  readonly isReady: boolean;
  readonly notes: number;
  readonly search: 'building' | 'ready' | 'off';
  /** How search by meaning stands, and which share of the notes has a vector, 0 to 1. */
  readonly meaning: { readonly state: 'off' | 'loading' | 'ready' | 'failed'; readonly done: number };
  /** Warnings about the whole vault. */
  readonly warnings: readonly string[];
}

/** What this user's programs keep about the servers of a vault, where nothing that came with the vault can stand. */
export interface ServerFiles {
  /** The token that clients send, made on first use, and the file in which this user alone reads it. */
  token(): { readonly text: string; readonly file: string };
  /** Leaves the address where this user's other programs find it; gives what takes it away again. */
  announce(address: Readonly<Record<string, unknown>>): () => void;
}

/** What the last start of the vault left of its notes, for those who cannot wait for what is there now. */
export interface Remembered {
  readonly notes: readonly {
    readonly path: string;
    readonly title: string;
    readonly tags: readonly string[];
    readonly type: string | null;
  }[];
  /** Paths of files that are no notes. */
  readonly attachments: readonly string[];
}

/** What the faces serve: one vault and the operations that are offered on it. Both are opened on first use, once. */
export interface Host {
  readonly name: string;
  readonly version: string;
  /** Absolute path of the vault. */
  readonly root: string;
  readonly config: Config;
  readonly log: Log;
  readonly serverFiles: ServerFiles;
  /** The operations that are offered as tools, sorted by name. */
  operations(): Promise<readonly Operation[]>;
  /** A way to the operations for one caller. */
  openSession(caller: Caller): Session;
  /** What is remembered of the vault, without opening it: no note is looked at, nothing is written. Rejects when the folder cannot be read. */
  remembered(): Promise<Remembered>;
  /** How the vault stands at this moment; opens it where nobody has. Rejects when it cannot be opened. */
  state(): Promise<VaultState>;
  /** How the vault stands once it is complete; rejects when it cannot be served. */
  ready(): Promise<VaultState>;
  /** Finishes writes and closes the vault, where it was opened. */
  close(): Promise<void>;
}
