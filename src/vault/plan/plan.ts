import type { NoteChange } from '../../note/change.ts';
import type { NotePath } from '../../note/path.ts';
import type { Splice } from '../../note/text.ts';
import type { FileState } from '../../store/folder/file-system.ts';
import type { FieldChange, HistoryAction, HistoryEvent } from '../../store/records/history-event.ts';
import type { TransactionMeta } from '../../store/store.ts';
import type { BaseVersion } from '../history/version.ts';
import type { NoteOnDisk } from '../sync/read-note-now.ts';

export type { FieldChange, HistoryAction, HistoryEvent };

/** The state a caller based its decision on; any other state is a `CONFLICT`. */
export interface Expectation {
  readonly rev?: number;
  /** sha-256 hex of the bytes, or its first 16 digits as tools give it. */
  readonly etag?: string;
  /** The caller cannot say for which text it was told `rev`, which an edit by hand does not change: the text must be as roux wrote it. */
  readonly isUnedited?: true;
}

/** Mode and owner of an earlier file. */
export type FileLook = Pick<FileState, 'mode' | 'uid' | 'gid'>;

/** One file of a plan. Paths are vault-relative. */
export type FileChange =
  /** A new file. `NODE_EXISTS` when the path, or one that differs only by case or Unicode form, is taken. */
  | { readonly kind: 'create'; readonly path: string; readonly text: string; readonly like?: FileLook }
  /** A new attachment (binary content of a typed note). */
  | { readonly kind: 'create-bytes'; readonly path: string; readonly base64: string; readonly like?: FileLook }
  /** A deleted file that is larger than what roux writes comes back. */
  | { readonly kind: 'bring-back'; readonly path: string; readonly bytes: Buffer; readonly like?: FileLook }
  /** Changes to an existing note, applied to its present text on disk. */
  | { readonly kind: 'change'; readonly path: NotePath; readonly changes: readonly NoteChange[]; readonly expect?: Expectation }
  /** Splices in a file that is not a note (`.canvas`), valid only for these bytes. */
  | {
      readonly kind: 'splice';
      readonly path: string;
      readonly hash: string;
      readonly splices: readonly Splice[];
    }
  /**
   * A move or rename, with changes to the moved note's text. `rewrite` replaces the bytes of another kind of file, if they have this hash.
   */
  | {
      readonly kind: 'move';
      readonly from: string;
      readonly to: string;
      readonly changes: readonly NoteChange[];
      readonly expect?: Expectation;
      readonly rewrite?: { readonly hash: string; readonly bytes: Uint8Array };
    }
  /** `trash`: into `.roux/trash`, restorable. `gone`: permanently. */
  | { readonly kind: 'remove'; readonly path: string; readonly to: 'trash' | 'gone'; readonly expect?: Expectation };

/** An event that a plan specifies. For other files the commit derives one from the change. */
export interface PlannedEvent {
  readonly path: string;
  readonly action: HistoryAction;
  /** When absent, derived field by field from the texts. */
  readonly changes?: readonly FieldChange[];
  /** For a note that the plan removes, or that has its own id. */
  readonly node?: string;
}

/** A planned write: a value that lists every file it touches. All of it happens or none. */
export interface Plan {
  readonly files: readonly FileChange[];
  readonly events?: readonly PlannedEvent[];
  /** Warnings for the answer about the whole call, such as what was left alone. */
  readonly warnings?: readonly string[];
  /** Notes that are not moved but whose headings or blocks change, with links to them rewritten. */
  readonly linked?: readonly string[];
  /** Folders to remove with their subfolders once no file is left in them. */
  readonly emptied?: readonly string[];
  /** Folders that files move out of, innermost first; each is removed if completely empty. */
  readonly vacated?: readonly string[];
  /** Files and folders that change in another way or later: tasks whose claims are kept elsewhere, what accepted episodes are read into. */
  readonly alsoChanges?: readonly string[];
  /** What `write` returns beside the changes, as JSON: it is stored with an idempotency key for repeats. */
  readonly result?: unknown;
}

