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

/** Follows renames that were made outside of roux, and looks after the links that they broke. */
export interface Repairs {
  /** Where notes went since the vault was opened. */
  readonly formerPaths: PathHistory;
  /** The note that a link which leads nowhere led to before, by `formerPaths`; null where they do not know it. */
  movedTo(linkpath: string): NotePath | null;
  /** Takes notice of changes of the graph. `isOpening`: they happened while nobody looked. */
  follow(changes: readonly GraphChange[], options: { isOpening: boolean }): void;
  /**
   * Takes notice of renames that own lines of the history tell of. A person may have renamed a note that another process had just moved.
   * What others moved is seen when it arrives.
   */
  learn(events: readonly HistoryEvent[]): void;
  /** What these links led to was moved while their notes were being saved: they are rewritten when the notes are whole. */
  followLater(links: readonly UnsettledLink[]): void;
  /** Begin to report and to fix; before this, moves are only remembered. */
  start(): void;
  stop(): Promise<void>;
}

/** What repairing needs of the vault around it. */
export interface RepairOptions {
  /** `fix`: links in every note are rewritten; `report`: those in notes that roux made, the others are told of. */
  readonly mode: 'off' | 'report' | 'fix';
  readonly isReadOnly: boolean;
  readonly git: GitActivity;
  /** What planning needs, over this graph. */
  readonly contextOf: (graph: GraphView) => MoveContext;
  readonly graph: GraphView;
  readonly write: (makePlan: (graph: GraphView) => Plan) => Promise<Committed>;
  /** When a file was last saved, in milliseconds; null when it is not there. */
  readonly savedAt: (path: string) => number | null;
  /** The clock that stamps files. */
  readonly now: () => number;
  /** After so many milliseconds without a change a rename is over, with what the program that made it does to links itself. */
  readonly pause: number;
  /** Reports what leads nowhere, under the path that it was moved from; null takes the report back. */
  readonly report: (from: string, message: string | null) => void;
  readonly onFailure: (message: string) => void;
}

/** Somebody who saved a file so few milliseconds ago may save it again any moment. */
const SAVING_MS = 3_000;
/** No save takes longer. */
const OWED_MS = 60_000;
/** More moves at once than this are a reorganisation that somebody watches over. */
const MAX_MOVES = 1_000;

/** So many notes are remembered to have arrived. */
const MAX_ARRIVED = 10_000;

