import type { NoteChange } from '../../note/change.ts';
import type { NotePath } from '../../note/path.ts';
import type { FileState } from '../../store/folder/file-system.ts';
import type { FieldChange, HistoryAction, HistoryEvent } from '../../store/records/history-event.ts';
import type { TransactionMeta } from '../../store/store.ts';
import type { BaseVersion } from '../history/version.ts';
import type { NoteOnDisk } from '../sync/read-note-now.ts';

export type { FieldChange, HistoryAction, HistoryEvent };

/** What a caller saw when it decided; a difference is `CONFLICT`. */
export interface Expectation {
  readonly rev?: number;
  /** sha-256 hex of the bytes, or its first 16 digits as tools give it. */
  readonly etag?: string;
}

/** Mode and owner of a file that was there before. */
export type FileLook = Pick<FileState, 'mode' | 'uid' | 'gid'>;

/** One file of a plan. Paths are vault-relative. */
export type FileChange =
  /** A new file; `NODE_EXISTS` when the name, or a twin of it by case or Unicode form, is taken. */
  | { readonly kind: 'create'; readonly path: string; readonly text: string; readonly like?: FileLook }
  /** A new attachment (binary content of a typed note). */
  | { readonly kind: 'create-bytes'; readonly path: string; readonly base64: string; readonly like?: FileLook }
  /** Changes to a note that exists, applied to the text on disk now. */
  | { readonly kind: 'change'; readonly path: NotePath; readonly changes: readonly NoteChange[]; readonly expect?: Expectation }
  /** Splices in a file that is not a note (`.canvas`), valid only for these bytes. */
  | {
      readonly kind: 'splice';
      readonly path: string;
      readonly hash: string;
      readonly splices: readonly { readonly start: number; readonly end: number; readonly text: string }[];
    }
  /** A move or rename, with changes to the moved note's own text; of a file that is no note, with new bytes in place of those of this hash. */
  | {
      readonly kind: 'move';
      readonly from: string;
      readonly to: string;
      readonly changes: readonly NoteChange[];
      readonly expect?: Expectation;
      readonly rewrite?: { readonly hash: string; readonly bytes: Uint8Array };
    }
  /** `trash`: into `.roux/trash`, restorable. `gone`: for good. */
  | { readonly kind: 'remove'; readonly path: string; readonly to: 'trash' | 'gone'; readonly expect?: Expectation };

/** An event that a plan names itself; where a plan names none for a file, the commit derives one from the change. */
export interface PlannedEvent {
  readonly path: string;
  readonly action: HistoryAction;
  /** Absent: derived field by field from the text before and after. */
  readonly changes?: readonly FieldChange[];
  /** For a note that the plan removes or that has an id of its own. */
  readonly node?: string;
}

/** A write before it is a write: a value that lists every file it touches. All of it happens or none. */
export interface Plan {
  readonly files: readonly FileChange[];
  readonly events?: readonly PlannedEvent[];
  /** Whole-call warnings for the answer: what was found and left alone. */
  readonly warnings?: readonly string[];
  /** Notes that keep their place while their headings or blocks change: links elsewhere follow. */
  readonly linked?: readonly string[];
  /** Folders that go with all below them once nothing is left in them. */
  readonly emptied?: readonly string[];
  /** Folders that files move out of, the innermost first: each goes where nothing at all is left in it. */
  readonly vacated?: readonly string[];
  /** What the caller will answer, as JSON: kept with an idempotency key, so that a repeat gets the same. */
  readonly result?: unknown;
}

/** One file of a write that is computed, and not carried out yet; texts are null for files that are no notes. */
export interface FileAtHand {
  /** Null: it is made. */
  readonly pathBefore: string | null;
  /** Null: it goes. */
  readonly pathAfter: string | null;
  /** Which file is there: another one where a symbolic link leads to it. */
  readonly file: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** Who asks, and how a repeat is recognised. */
export interface WriteMeta {
  /** The operation's name. */
  readonly operation: string;
  readonly agent: string;
  readonly signal?: AbortSignal;
  /** Staging progress of large plans. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Compute everything, write nothing; the diff is in the result. */
  readonly dryRun?: boolean;
  /** Called with the outcome of a dry run; what it throws is what `write` rejects with. */
  readonly onRehearsed?: (committed: Committed) => void;
  /** A repeat with the same key within 7 days writes nothing and gets the first result, also after a restart. */
  readonly idempotencyKey?: string;
  /** Hash of what the caller asked for: the same key with another one is `IDEMPOTENCY_MISMATCH`. */
  readonly payloadHash?: string;
  /** Refuse with `CONFLICT` where the vault is at another version (E-33). */
  readonly basedOn?: BaseVersion;
  /** Hears that it has happened, and under which batch, before anything else is done. */
  readonly onCommitted?: (batch: string) => void;
  /** Refuses what may not be written, by throwing: asked under the lock, when all is computed and nothing is written. */
  readonly check?: (files: readonly FileAtHand[]) => void;
}

/** One page of an audit trail, newest first. */
export interface HistoryPage {
  readonly events: readonly HistoryEvent[];
  readonly nextCursor: string | null;
}

/** Which page of a note's audit trail is asked for. */
export interface HistoryQuery {
  /** Its id or path. */
  readonly node: string;
  readonly limit: number;
  readonly cursor?: string;
  /** Nothing is recorded before, as behind a call that is refused. */
  readonly isGlance?: boolean;
  /** Leaves out lines that were not written here. */
  readonly isOwn?: boolean;
}

/** Of which notes the newest events are asked for. */
export interface HistoriesQuery extends Pick<HistoryQuery, 'limit' | 'isOwn'> {
  /** Ids or paths. */
  readonly nodes: readonly string[];
}

export interface FileResult {
  readonly path: string;
  /** Null when the file is gone. */
  readonly hash: string | null;
  readonly rev: number | null;
  readonly changed: boolean;
}

/** What a plan makes of one file. */
export interface FileDiff {
  /** Null: it is made. */
  readonly from: string | null;
  /** Null: it goes. */
  readonly to: string | null;
  /** Unified, as git prints it; a file that is no text is only named. */
  readonly diff: string;
}

export interface Committed {
  /** The batch id in the history; null when nothing changed. */
  readonly batch: string | null;
  readonly files: readonly FileResult[];
  readonly events: readonly HistoryEvent[];
  /** Among them conflict copies: a person saved while roux wrote. */
  readonly warnings: readonly string[];
  /** Unified diff; only for `dryRun`. */
  readonly diff?: string;
  /** The same, file by file. */
  readonly diffs?: readonly FileDiff[];
  /** The plan's `result`; for a repeat, the first one's. */
  readonly result?: unknown;
  /** The idempotency key was used before: nothing was written now. */
  readonly isReplay?: boolean;
  /** A note as this write left it, whoever wrote it since; null where that is not known. */
  readonly written?: (path: string) => NoteOnDisk | null;
}

/** What the store needs to know of who asks. */
export function toTransaction({ operation, agent, signal, onProgress, idempotencyKey, payloadHash }: WriteMeta): TransactionMeta {
  return {
    operation,
    agent,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(payloadHash === undefined ? {} : { payloadHash }),
  };
}
