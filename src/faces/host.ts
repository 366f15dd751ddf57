import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import type { Operation } from '../ops/operation.ts';
import type { Caller, Session, VaultState } from '../ops/session.ts';
import type { Access, Log } from '../ports.ts';

export type { VaultState };

/** A named token's rights; the token itself is not stored. */
export interface NamedToken extends Access {
  /** ISO 8601 UTC. */
  readonly created: string;
}

/** The named tokens of a vault. An unusable file throws `IO_ERROR`, which says what to do. */
export interface TokenFile {
  list(): readonly NamedToken[];
  /** Creates a token and returns its text, which is not stored. Throws `INVALID_PARAMS` for a name that is taken or invalid. */
  add(token: Access): string;
  /** Returns false if there is no token with this name. */
  remove(name: string): boolean;
  /** Returns the rights of a token, compared in constant time; null if it is unknown. */
  find(text: string): Access | null;
}

/** A client that registered itself (RFC 7591). */
export interface OauthClient {
  readonly id: string;
  /** As the client gave it: untrusted text. */
  readonly name: string;
  /** The SHA-256 of its secret in hex; null for a public client. */
  readonly secret: string | null;
  readonly redirectUris: readonly string[];
  /** ISO 8601 UTC: when it registered, or lost its access. */
  readonly created: string;
}

/** An access token of a grant; `until` is its end in milliseconds since 1970. */
export interface OauthAccessToken {
  readonly sha256: string;
  readonly scope: Access['scope'];
  readonly until: number;
}

/** What the owner has allowed a client. Its tokens are stored as hashes. */
export interface OauthGrant extends NamedToken {
  readonly id: string;
  readonly clientId: string;
  /** As the client gave it: untrusted text. */
  readonly clientName: string;
  /** The URL of the MCP server that its tokens are for. */
  readonly resource: string;
  /** ISO 8601 UTC: when a token was last issued. */
  readonly used: string;
  /** The SHA-256 of the authorization code and of the one refresh token that is valid, in hex. */
  readonly code: string;
  readonly refresh: string;
  readonly access: readonly OauthAccessToken[];
}

export interface OauthState {
  readonly clients: readonly OauthClient[];
  readonly grants: readonly OauthGrant[];
}

/** The OAuth clients and grants of a vault, and its owner's password. An unusable file throws `IO_ERROR`, which says what to do. */
export interface OauthFile {
  /** Returns the same object for as long as nothing changes. */
  read(): OauthState;
  /** Changes the state while no other process does. */
  change<T>(edit: (state: OauthState) => { readonly state: OauthState; readonly result: T }): T;
  hasPassword(): boolean;
  setPassword(password: string): Promise<void>;
  /** Whether this is the owner's password; false if there is none. Takes some tenths of a second. */
  isPassword(password: string): Promise<boolean>;
  /** Returns folders in the form in which they are compared. Throws `INVALID_PARAMS` for what names no folder. */
  parseFolders(folders: readonly string[]): readonly string[];
}

/** A running server of a vault, as this user's other programs find it. */
export interface RunningServer {
  readonly pid: number;
  readonly url: string;
  readonly vault: string;
  /** ISO 8601 UTC. */
  readonly started: string;
  /** Proves to this user's programs that this is their server. Opens nothing. */
  readonly key: string;
}

/** A socket at which relaying processes of this user connect. */
export interface RelaySocket {
  /** Names the folder of the vault by what it is, wherever its path leads (`system/folder-key.ts`). */
  readonly vault: string;
  /** Whether the folder of the vault is still where it was. */
  isVaultThere(): boolean;
  /** Passes on each connection, paused, and those that came before. */
  accept(onConnection: (connection: Socket) => void): void;
  /** Takes no further connections. */
  close(): void;
}

