import type { Config } from '../../config.ts';
import type { GraphChange, GraphView } from '../../graph/view.ts';
import type { Ports } from '../../ports.ts';
import type { FolderStore } from '../../store/folder-store.ts';
import type { LinkStyle } from '../links/link-style.ts';
import type { UnsettledLink, UnsettledLinks } from '../links/unsettled-links.ts';
import type { BaseVersion } from '../history/version.ts';
import type { WriteCounts } from '../history/write-counts.ts';
import type { VaultOptions } from '../vault-options.ts';
import type { RootCheck } from '../sync/root-check.ts';
import type { Sync } from '../sync/sync.ts';
import type { ExternalEdits } from './external-edits.ts';
import type { Committed, HistoriesQuery, HistoryEvent, HistoryPage, HistoryQuery, Plan, WriteMeta } from './plan.ts';
import type { UndoQuery } from './earlier/undo.ts';

/** Options of `openWriter`. */
export interface WriterOptions {
  readonly store: FolderStore;
  readonly ports: Ports;
  readonly config: Pick<Config, 'readOnly' | 'filenames'>;
  /** Present settings of the vault. */
  readonly settings: { readonly linkStyle: () => LinkStyle; readonly config: Pick<Config, 'writes'> };
  readonly graph: GraphView;
  /** Edits by others that are to be recorded. The vault forwards events and graph changes to it. */
  readonly external: ExternalEdits;
  /** Counts the changes of notes without a `rev`. */
  readonly counts: Pick<WriteCounts, 'add' | 'forWrite' | 'isEdited' | 'sinceOf'>;
  /** Brings the graph up to date with others' writes; called under the lock before each plan. `strict`: it is unknown what changed. */
  readonly catchUp: (depth: 'changed' | 'strict') => Promise<void>;
  /** Updates files in the graph to their state on disk, or removes them. By default they are changes of roux itself. */
  readonly index: (paths: readonly string[], how?: Parameters<Sync['look']>[1]) => void;
  /** `isShrunk`: more than half of the notes vanished, so nothing may be written. */
  readonly sync: { readonly isShrunk: boolean };
  readonly rootCheck: Pick<RootCheck, 'look'>;
  /** Links that notes lost in a recent save that may not be finished. */
  readonly unsettled: Pick<UnsettledLinks, 'linksTo'>;
  readonly onHeavyWork?: VaultOptions['onHeavyWork'];
  /** Called when a write moved the targets of these links, which must be rewritten once their notes are saved. */
  readonly onUnsettled: (links: readonly UnsettledLink[]) => void;
  /**
   * Whether edits from outside are recorded when noticed. Otherwise, and in a read-only vault, they are shown and recorded by the next
   * write.
   */
  readonly isRecording: boolean;
}

/** Makes a plan for the state of the vault under the lock. */
export type MakePlan<P extends Plan = Plan> = (graph: GraphView) => P | Promise<P>;

/** The one write path of a vault: turns plans into transactions of the store. */
export interface Writer {
  write<P extends Plan>(meta: WriteMeta, makePlan: MakePlan<P>): Promise<Committed<P['result']>>;
  history(query: HistoryQuery): Promise<HistoryPage>;
  /** Returns the newest events of several notes. */
  histories(query: HistoriesQuery): Promise<ReadonlyMap<string, readonly HistoryEvent[]>>;
  /** Undoes a batch, or what an agent wrote. Throws `CONFLICT` if later changes conflict. */
  undo(meta: WriteMeta, query: UndoQuery): Promise<Committed>;
  /** Restores removed files: by batch, by a `ref` of the trash, or by path. */
  restore(meta: WriteMeta, reference: string): Promise<Committed>;
  /** Completes an unfinished write that was set aside, as a new write. */
  completeWrite(meta: WriteMeta, id: string): Promise<Committed>;
  /** Returns the version of the vault that the graph is at. */
  version(): string;
  /** Throws `CONFLICT` for a call that was based on another version. */
  checkVersion(based: BaseVersion | undefined): Promise<void>;
  /** Handles changes of the graph, so that edits from outside are recorded. Must not be called for the initial filling. */
  follow(changes: readonly GraphChange[]): void;
  /** Returns the events that the next write will record, which count as part of the history. */
  unrecorded(): Promise<readonly HistoryEvent[]>;
  /** Returns whether outside edits were noticed that the next write must also notice to record them. */
  readonly hasUnrecordedEdits: () => boolean;
  /** Refuses the writes that have not begun, and all later ones; one that has begun is completed. */
  stop(): void;
  /** Records pending edits. */
  close(): Promise<void>;
}
