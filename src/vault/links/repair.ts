import { errorMessage } from '../../errors.ts';
import type { GraphChange, GraphView } from '../../graph/view.ts';
import { isNotePath } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import type { GitActivity } from '../../store/folder/git.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Committed, FileChange, Plan } from '../plan/plan.ts';
import { groupByBatch } from '../history/events.ts';
import { PathHistory, movesIn } from './path-history.ts';
import type { FileMove } from './path-history.ts';
import { planExternalMoves } from './move.ts';
import type { MoveContext } from './move.ts';
import type { UnsettledLink } from './unsettled-links.ts';

/** Follows renames that were made outside of roux, and repairs the links that they broke. */
export interface Repairs {
  /** Paths of notes that moved since the vault was opened. */
  readonly pathHistory: PathHistory;
  /** Returns the note that a broken link used to lead to; null if unknown. */
  findMovedNote(linkpath: string): NotePath | null;
  /** Handles changes of the graph. `isOpening`: they happened while no process watched. */
  follow(changes: readonly GraphChange[], options: { isOpening: boolean }): void;
  /**
   * Handles renames that own lines of the history record: a person may have renamed a note that another process had just moved. Moves by
   * others are noticed when they arrive.
   */
  applyEvents(events: readonly HistoryEvent[]): void;
  /** Rewrites these links once their notes are complete: their targets were moved while the notes were being saved. */
  followLater(links: readonly UnsettledLink[]): void;
  /** Starts reporting and fixing; until then moves are only remembered. */
  start(): void;
  stop(): Promise<void>;
}

/** Options of `openRepairs`. */
export interface RepairOptions {
  /** `fix`: rewrites links in every note. `report`: rewrites only those in notes that roux made, and reports the others. */
  readonly mode: 'off' | 'report' | 'fix';
  readonly isReadOnly: boolean;
  readonly git: GitActivity;
  /** Returns the planning context for a graph. */
  readonly contextOf: (graph: GraphView) => MoveContext;
  readonly graph: GraphView;
  readonly write: (makePlan: (graph: GraphView) => Plan) => Promise<Committed>;
  /** Returns the modification time of a file in milliseconds; null when it does not exist. */
  readonly savedAt: (path: string) => number | null;
  /** The clock of the file system, in milliseconds. */
  readonly now: () => number;
  /** Milliseconds without a change after which a rename counts as finished, including link updates by the program that made it. */
  readonly pause: number;
  /** Reports broken links under the old path of a file; null withdraws the report. */
  readonly report: (from: string, message: string | null) => void;
  readonly onFailure: (message: string) => void;
}

/** A file saved this recently may be saved again any moment. */
const RECENT_SAVE_MS = 3_000;
/** Longest time that a save takes. */
const MAX_SAVE_MS = 60_000;
/** Moves that are watched at once; more are a reorganisation that somebody supervises. */
const MAX_MOVES = 1_000;

/** Recently arrivedPaths notes that are remembered. */
const MAX_ARRIVED = 10_000;