/** The user's files about the servers of a vault. They are outside of the vault, which may come from a stranger. */
export interface ServerFiles {
  /** Returns the owner's token, created on first use, and its file, which only this user can read. */
  token(): { readonly text: string; readonly file: string };
  readonly tokens: TokenFile;
  readonly oauth: OauthFile;
  /** Returns the server of this vault that this user has announced; null if there is none. */
  running(): RunningServer | null;
  /** Opens a socket that relaying processes find before those of earlier processes; null if this system or folder allows none. */
  listen(): Promise<RelaySocket | null>;
  /** When a client last told that a session of its agent ended, ISO 8601 UTC; null if none did. */
  lastSessionEnd(): string | null;
  /** Records that a session ended at this time. */
  recordSessionEnd(time: string): void;
  /** Records a server for this user's other programs. Returns a function that removes the record. */
  announce(server: RunningServer): () => void;
}

/** A folder whose settings may make roux write without being asked. */
export interface TrustedFolder {
  /** Its real path at that time. */
  readonly path: string;
  /** ISO 8601 UTC. */
  readonly since: string;
}

/** The folders that this user trusts, by path and by identity, so that another folder at the same path is not trusted. */
export interface TrustedFolders {
  has(folder: string): boolean;
  /** Returns false if it is trusted already. Throws `IO_ERROR` if it cannot be recorded. */
  add(folder: string): boolean;
  /** Trusts a folder that was just made a vault. Returns false if it is trusted already, or belongs to another user. */
  addMade(folder: string): boolean;
  /** Removes all folders with this path, even if they no longer exist. Returns false if there was none. */
  remove(folder: string): boolean;
  list(): readonly TrustedFolder[];
}

/** The notes and attachments in the cache of the last start, for callers that cannot wait for the vault. */
export interface Remembered {
  readonly notes: readonly {
    readonly path: string;
    readonly title: string;
    readonly tags: readonly string[];
    readonly type: string | null;
  }[];
  /** Paths of the files other than notes. */
  readonly attachments: readonly string[];
}

/** The settings of a process besides those in files. */
export interface GivenSettings {
  /** Each given flag, and the setting that it overrides. */
  readonly flags: readonly { readonly source: string; readonly key: string; readonly value: string | boolean }[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of its user's configuration files. */
  readonly configFolder: string;
}

/** A vault and the operations offered on it, as the faces serve them. Both are loaded once, on first use. */
export interface Host {
  readonly name: string;
  readonly version: string;
  /** Absolute path of the vault. */
  readonly root: string;
  readonly config: Config;
  readonly log: Log;
  readonly serverFiles: ServerFiles;
  /** Returns the settings that another process would have on this vault; null for another user's process. Throws `INVALID_CONFIG`. */
  settingsFor(given: GivenSettings): Promise<Config | null>;
  /** Returns the operations that are offered as tools, sorted by name. */
  operations(): Promise<readonly Operation[]>;
  /** Returns the web page's operations. They are not tools, and do not depend on the chosen toolsets. */
  pageOperations(): Promise<readonly Operation[]>;
  /** Opens a session, through which one caller runs operations. */
  openSession(caller: Caller): Session;
  /** The name of this process for `Caller.connection`: alone for the one client of a process, else with a dot and a part for each client. */
  readonly processName: string;
  /** Ends what a connection holds, such as claims of tasks, when its client is gone. */
  leave(connection: string): Promise<void>;
  /** Reads the cache of the last start without opening the vault: reads no note, writes nothing. Rejects if the folder cannot be read. */
  remembered(): Promise<Remembered>;
  /** Returns the current state of the vault, and opens it if necessary. Rejects if it cannot be opened. */
  state(): Promise<VaultState>;
  /** Returns the state of the vault once it is completely read. Rejects if it cannot be served. */
  ready(): Promise<VaultState>;
  /** Refuses writes that have not begun and all later ones, because the process ends. Reads continue until `close`. */
  stopWriting(): void;
  /** Finishes writes in progress, and closes the vault if it is open. */
  close(): Promise<void>;
}
