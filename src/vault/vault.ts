import type { Held } from '../watchdog/at-work.ts';
import type { Config } from '../config.ts';
import type { NoteEmbeddings } from '../graph/semantic/embeddings.ts';
import type { SearchView } from '../graph/search/search.ts';
import type { GraphView } from '../graph/view.ts';
import type { NotePath } from '../note/path.ts';
import type { Ports } from '../ports.ts';
import type { FolderStore } from '../store/open-folder-store.ts';
import type { CacheFiles } from '../store/records/cache-files.ts';
import type { RecordCheck } from '../store/records/check/record-fault.ts';
import type { TrashEntry } from '../store/records/trash.ts';
import type { MovedNotes } from './links/moved-notes.ts';
import type { LinkStyle } from './links/link-style.ts';
import type { ObsidianFile, ObsidianSettings } from './obsidian/settings-file.ts';
import type { ActiveAgents } from './history/active-agents.ts';
import type { Activity, ActivityPage, ActivityQuery } from './history/activity.ts';
import type { EventFilter } from './history/events.ts';
import type { AsOfQuery, PastNote } from './history/as-of.ts';
import type { ReviewedNote } from './history/review-note.ts';
import type { ForeignChanges, LinkWrite, ReviewQuery } from './history/review.ts';
import type { BaseVersion } from './history/version.ts';
import type { WrittenFile } from './history/write-diff.ts';
import type { Committed, HistoriesQuery, HistoryEvent, HistoryPage, HistoryQuery, Plan, WriteMeta } from './plan/plan.ts';
import type { UndoQuery } from './plan/undo.ts';
import type { FileTimes } from './read-files.ts';
import type { Verification } from './verify.ts';
import type { NoteOnDisk } from './sync/read-note-now.ts';
import type { Reading } from './sync/sync.ts';

