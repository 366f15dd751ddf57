import type { BlockedPeriod } from '../watchdog/at-work.ts';
import type { Config } from '../config.ts';
import type { Search } from '../graph/semantic/semantic-search.ts';
import type { GraphView } from '../graph/view.ts';
import type { NotePath } from '../note/path.ts';
import type { Ports } from '../ports.ts';
import type { FolderStore } from '../store/folder-store.ts';
import type { CacheFiles } from '../store/records/cache-files.ts';
import type { RecordCheck } from '../store/records/check/record-fault.ts';
import type { TrashEntry } from '../store/records/trash.ts';
import type { Attachments } from './attachments/attachments.ts';
import type { Code } from './code/code.ts';
import type { MovedNotes } from './links/moved-notes.ts';
import type { LinkStyle } from './links/link-style.ts';
import type { PlaceFinder } from '../git/places.ts';
import type { ObsidianFile, ObsidianSettings } from './obsidian/settings-file.ts';
import type { ActiveAgents } from './history/active-agents.ts';
import type { Activity, ActivityPage, ActivityQuery } from './history/activity.ts';
import type { EventFilter } from './history/events.ts';
import type { Pack } from './cache/cache-saver.ts';
import type { AsOfQuery, PastNote } from './history/as-of.ts';
import type { ReviewedNote } from './history/review-note.ts';
import type { ForeignChanges, LinkWrite, ReviewQuery } from './history/review.ts';
import type { BaseVersion } from './history/version.ts';
import type { WritePart, WrittenFile } from './history/write-diff.ts';
import type { Committed, HistoriesQuery, HistoryEvent, HistoryPage, HistoryQuery, Plan, WriteMeta } from './plan/plan.ts';
import type { BranchNote } from './history/git/branch-notes.ts';
import type { UndoQuery } from './plan/earlier/undo.ts';
import type { FileTimes } from './read-files.ts';
import type { Verification } from './verify.ts';
import type { NoteOnDisk } from './sync/read-note-now.ts';
import type { Reading } from './sync/first/first-scan.ts';
import type { Depth } from './sync/refresh.ts';
import type { VectorTransfer } from './embeddings/vector-file.ts';

/** The files of a vault: texts of notes, attachments, times. */
export interface Notes {
  /**
   * Reads one note from the disk, stable against saves under way (docs/architecture.md, Following the disk), and brings the graph up to
   * date for it. Null when it does not exist.
   */
  read(path: string): Promise<NoteOnDisk | null>;
  /** Streams the whole text of a note that `read` returns only in part. Throws a retryable `CONFLICT` if it changes meanwhile. */
  readInChunks(path: string): AsyncIterable<string>;
  /**
   * Reads a note as it is right now, even in the middle of a save: for values that are derived from the graph and follow its changes. Null
   * when it does not exist.
   */
  readUnstable(path: string): NoteOnDisk | null;
  /**
   * Reads the text of a note as it is right now, even in the middle of a save, without parsing it: for excerpts in lists. Null when it does
   * not exist.
   */
  readTextUnstable(path: NotePath): string | null;
  /** Returns the bytes of an attachment; null when there is none. */
  readAttachment(path: string): Uint8Array | null;
  /** Returns the bytes of a note or attachment as they are, of a symbolic link none; null when there is no such file. */
  readBytes(path: string): Uint8Array | null;
  /** Returns size and times of a note or attachment without reading it; null when it does not exist. */
  timesOf(path: string): FileTimes | null;
  /** Returns whether a folder is at a path, which may be empty. Follows no symbolic link. */
  isFolder(path: string): boolean;
  /** Returns where a symbolic link leads in the vault, and the path of any other file as it is; null when nothing is there. */
  realPath(path: string): string | null;
  /**
   * Returns a function that tells whether a Markdown link names something that is there, note or not, in the vault or in the repository
   * around it; of a view of some folders, one that knows of nothing.
   */
  createPlaceFinder(): PlaceFinder;
  /** Reads a note, and the notes that it links to, before the others during the first scan. Returns false when no note has this path. */
  readAhead(path: string): Promise<boolean>;
  /** Brings the graph up to date with the note at a path; returns whether there is one. */
  refresh(path: string): Promise<boolean>;
  /**
   * Calls a listener after the graph followed any change, with the paths of notes and attachments. Returns a function that unsubscribes.
   */
  onChange(listener: (paths: readonly string[]) => void): () => void;
}