/** A repairing that has not started. */
export function openRepairs(options: RepairOptions): Repairs {
  const { mode, git, graph, now } = options;
  const formerPaths = new PathHistory();
  /** Former paths that links may still name; true: may be fixed. */
  const open = new Map<string, boolean>();
  const reported = new Set<string>();
  /**
   * Where the graph saw notes arrive, the latest last. The history is a file of the vault, and may come from anywhere: a move to a note that
   * has been there all along is reported, and never a reason to write.
   */
  const arrived = new Set<string>();
  /** Notes that were being saved while a write moved what they link to, and until when their links follow. */
  const owed = new Map<string, { readonly to: ReadonlySet<string>; readonly until: number }>();
  let timer: NodeJS.Timeout | null = null;
  let isStarted = false;
  let running: Promise<void> = Promise.resolve();

  const isByGit = (change: GraphChange, isOpening: boolean): boolean => {
    if (isOpening) return git.isThere;
    const renamed = change.after === null ? 0 : Number(change.after.stamp.ctimeNs / 1_000_000n);
    return git.wasAround(now()) || git.wasAround(renamed);
  };

  const soon = (): void => {
    if (!isStarted || open.size === 0) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      running = look();
    }, options.pause);
    timer.unref();
  };

  /** The moves whose old path is free and whose new one is there. */
  const movesOf = (froms: Iterable<string>) =>
    [...froms].flatMap((from) => {
      const to = formerPaths.entries().get(from);
      return to !== undefined && graph.get(from) === null && graph.get(to) !== null ? [{ from, to }] : [];
    });

  const look = async (): Promise<void> => {
    try {
      const moves = movesOf(open.keys());
      for (const from of open.keys()) if (!moves.some((move) => move.from === from)) close(from);
      for (const [note, { until }] of owed) if (until < now()) owed.delete(note);
      // Git came in between: what stands there now is another state than the one that was broken.
      if (git.wasAround(now())) for (const from of open.keys()) open.set(from, false);
      await fix(moves.filter(({ from, to }) => open.get(from) === true && (arrived.has(to) || isAwaited(from))));
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
      const wanted = mode === 'fix' ? plan.files : plan.files.filter((file) => isMade(file) || isOwed(file));
      const settled = wanted.filter((file) => !isYoung(file));
      isWaiting = settled.length < wanted.length;
      return { ...plan, files: settled };
    });
    if (isWaiting) soon();
  };

  /** Whether roux made this note: what is in it is roux's to keep right, people's notes are changed where they ask for it. */
  const isMade = (file: FileChange): boolean => {
    const entry = 'path' in file ? graph.get(file.path) : null;
    return entry !== null && (/^[a-z]{1,4}_[0-9a-z]{26}$/.test(entry.id) || typeof entry.properties['created_by'] === 'string');
  };

  /** Whether a write of roux promised that this note's links follow. */
  const isOwed = (file: FileChange): boolean => 'path' in file && owed.has(file.path);

  /** Whether such a link named this path. */
  const isAwaited = (path: string): boolean => [...owed.values()].some(({ to }) => to.has(path));

  const noticeArrival = (path: string): void => {
    arrived.delete(path);
    arrived.add(path);
    const [oldest = path] = arrived;
    if (arrived.size > MAX_ARRIVED) arrived.delete(oldest);
  };

  const isYoung = (file: FileChange): boolean => {
    const saved = 'path' in file ? options.savedAt(file.path) : null;
    return saved !== null && now() - saved < SAVING_MS;
  };

  /** Links may still name this former path. `isByGit`: they are told of, and left as they are. */
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
    formerPaths,
    movedTo(linkpath) {
      const path = formerPaths.resolve(linkpath);
      return path === null ? null : (graph.get(path)?.path ?? null);
    },
    follow(changes, { isOpening }) {
      const moved = changes.flatMap((change): (FileMove & { change: GraphChange })[] => {
        const { before, after } = change;
        if (before === null || after === null || before.path === after.path) return [];
        const direct = { from: before.path, to: after.path, change };
        // Where another process had moved it on by the history, a person renamed it from there.
        const place = formerPaths.entries().get(before.path);
        return place === undefined || place === after.path || graph.get(place) !== null ? [direct] : [direct, { ...direct, from: place }];
      });
      for (const { before, after } of changes) {
        if (after === null || before?.path === after.path) continue;
        if (before === null) formerPaths.claim(after.path);
        noticeArrival(after.path);
      }
      formerPaths.moveAll(moved);
      for (const { from, change } of moved) {
        const isGit = isByGit(change, isOpening);
        // What a checkout renames it also rewrites, or the branch is meant to be so.
        if (!isGit || isOpening) watch(from, isGit);
      }
      soon();
    },
    learn(events) {
      for (const written of groupByBatch(events.filter(({ foreign }) => foreign !== true))) {
        const moves = movesIn(written);
        const passed = moves.flatMap(({ from, to }): FileMove[] => {
          const seen = formerPaths.entries().get(from);
          return seen === undefined || seen === to || graph.get(to) !== null || graph.get(seen) === null ? [] : [{ from: to, to: seen }];
        });
        if (passed.length > 0) formerPaths.moveAll(passed);
        // Names that change hands must not do so twice: what the graph shows already was followed there.
        else if (!changeHands(moves) || moves.some(({ to }) => graph.get(to) === null)) formerPaths.moveAll(moves);
        const isByPerson = written.every(({ agent }) => agent === 'external') && !git.wasAround(now());
        for (const { from } of [...passed, ...(isByPerson ? moves : [])]) watch(from, false);
      }
      soon();
    },
    followLater(links) {
      if (mode === 'off') return;
      for (const { from, to } of links) {
        owed.set(from, { to: new Set([...(owed.get(from)?.to ?? []), to]), until: now() + OWED_MS });
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

/** Whether one of the moved files takes the name that another one leaves. */
function changeHands(moves: readonly FileMove[]): boolean {
  const left = new Set(moves.map(({ from }) => from));
  return moves.some(({ to }) => left.has(to));
}
