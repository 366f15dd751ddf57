/** Time, ids and random numbers, passed in so that tests are deterministic. */
export interface Ports {
  readonly clock: Clock;
  /** Returns a new lower-case ULID, strictly greater than the previous one in this process. */
  newId(): string;
  /** Returns a number in [0, 1). */
  random(): number;
  /** Returns a secret that only this user's processes know. It is stored outside of every vault, and created on first use. */
  secret(): Uint8Array;
  readonly log: Log;
  /** Extracts facts from episodes if the user has configured an endpoint; otherwise rules are used. */
  readonly extractor?: Extractor | null;
  /** The name of this process, by which processes of this machine can tell whether it has ended. */
  readonly process?: NamedProcess;
  /** Reads the text in pictures if the user has named a command for that. */
  readonly images?: ImageReader | null;
}

/** The name of a process, and what becomes of others. */
export interface NamedProcess {
  readonly name: string;
  /** Returns whether the process of a name, or of a name that continues it after a dot or a slash, runs. `unknown`: it cannot be seen from here. */
  liveness(name: string): 'alive' | 'dead' | 'unknown';
}

export interface Clock {
  /** Returns milliseconds since 1970 UTC. */
  now(): number;
}

/** Returns the current time, ISO 8601 in UTC. */
export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** The diagnostic log. It must not contain the text of notes, and never goes to stdout. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** The state of a path when it was looked at. */
export type SeenFile =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'folder' }
  | {
      readonly kind: 'file';
      readonly bytes: Uint8Array;
      /** Differs whenever the file has changed. */
      readonly version: string;
    }
  /** A link on the path, or not a regular file, which roux leaves alone; `reason` is a clause. */
  | { readonly kind: 'barred'; readonly reason: string };

/** Access to the files that set up a folder and are not notes: those of git and of MCP clients. Never follows links or blocks on a FIFO. */
export interface SetupFiles {
  look(path: string): SeenFile;
  /** Writes a file atomically if it is still as `seen`, creating folders. Returns null, or why it was not written as a clause. */
  write(path: string, file: { readonly bytes: Uint8Array; readonly seen: SeenFile }): Promise<string | null>;
}

/** An accepted episode, as an extractor receives it. */
export interface EpisodeText {
  readonly uuid: string;
  readonly groupId: string;
  readonly source: 'text' | 'json' | 'message';
  readonly body: string;
  /** The time to which relative dates in the body refer; ISO 8601 in UTC with milliseconds. */
  readonly referenceTime: string;
  readonly name?: string;
  readonly sourceDescription?: string;
  /** Only for extractors that call a model. */
  readonly context?: EpisodeContext;
}

/** What helps a model to read an episode. All of it is bounded. */
export interface EpisodeContext {
  /** Messages of the group before this one, oldest first. */
  readonly earlierMessages: readonly string[];
  /** Names of entities of the group that occur in the text. */
  readonly knownEntities: readonly string[];
  /** Relations of which an entity has one at a time. */
  readonly singleRelations: readonly string[];
  /** Why the previous answer about this episode was not valid. */
  readonly previousError?: string;
}

/** Extracts entities and facts from an episode (S3-30). */
export interface Extractor {
  /** Names the method and its model, for receipts and logs: `rules`, `chat:<model>`. Contains no secret. */
  readonly id: string;
  /**
   * Resolves to a result that has not been validated (`readExtraction` does that). Rejects with a RouxError with details `{ retryable:
   * boolean, retry_after_ms?: number, invalid_answer?: true }`; without `invalid_answer`, a retryable error means that it is away.
   */
  extract(episode: EpisodeText, signal: AbortSignal): Promise<unknown>;
}

/** Reads the text in pictures, by a command that the user has named. */
export interface ImageReader {
  /** Identifies the command: texts of different commands are never taken for one another. */
  readonly id: string;
  /** Resolves to the text in a picture; rejects with a reason for the log. `extension`: of the file, such as `png`. */
  read(bytes: Uint8Array, extension: string, signal: AbortSignal): Promise<string>;
}

/** What a text is to search. The beginning of a note may be truncated sooner than other passages, so that all notes have one soon. */
export type EmbeddedKind = 'query' | 'beginning' | 'passage';

/** Converts texts to vectors, which are close to each other if the texts are similar in meaning. */
export interface Embedder {
  /** Identifies model, revision and quantization. Vectors with different ids are never compared. */
  readonly id: string;
  /** The length of a vector. */
  readonly dims: number;
  /** Texts are truncated after this number of tokens. */
  readonly maxTokens: number;
  /** The preferred number of texts in one call. */
  readonly batch: number;
  /** The CPU time that other processes of this machine have taken for it so far, in milliseconds; undefined where texts are embedded elsewhere. */
  readonly cpuMs?: number;
  /**
   * Returns a vector of unit length for each text, in order. Rejects if any text fails; with an `EmbedderError` if it is known whether a
   * retry can help.
   */
  embed(texts: readonly string[], kind: EmbeddedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** Releases its resources; called once. */
  close(): Promise<void>;
}

/** An embedder that has not been loaded. */
export interface EmbedderSource {
  /** The id of the embedder. */
  readonly id: string;
  /** The name for people: `MiniLM, on this machine`. */
  readonly name: string;
  /** Whether texts are sent to another machine. */
  readonly isRemote: boolean;
  /** The only language that the model reads; absent where it reads many. */
  readonly language?: 'en';
  /** Loads the embedder; rejects with a reason for people. */
  open(signal?: AbortSignal): Promise<Embedder>;
}

/** The state of this machine, on which background work depends. Both methods are cheap. */
export interface Machine {
  /** Background work pauses while this is true. */
  isOnBattery(): boolean;
  /** Background work slows down while this is true. */
  isBusy(): boolean;
}

/** What the bearer of a token may do. The user of the machine, who has no token, may do everything. */
export interface Access {
  /** The name of the token, which is not secret. */
  readonly name: string;
  /** `read`: nothing that writes; `write`: everything except what needs `admin`, which empties or repairs a whole vault. */
  readonly scope: 'read' | 'write' | 'admin';
  /** The folders that may be read and written, as globs (`projects/**`); null: the whole vault. */
  readonly folders: readonly string[] | null;
}