/** Every way to change a vault, and to take a change back. */
export interface Writes {
  /**
   * The one way to write. Takes the writer lock, recovers, brings the graph up to date with what other processes wrote, then calls
   * `makePlan` and executes its plan: all or nothing, durable when the promise resolves. A plan with no files writes nothing, and neither
   * does a `makePlan` that throws. Returns the plan's `result` with what was written.
   */
  write<P extends Plan>(meta: WriteMeta, makePlan: (graph: GraphView) => P | Promise<P>): Promise<Committed<P['result']>>;
  /**
   * Undoes one batch, or what an agent wrote (since a time, or its last writes up to a pause of half an hour). Throws `CONFLICT` if later
   * changes conflict.
   */
  undo(meta: WriteMeta, query: UndoQuery): Promise<Committed>;
  /** Restores removed files from the trash: by batch, by a `ref` of `trash`, or by path. */
  restore(meta: WriteMeta, reference: string): Promise<Committed>;
  /** Completes an unfinished write that was set aside, by its id, as a new write. */
  completeWrite(meta: WriteMeta, id: string): Promise<Committed>;
  /** Returns what can be restored, last removed first. */
  trash(): readonly TrashEntry[];
  /**
   * Waits until the writes under way, of any process, are finished; returns false when there were none. In the middle of a write a renamed
   * note can exist under two names or none.
   */
  waitForWrites(): Promise<boolean>;
  /** Answers that were given under idempotency keys. */
  readonly replayCache: FolderStore['replayCache'];
  /** Refuses the writes that have not begun, and all later ones, when the process is asked to end. Reads and `close` work as before. */
  stopWriting(): void;
}