/** One computed file of a write that is not executed yet. Texts are null for files that are not notes. */
export interface PlannedFile {
  /** Null for a created file. */
  readonly pathBefore: string | null;
  /** Null for a removed file. */
  readonly pathAfter: string | null;
  /** The real path on disk, which differs if a symbolic link leads to the file. */
  readonly file: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** Returns a file, or folder, that a write changes by other means than its files. */
export function toChangedPath(path: string): PlannedFile {
  return { pathBefore: path, pathAfter: path, before: null, after: null, file: null };
}

/** The caller of a write, how a repeat is recognized, and what is asked of the write. */
export interface WriteMeta extends Omit<TransactionMeta, 'patienceMs'> {
  /** Compute everything and write nothing; the diff is in the result. */
  readonly dryRun?: boolean;
  /** Called with the result of a dry run; `write` rejects with what it throws. */
  readonly onDryRun?: (committed: Committed) => void;
  /** Throw `CONFLICT` if the vault is at another version (E-33). */
  readonly basedOn?: BaseVersion;
  /** Called with the batch right after the commit, before anything else. */
  readonly onCommitted?: (batch: string) => void;
  /** Throws for a write that is not allowed. Called under the lock, after everything is computed and before anything is written. */
  readonly check?: (files: readonly PlannedFile[]) => void;
}

/** One page of an audit trail, newest first. */
export interface HistoryPage {
  readonly events: readonly HistoryEvent[];
  readonly nextCursor: string | null;
}

/** Selects a page of a note's audit trail. */
export interface HistoryQuery {
  /** Its id or path. */
  readonly node: string;
  readonly limit: number;
  readonly cursor?: string;
  /** Skip recovering and recording pending edits first, for calls that are about to be refused. */
  readonly withoutRecording?: boolean;
  /** Exclude foreign lines. */
  readonly isOwn?: boolean;
}

/** Selects notes whose newest events are returned. */
export interface HistoriesQuery extends Pick<HistoryQuery, 'limit' | 'isOwn'> {
  /** Ids or paths. */
  readonly nodes: readonly string[];
}

export interface FileResult {
  readonly path: string;
  /** Null when the file was removed. */
  readonly hash: string | null;
  readonly rev: number | null;
  readonly changed: boolean;
}

/** What a plan does to one file. */
export interface FileDiff {
  /** Null for a created file. */
  readonly from: string | null;
  /** Null for a removed file. */
  readonly to: string | null;
  /** Unified, as git prints it; a binary file is only named. */
  readonly diff: string;
}

/** A write that was made, or computed by a dry run. `Result`: that of its plan. */
export interface Committed<Result = unknown> {
  /** The batch id in the history; null when nothing changed. */
  readonly batch: string | null;
  readonly files: readonly FileResult[];
  readonly events: readonly HistoryEvent[];
  /** Include conflict copies, made when a person saved while roux wrote. */
  readonly warnings: readonly string[];
  /** Unified diff; only for `dryRun`. */
  readonly diff?: string;
  /** The same, per file. */
  readonly diffs?: readonly FileDiff[];
  /** The plan's `result`; for a repeat, that of the first call. */
  readonly result: Result;
  /** The idempotency key was used before, and nothing was written now. */
  readonly isReplay?: boolean;
  /** Returns a note as this write left it, regardless of later writes; null if unknown. */
  readonly written?: (path: string) => NoteOnDisk | null;
  /** Returns the text of a note before this write, by its path after it; null if it was made, or not touched. */
  readonly before?: (path: string) => string | null;
}

/** Returns the part of the metadata that the store needs. */
export function toTransaction({
  operation,
  agent,
  signal,
  onProgress,
  idempotencyKey,
  isCallKey,
  payloadHash,
}: WriteMeta): TransactionMeta {
  return {
    operation,
    agent,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(isCallKey === undefined ? {} : { isCallKey }),
    ...(payloadHash === undefined ? {} : { payloadHash }),
  };
}