/** An open vault: the joint between the disk and the graph. */
export interface Vault {
  /** What held the main thread last; null where nothing did. */
  held(): Held | null;
  /** Absolute real path. */
  readonly root: string;
  /** As it was at the last `configure`, or when the vault was opened. */
  readonly config: Config;
  readonly ports: Ports;
  /** Other machines may write to the same vault. */
  readonly isShared: boolean;
  readonly graph: GraphView;
  readonly search: SearchView;
  /** Search by meaning, as far as something embeds. */
  readonly embeddings: NoteEmbeddings;
  /** Resolves when the first scan is done and the graph is complete; rejects when the vault cannot be served. */
  readonly ready: Promise<void>;
  /** How far the first reading is; null once it is done, and where that is not told. */
  reading(): Reading | null;
  /** Reads a note out of turn while the others wait, with the notes that its links name; false where no note has this path. */
  readAhead(path: string): Promise<boolean>;
  /** Warnings about the whole vault (degraded watching, read-only, unfinished journal …). */
  readonly warnings: () => readonly string[];
  /** What happened to notes while nobody asked, the oldest first: each caller is told once. */
  readonly reports: readonly string[];
  /** Warnings that hold for whatever is answered now: the folder is gone, or more than half of the notes are. */
  alerts(): Promise<readonly string[]>;
  /** What is there now is all there is: whichever process stopped writing because notes vanished goes on. */
  acceptLosses(): Promise<void>;
  /** A stable read of one note from the disk (docs/architecture.md, Following the disk); null when it is not there. Brings the graph up to date for this note. */
  read(path: string): Promise<NoteOnDisk | null>;
  /** The whole text of a note of which `read` gives the beginning only. Throws a retryable `CONFLICT` where it changes meanwhile. */
  readInChunks(path: string): AsyncIterable<string>;
  /** A note as it is this instant, be it in the middle of a save: for what is made of the graph and follows its changes. Null when it is not there. */
  glance(path: string): NoteOnDisk | null;
  /** The text of a note as it is this instant, be it in the middle of a save, and not read into parts: for excerpts in lists. Null when it is not there. */
  peek(path: NotePath): string | null;
  /** Takes over settings that changed, and Obsidian's as they are now; resolves when what is hidden is so in the graph. What is decided when a vault is opened stays as it is. */
  configure(config: Config): Promise<void>;
  /** How links are written here: as configured, else as Obsidian is set up at this moment. */
  linkStyle(): LinkStyle;
  /** What a file of Obsidian's settings holds now; nothing where there is none. */
  obsidian(file: ObsidianFile): ObsidianSettings;
  /** The bytes of an attachment; null when there is none. */
  readAttachment(path: string): Uint8Array | null;
  /** Whether a file is left out of search, lists and graph views, as `ignore` and Obsidian's settings say. */
  isHidden(path: string): boolean;
  /** Size and times of a note or attachment at this instant, without reading it; null when it is not there. */
  timesOf(path: string): FileTimes | null;
  /** All paths that changed since, brought into the graph now. `strict`: a full reconcile; `changed`: only what events marked. */
  refresh(depth: 'changed' | 'strict'): Promise<void>;
  /** Waits until the writes are ended that are under way now, whoever writes; false when there are none. A renamed note stands under two names, or none, in the middle of one. */
  writesEnded(): Promise<boolean>;
  /**
   * The one way to write. Takes the writer lock, recovers, brings the graph up to date with what other processes wrote,
   * then asks `makePlan` for the plan, and runs it: all or nothing, durable when the promise resolves.
   * A plan with no files writes nothing. `makePlan` may throw: nothing is written then.
   */
  write(meta: WriteMeta, makePlan: (graph: GraphView) => Plan | Promise<Plan>): Promise<Committed>;
  /** What callers were told under idempotency keys. */
  readonly told: FolderStore['told'];
  /** Returns the audit trail of one note (by id or path), through merges and renames. */
  history(query: HistoryQuery): Promise<HistoryPage>;
  /** Returns the newest events of several notes (by id or path), by what was asked for. */
  histories(query: HistoriesQuery): Promise<ReadonlyMap<string, readonly HistoryEvent[]>>;
  /** Takes back one batch, or what an agent wrote (since a time, else last, up to a pause of half an hour); `CONFLICT` where later changes stand in the way. */
  undo(meta: WriteMeta, query: UndoQuery): Promise<Committed>;
  /** Brings removed files back from the trash: a batch, a `ref` of `trash`, or a path. */
  restore(meta: WriteMeta, reference: string): Promise<Committed>;
  /** What can be restored, the last removed first. */
  trash(): readonly TrashEntry[];
  /** The version of the vault as it is now: `<last number of the history>-<fingerprint>`, another one after every change from any side (E-33). */
  version(): Promise<string>;
  /** Refuses with `CONFLICT`, and names what changed, where the vault is at another version than a call was based on. */
  requireVersion(based: BaseVersion): Promise<void>;
  /** A note as it was at a time, with a rev or in a commit; `NODE_NOT_FOUND` with what is known, where that is not (E-32). */
  asOf(query: AsOfQuery): Promise<PastNote>;
  /** What agents changed, note by note, each read when its turn comes (E-31). `since`: ISO 8601; null: since it was accepted last. */
  review(query: ReviewQuery): Promise<{
    readonly since: string | null;
    readonly notes: AsyncIterable<ReviewedNote>;
    /** Writes that only rewrote links in some notes. */
    readonly links: readonly LinkWrite[];
    /** What `acceptReview` takes. */
    readonly upTo: number;
    /** Changes from before `since` that nobody accepted. */
    readonly earlier: number;
    /** What lines tell that were not written here; absent where there are none. */
    readonly foreign?: ForeignChanges;
  }>;
  /** Every write, by whomever, newest first, in pages; `sight`: as far as it is to be seen, here and in the next two. */
  activity(query: ActivityQuery, sight?: EventFilter): Promise<ActivityPage>;
  /** Who wrote how often, in the newest part of the history; `since` when, null where that is all of it. */
  activeAgents(sight?: EventFilter): Promise<ActiveAgents>;
  /** What one write of `activity` made of its files, some of them, as far as their texts are kept; null where there is no such write. */
  writeDiff(
    id: string,
    part: { readonly offset: number; readonly limit: number },
    sight?: EventFilter,
  ): Promise<{ readonly activity: Activity; readonly total: number; readonly files: readonly WrittenFile[] } | null>;
  /** What agents changed up to a number of the history was seen; with a name, what that agent did. */
  acceptReview(upTo: number, by?: string): Promise<void>;
  /** What the history, what is kept to undo writes, and the trash take of the disk, in bytes. */
  sizes(): {
    readonly history: { readonly events: number; readonly bytes: number };
    readonly undo: { readonly bytes: number };
    readonly trash: { readonly files: number; readonly bytes: number };
  };
  /** Lists where notes went that may still be named by their former paths, from the history and from what this process saw. */
  movedNotes(): Promise<MovedNotes>;
  /** The note that a link led to which leads nowhere since somebody renamed it outside of roux, while this process looked; null where that is not known. */
  movedTo(linkpath: string): NotePath | null;
  /** The path of the note among files that share an id, by the history: the others are copies. */
  originalOf(id: string, paths: readonly string[]): string;
  /** A look behind the graph; with `rebuild` the whole vault is read anew and compared. */
  verify(options: { rebuild: boolean }): Promise<Verification>;
  /** Checks journal, history, what undo needs and trash, and writes nothing. */
  checkRecords(): Promise<RecordCheck>;
  /** Ends unfinished writes and repairs lines that are half written. Returns what it did, in words for people. */
  repairRecords(): Promise<readonly string[]>;
  /** Carries out what is left of an unfinished write that was put aside, by its id, as a write of its own. */
  carryOut(meta: WriteMeta, id: string): Promise<Committed>;
  /** Files that are made anew when they are lost, for the next start; where nothing may be written saving does nothing. */
  readonly kept: Pick<CacheFiles, 'load' | 'save'>;
  /** After the graph followed any change, from whichever side; paths of notes and attachments. */
  onChange(listener: (paths: readonly string[]) => void): () => void;
  /**
   * What a function makes of this vault (an index, a task graph …): made once, kept as long as the vault is open, then closed where it has a `close`.
   * The function itself is the key, so it has to be one of a module and no closure.
   */
  derived<T>(make: (vault: Vault) => T): T;
  /** Finish writes, save the cache, stop watching. */
  close(): Promise<void>;
}