/** What happened to a vault, and what it was. */
export interface History {
  /** Returns the audit trail of one note (by id or path), through merges and renames. */
  ofNote(query: HistoryQuery): Promise<HistoryPage>;
  /** Returns the newest events of several notes (by id or path), keyed as requested. */
  ofNotes(query: HistoriesQuery): Promise<ReadonlyMap<string, readonly HistoryEvent[]>>;
  /** Returns whether a batch of the history took others back; false for one whose undo data is gone. */
  isUndo(batch: string): boolean;
  /** Yields all events, newest first; those of edits from outside that the next write will record are among them. */
  backward(): AsyncIterable<HistoryEvent>;
  /** Returns the notes in a folder that other branches of the vault's repository changed since they left this one. */
  branchNotes(folder: string): Promise<readonly BranchNote[]>;
  /** Returns who wrote the texts of notes, by their paths and names in the history. */
  authorsOf(paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Returns a note as it was at a time, with a rev or in a commit. Throws `NODE_NOT_FOUND`, listing the known states, if that one is not
   * known (E-32).
   */
  asOf(query: AsOfQuery): Promise<PastNote>;
  /** Returns all writes, whoever made them, newest first, in pages. `filter` limits what is visible, also in the next two methods. */
  activity(query: ActivityQuery, filter?: EventFilter): Promise<ActivityPage>;
  /** Counts writes per agent in the newest part of the history. `since` is its start; null if that is all of it. */
  activeAgents(filter?: EventFilter): Promise<ActiveAgents>;
  /** Returns what one write of `activity` did to a page of its files, as far as their texts are stored; null if there is no such write. */
  writeDiff(
    id: string,
    part: WritePart,
    filter?: EventFilter,
  ): Promise<{ readonly activity: Activity; readonly total: number; readonly files: readonly WrittenFile[] } | null>;
  /**
   * Returns what agents changed, note by note, each read when it is iterated (E-31). `since` is ISO 8601; null means since the last
   * accepted review.
   */
  review(query: ReviewQuery): Promise<{
    readonly since: string | null;
    readonly notes: AsyncIterable<ReviewedNote>;
    /** Writes that only rewrote links in some notes. */
    readonly links: readonly LinkWrite[];
    /** The argument for `acceptReview`. */
    readonly upTo: number;
    /** Number of changes before `since` that were never accepted. */
    readonly earlier: number;
    /** Changes from foreign lines; absent when there are none. */
    readonly foreign?: ForeignChanges;
  }>;
  /** Marks what agents changed up to a sequence number as reviewed; only one agent's changes if `by` is given. */
  acceptReview(upTo: number, by?: string): Promise<void>;
  /** Returns the present version of the vault: `<last sequence number>-<fingerprint>`. Any change from any side changes it (E-33). */
  version(): Promise<string>;
  /** Throws `CONFLICT`, naming what changed, if the vault is not at the version that a call was based on. */
  requireVersion(based: BaseVersion): Promise<void>;
  /** Lists the present paths of moved notes by their previous ones, from the history and from what this process saw. */
  movedNotes(): Promise<MovedNotes>;
  /**
   * Returns the note that a broken link used to lead to before somebody renamed it outside of roux while this process watched; null if
   * unknown.
   */
  findMovedNote(linkpath: string): NotePath | null;
  /** Reads the history in slices if any notes share an id, so that `findOriginal` need not read it at once. `refresh` does this too. */
  loadOriginals(): Promise<void>;
  /** Returns the original among files that share an id, by the history; the others are copies. */
  findOriginal(id: string, paths: readonly string[]): string;
}

/** How a vault is set up, by its configuration and by Obsidian. */
export interface Settings {
  /** Absolute real path. */
  readonly root: string;
  /** As of the last `configure`, or of opening. */
  readonly config: Config;
  /** Whether other machines may write to the same vault. */
  readonly isShared: boolean;
  /** Returns whether it is in a git repository, so that branches may hold other notes than these. */
  isInRepository(): boolean;
  /**
   * Applies changed settings, and re-reads Obsidian's. Resolves when the graph has the right notes hidden. Settings that are used only when
   * a vault is opened do not change.
   */
  configure(config: Config): Promise<void>;
  /** Returns how links are written: as configured, else as Obsidian is set up at the moment. */
  linkStyle(): LinkStyle;
  /** Returns the settings in one of Obsidian's files; empty when there is none. */
  obsidian(file: ObsidianFile): ObsidianSettings;
  /** Returns whether `ignore` or Obsidian's settings exclude a file from search, lists and graph views. */
  isHidden(path: string): boolean;
}

/** What is wrong with a vault, and what it uses. */
export interface Health {
  /** Resolves when the first scan is done and the graph is complete; rejects when the vault cannot be served. */
  readonly ready: Promise<void>;
  /** Warnings about the whole vault (degraded watching, read-only, unfinished journal …). */
  readonly warnings: () => readonly string[];
  /** What happened to notes between calls, oldest first. Each caller gets each report once. */
  readonly reports: readonly string[];
  /** Returns warnings that apply to every answer: the folder is gone, or more than half of the notes are. */
  alerts(): Promise<readonly string[]>;
  /** Accepts that notes are gone: every process that stopped writing because notes vanished writes again. */
  acceptDeletions(): Promise<void>;
  /** Returns what last blocked the main thread; null if nothing did. */
  lastStall(): BlockedPeriod | null;
  /** Returns the progress of the first scan; null once it is done or where it is unknown. */
  readingProgress(): Reading | null;
  /** Returns the disk usage of history, undo data and trash, in bytes. */
  sizes(): {
    readonly history: { readonly events: number; readonly bytes: number };
    readonly undo: { readonly bytes: number };
    readonly trash: { readonly files: number; readonly bytes: number };
  };
  /** Checks the graph and the journal; with `rebuild` reads the whole vault again and compares. */
  verify(options: { rebuild: boolean }): Promise<Verification>;
  /** Checks journal, history, undo data and trash, without writing. */
  checkRecords(): Promise<RecordCheck>;
  /** Ends unfinished writes and repairs half-written lines. Returns what it did, in words for people. */
  repairRecords(): Promise<readonly string[]>;
}

/** Finds notes by words and by meaning, and what PDFs and pictures say. */
export interface VaultSearch extends Search {
  /** Returns whether a search looks for notes that are not read yet, too. */
  findsUnread(): boolean;
  readonly attachments: Attachments;
}

/** Caches of what operations work out from notes, for the next start of the same program. A vault that is not written to saves none. */
export interface DerivedCache {
  loadDerived(name: string): Buffer | null;
  /** Saves when the vault is idle, and on close. */
  saveLater(name: string, pack: Pack): void;
}

/**
 * An open vault: connects the disk and the graph. An operation uses the ports that it needs; a token limited to folders gets ports limited
 * alike (`scopeVault`).
 */
export interface Vault {
  readonly ports: Ports;
  readonly notes: Notes;
  readonly graph: GraphView;
  readonly search: VaultSearch;
  readonly writes: Writes;
  readonly history: History;
  readonly settings: Settings;
  readonly health: Health;
  /** The repository around the vault: the code that notes are about. */
  readonly code: Code;
  /** Brings the graph up to date. */
  refresh(depth: Depth): Promise<void>;
  /**
   * Cache files for the next start, which can be rebuilt when lost, and vectors for other machines. Saving does nothing where the vault may
   * not be written.
   */
  readonly cache: Pick<CacheFiles, 'load' | 'save'> & DerivedCache & VectorTransfer;
  /**
   * Returns the result of a function of this vault (an index, a task graph …), computed once, cached while the vault is open, then closed
   * if it has a `close`. The function itself is the cache key, so it must be a module-level function and not a closure.
   */
  derived<T>(make: (vault: Vault) => T): T;
  /** Finishes writes, saves the cache and stops watching. */
  close(): Promise<void>;
}
