import type { Config } from '../../config.ts';
import type { GraphChange, GraphView } from '../../graph/view.ts';
import type { Ports } from '../../ports.ts';
import type { FolderStore } from '../../store/open-folder-store.ts';
import type { LinkStyle } from '../links/link-style.ts';
import type { UnsettledLink, UnsettledLinks } from '../links/unsettled-links.ts';
import type { BaseVersion } from '../history/version.ts';
import type { OwnBytes } from '../sync/compare-folders.ts';
import type { RootCheck } from '../sync/root-check.ts';
import type { ExternalEdits } from './external-edits.ts';
import type { Committed, HistoriesQuery, HistoryEvent, HistoryPage, HistoryQuery, Plan, WriteMeta } from './plan.ts';
import type { UndoQuery } from './undo.ts';

/** What the one write path needs of the vault around it. */
export interface WriterOptions {
  readonly store: FolderStore;
  readonly ports: Ports;
  readonly config: Pick<Config, 'readOnly' | 'filenames'>;
  /** How this vault writes links now. */
  readonly settings: { readonly linkStyle: () => LinkStyle };
  readonly graph: GraphView;
  /** Edits that others made, on their way into the history; it hears of events and of the graph's changes from its owner. */
  readonly external: ExternalEdits;
  /** Brings the graph up to date with what others wrote; called under the lock, before each plan. `strict`: nothing is known of what changed. */
  readonly catchUp: (depth: 'changed' | 'strict') => Promise<void>;
  /** Puts files into the graph as they are on disk now, or takes them out. */
  readonly index: (paths: readonly string[], own?: ReadonlyMap<string, OwnBytes>) => void;
  /** `isShrunk`: more than half of the notes vanished, and nothing may be written. */
  readonly sync: { readonly isShrunk: boolean };
  readonly rootCheck: Pick<RootCheck, 'look'>;
  /** Links that notes lost a moment ago, by a save that may not be finished. */
  readonly unsettled: Pick<UnsettledLinks, 'linksTo'>;
  /** A write moved what these links led to: they are to follow once their notes are saved. */
  readonly onUnsettled: (links: readonly UnsettledLink[]) => void;
  /** Edits from outside are recorded when they are seen. Otherwise, and where nothing may be written, they are shown, and left to the next write to record. */
  readonly isRecording: boolean;
}

/** A plan on the vault as it is under the lock. */
export type MakePlan = (graph: GraphView) => Plan | Promise<Plan>;

/** The one write path of a vault: plans become transactions of the store. */
export interface Writer {
  write(meta: WriteMeta, makePlan: MakePlan): Promise<Committed>;
  history(query: HistoryQuery): Promise<HistoryPage>;
  /** The newest events of several notes. */
  histories(query: HistoriesQuery): Promise<ReadonlyMap<string, readonly HistoryEvent[]>>;
  /** Takes back a batch, or what an agent wrote; refused with `CONFLICT` where later changes stand in the way. */
  undo(meta: WriteMeta, query: UndoQuery): Promise<Committed>;
  /** Brings removed files back: a batch, a `ref` of the trash, or a path. */
  restore(meta: WriteMeta, reference: string): Promise<Committed>;
  /** Carries out what is left of an unfinished write that was put aside, as a write of its own. */
  carryOut(meta: WriteMeta, id: string): Promise<Committed>;
  /** The version of the vault, as far as the graph follows it. */
  version(): string;
  /** Refuses with `CONFLICT` what was based on another version. */
  mustBeAt(based: BaseVersion | undefined): Promise<void>;
  /** Takes notice of changes of the graph, so that edits from outside come into the history. Not for the first filling of the graph. */
  follow(changes: readonly GraphChange[]): void;
  /** What the next write will record: it belongs to the history already. */
  unrecorded(): Promise<readonly HistoryEvent[]>;
  /** Edits from outside were seen that are left to the next write to record: it has to see them too. */
  readonly isBehind: () => boolean;
  /** Records what is still to be recorded. */
  close(): Promise<void>;
}
