/** Time, identity and chance come in from outside, so that every test is exact. */
export interface Ports {
  readonly clock: Clock;
  /** A new lower-case ULID, strictly greater than the one before it in this process. */
  newId(): string;
  /** A number in [0, 1). */
  random(): number;
  /** Bytes that nobody but this user's processes knows, kept outside of every vault; made on first use. */
  secret(): Uint8Array;
  readonly log: Log;
  /** Reads facts from episodes where the user has set one up; else rules do. */
  readonly extractor?: Extractor | null;
}

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
}

/** The time now, ISO 8601 in UTC. */
export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Diagnostics for people. Never note text, never stdout. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What stands under a name in a folder, as it was looked at. */
export type SeenFile =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'folder' }
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array;
      /** Changes with the file. */
      readonly version: string;
    }
  /** What roux leaves alone: a link, on the way or at its end, or no regular file; and why, as a clause. */
  | { readonly kind: 'barred'; readonly reason: string };

/** The few files of a folder that set it up and are no notes: what git and clients read. No link is followed, and nothing is waited for. */
export interface SetupFiles {
  look(path: string): SeenFile;
  /** Writes a file whole or not at all, if what is there is still what was seen; folders are made. Returns why not, as a clause, or null. */
  write(path: string, file: { readonly bytes: Uint8Array; readonly seen: SeenFile }): Promise<string | null>;
}

/** What an extractor is given: one episode as it was accepted. */
export interface EpisodeText {
  readonly uuid: string;
  readonly groupId: string;
  readonly source: 'text' | 'json' | 'message';
  readonly body: string;
  /** ISO 8601 UTC with milliseconds: what dates in the body are read against. */
  readonly referenceTime: string;
  readonly name?: string;
  readonly sourceDescription?: string;
}

/** Reads entities and facts from an episode (S3-30). */
export interface Extractor {
  /** Names the way and what it depends on, for receipts and logs: `rules`, `chat:<model>`. Holds no secret. */
  readonly id: string;
  /**
   * Resolves with what is still to be validated (`readExtraction`). Rejects with a RouxError whose details say
   * `{ retryable: boolean, retry_after_ms?: number }`.
   */
  extract(episode: EpisodeText, signal: AbortSignal): Promise<unknown>;
}

/** What turns texts into vectors: the nearer two of them, the nearer the meaning of their texts. */
export interface Embedder {
  /** Model, revision and quantisation: vectors of different ids are never compared. */
  readonly id: string;
  /** Numbers in a vector. */
  readonly dims: number;
  /** What follows after so many tokens of a text is left out. */
  readonly maxTokens: number;
  /** So many texts are best given at once. */
  readonly batch: number;
  /** A vector of unit length for each text, in their order. Rejects as a whole; with an `EmbedderError` where it is known whether it may go better later. */
  embed(texts: readonly string[], kind: 'query' | 'passage', signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** Gives back what it holds; called once, at the end. */
  close(): Promise<void>;
}

/** An embedder that is not loaded yet. */
export interface EmbedderSource {
  /** The id that the embedder will have. */
  readonly id: string;
  /** For people: `MiniLM, on this machine`. */
  readonly name: string;
  /** Texts leave this machine. */
  readonly isRemote: boolean;
  /** Loads it; rejects with a reason for people. */
  open(signal?: AbortSignal): Promise<Embedder>;
}

/** What work that nobody waits for needs from the machine. */
export interface Machine {
  /** Such work waits until it is over. Cheap, as is the other. */
  isOnBattery(): boolean;
  /** Such work goes slowly. */
  isBusy(): boolean;
}

/** What the bearer of a token may do; who has none of these is the user of the machine, who may do all. */
export interface Access {
  /** The name of the token: no secret. */
  readonly name: string;
  /** `read`: nothing that writes; `write`: all but what is for `admin`, which empties or repairs a vault as a whole. */
  readonly scope: 'read' | 'write' | 'admin';
  /** The folders that are to be seen and written, as globs (`projects/**`); null: the whole vault. */
  readonly folders: readonly string[] | null;
}