/** Creates the repair of broken links, not started yet. */
export function openRepairs(options: RepairOptions): Repairs {
  const { mode, git, graph, now } = options;
  const pathHistory = new PathHistory();
  /** Previous paths that links may still use; true if those may be fixed. */
  const open = new Map<string, boolean>();
  const reported = new Set<string>();
  /**
   * Paths where the graph saw notes arrive, latest last. The history may come from anywhere, so a move that it records to a note that was
   * always there is reported but never a reason to write.
   */
  const arrivedPaths = new Set<string>();
  /** Notes that were being saved while a write moved their link targets, and until when their links may still be rewritten. */
  const pendingNotes = new Map<string, { readonly to: ReadonlySet<string>; readonly until: number }>();
  let timer: NodeJS.Timeout | null = null;
  let isStarted = false;
  let running: Promise<void> = Promise.resolve();

  const isByGit = (change: GraphChange, isOpening: boolean): boolean => {
    if (isOpening) return git.hasRepository;
    const renamed = change.after === null ? 0 : Number(change.after.stamp.ctimeNs / 1_000_000n);
    return git.wasActiveAround(now()) || git.wasActiveAround(renamed);
  };

  const soon = (): void => {
    if (!isStarted || open.size === 0) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      running = repairOpen();
    }, options.pause);
    timer.unref();
  };

  /** Returns the moves whose old path is free and whose new path exists. */
  const movesOf = (froms: Iterable<string>) =>
    [...froms].flatMap((from) => {
      const to = pathHistory.entries().get(from);
      return to !== undefined && graph.get(from) === null && graph.get(to) !== null ? [{ from, to }] : [];
    });

  const repairOpen = async (): Promise<void> => {
    try {
      const moves = movesOf(open.keys());
      for (const from of open.keys()) if (!moves.some((move) => move.from === from)) close(from);
      for (const [note, { until }] of pendingNotes) if (until < now()) pendingNotes.delete(note);
      // A git operation came in between: the present state is not the one that was broken.
      if (git.wasActiveAround(now())) for (const from of open.keys()) open.set(from, false);
      await fix(moves.filter(({ from, to }) => open.get(from) === true && (arrivedPaths.has(to) || isAwaited(from))));
      for (const move of moves) describe(move);
    } catch (error) {
      options.onFailure(errorMessage(error));
    }
  };

  const fix = async (moves: readonly { from: string; to: string }[]): Promise<void> => {
    if (moves.length === 0 || options.isReadOnly) return;
    let isWaiting = false;
    await options.write((current) => {
      const plan = planExternalMoves(options.contextOf(current), moves);
      const wanted = mode === 'fix' ? plan.files : plan.files.filter((file) => isMadeByRoux(file) || isPendingNote(file));
      const settled = wanted.filter((file) => !isBeingSaved(file));
      isWaiting = settled.length < wanted.length;
      return { ...plan, files: settled };
    });
    if (isWaiting) soon();
  };

  /** Returns whether roux made this note and so may correct it; people's notes change only on request. */
  const isMadeByRoux = (file: FileChange): boolean => {
    const entry = 'path' in file ? graph.get(file.path) : null;
    return entry !== null && (/^[a-z]{1,4}_[0-9a-z]{26}$/.test(entry.id) || typeof entry.properties['created_by'] === 'string');
  };

  /** Returns whether a write of roux still has to update this note's links. */
  const isPendingNote = (file: FileChange): boolean => 'path' in file && pendingNotes.has(file.path);

  /** Returns whether such a link used this path. */
  const isAwaited = (path: string): boolean => [...pendingNotes.values()].some(({ to }) => to.has(path));

  const noticeArrival = (path: string): void => {
    arrivedPaths.delete(path);
    arrivedPaths.add(path);
    const [oldest = path] = arrivedPaths;
    if (arrivedPaths.size > MAX_ARRIVED) arrivedPaths.delete(oldest);
  };

  const isBeingSaved = (file: FileChange): boolean => {
    const saved = 'path' in file ? options.savedAt(file.path) : null;
    return saved !== null && now() - saved < RECENT_SAVE_MS;
  };

  /** Watches a previous path that links may still use. `isByGit`: report them only. */
  const watch = (from: string, isByGit: boolean): void => {
    if (mode !== 'off' && isNotePath(from) && open.size < MAX_MOVES) open.set(from, !isByGit);
  };

  const describe = ({ from, to }: { from: string; to: string }): void => {
    const { files } = planExternalMoves(options.contextOf(graph), [{ from, to }]);
    if (files.length === 0) {
      if (!isAwaited(from)) close(from);
      return;
    }
    reported.add(from);
    const paths = files.flatMap((file) => ('path' in file ? [file.path] : []));
    const named = paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ');
    options.report(
      from,
      `${from} was moved to ${to} outside of roux, and links in ${named} still name the old place; "roux doctor --fix" rewrites them.`,
    );
  };

  const close = (from: string): void => {
    open.delete(from);
    if (reported.delete(from)) options.report(from, null);
  };

  return {
    pathHistory,
    findMovedNote(linkpath) {
      const path = pathHistory.resolve(linkpath);
      return path === null ? null : (graph.get(path)?.path ?? null);
    },
    follow(changes, { isOpening }) {
      const moved = changes.flatMap((change): (FileMove & { change: GraphChange })[] => {
        const { before, after } = change;
        if (before === null || after === null || before.path === after.path) return [];
        const direct = { from: before.path, to: after.path, change };
        // Another process may have moved it meanwhile, by the history; then a person renamed it from that path.
        const place = pathHistory.entries().get(before.path);
        return place === undefined || place === after.path || graph.get(place) !== null ? [direct] : [direct, { ...direct, from: place }];
      });
      for (const { before, after } of changes) {
        if (after === null || before?.path === after.path) continue;
        if (before === null) pathHistory.claim(after.path);
        noticeArrival(after.path);
      }
      pathHistory.moveAll(moved);
      for (const { from, change } of moved) {
        const isGit = isByGit(change, isOpening);
        // A checkout that renames files also has the links of that branch.
        if (!isGit || isOpening) watch(from, isGit);
      }
      soon();
    },
    applyEvents(events) {
      for (const written of groupByBatch(events.filter(({ foreign }) => foreign !== true))) {
        const moves = movesIn(written);
        const onward = moves.flatMap(({ from, to }): FileMove[] => {
          const seen = pathHistory.entries().get(from);
          return seen === undefined || seen === to || graph.get(to) !== null || graph.get(seen) === null ? [] : [{ from: to, to: seen }];
        });
        if (onward.length > 0) pathHistory.moveAll(onward);
        // Swaps must not be applied twice: those that the graph shows already were handled there.
        else if (!hasSwaps(moves) || moves.some(({ to }) => graph.get(to) === null)) pathHistory.moveAll(moves);
        const isByPerson = written.every(({ agent }) => agent === 'external') && !git.wasActiveAround(now());
        for (const { from } of [...onward, ...(isByPerson ? moves : [])]) watch(from, false);
      }
      soon();
    },
    followLater(links) {
      if (mode === 'off') return;
      for (const { from, to } of links) {
        pendingNotes.set(from, { to: new Set([...(pendingNotes.get(from)?.to ?? []), to]), until: now() + MAX_SAVE_MS });
        watch(to, false);
      }
    },
    start() {
      isStarted = true;
      soon();
    },
    async stop() {
      isStarted = false;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      await running;
    },
  };
}

/** Returns whether one of the moved files takes a path that another one leaves. */
function hasSwaps(moves: readonly FileMove[]): boolean {
  const left = new Set(moves.map(({ from }) => from));
  return moves.some(({ to }) => left.has(to));
}
