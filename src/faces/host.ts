import type { Config } from '../config.ts';
import type { Operation } from '../ops/operation.ts';
import type { Caller, Session, VaultState } from '../ops/session.ts';
import type { Access, Log } from '../ports.ts';

export type { VaultState };

/** A token that has a name, without the token. */
export interface NamedToken extends Access {
  /** ISO 8601 UTC. */
  readonly created: string;
}

/** The tokens of a vault that have names. What is unusable of them throws `IO_ERROR` and says what to do. */
export interface TokenFile {
  list(): readonly NamedToken[];
  /** Makes one and gives its text, which is kept nowhere. A taken or impossible name is `INVALID_PARAMS`. */
  add(token: Access): string;
  /** False: there is none of this name. */
  remove(name: string): boolean;
  /** What the bearer of this text may do; null for whoever made it up. In constant time. */
  find(text: string): Access | null;
}

/** A server of a vault, as this user's other programs find it. */
export interface RunningServer {
  readonly pid: number;
  readonly url: string;
  readonly vault: string;
  /** ISO 8601 UTC. */
  readonly started: string;
  /** What lets this user's programs in, for as long as it runs. */
  readonly key: string;
}

/** What this user's programs keep about the servers of a vault, where nothing that came with the vault can stand. */
export interface ServerFiles {
  /** The token that clients send, made on first use, and the file in which this user alone reads it. */
  token(): { readonly text: string; readonly file: string };
  readonly tokens: TokenFile;
  /** The server of this vault that this user runs, as it left its address; null where none does. */
  running(): RunningServer | null;
  /** Leaves the address where this user's other programs find it; gives what takes it away again. */
  announce(server: RunningServer): () => void;
}

/** A folder whose own settings may make roux write by itself. */
export interface TrustedFolder {
  /** Its real path when it was trusted. */
  readonly path: string;
  /** ISO 8601 UTC. */
  readonly since: string;
}

/** The folders that this user trusts: by path and by the folder itself, so that another one at the same path is not trusted. */
export interface TrustedFolders {
  has(folder: string): boolean;
  /** False: it was trusted before. Throws `IO_ERROR` where that cannot be remembered. */
  add(folder: string): boolean;
  /** The same for a folder that this user has just made a vault; false also where it is another user's, which is no folder that one makes. */
  addMade(folder: string): boolean;
  /** Forgets every folder of this path, also one that is gone. False: there was none. */
  remove(folder: string): boolean;
  list(): readonly TrustedFolder[];
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

/** What a process is started with, besides the files of its settings. */
export interface GivenSettings {
  /** Each flag that was given, and the setting that it stands for. */
  readonly flags: readonly { readonly source: string; readonly key: string; readonly value: string | boolean }[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where its user configures programs. */
  readonly configFolder: string;
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
  /** What the settings would be for a process of this user that starts on the vault now; null for another user's. Throws `INVALID_CONFIG`. */
  settingsFor(given: GivenSettings): Promise<Config | null>;
  /** The operations that are offered as tools, sorted by name. */
  operations(): Promise<readonly Operation[]>;
  /** The operations of the web page: no tools, and offered whatever tools are. */
  pageOperations(): Promise<readonly Operation[]>;
  /** A way to the operations for one caller. */
  openSession(caller: Caller): Session;
  /** What is remembered of the vault, without opening it: no note is looked at, nothing is written. Rejects when the folder cannot be read. */
  remembered(): Promise<Remembered>;
  /** How the vault stands at this moment; opens it where nobody has. Rejects when it cannot be opened. */
  state(): Promise<VaultState>;
  /** How the vault stands once it is complete; rejects when it cannot be served. */
  ready(): Promise<VaultState>;
  /** Refuses the writes that have not begun, and all later ones: the process was asked to end. Reads go on until `close`. */
  stopWriting(): void;
  /** Finishes writes and closes the vault, where it was opened. */
  close(): Promise<void>;
}
