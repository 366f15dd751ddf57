import { errorMessage } from '../../errors.ts';
import type { GraphChange, GraphView } from '../../graph/view.ts';
import { isNotePath } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import type { GitActivity } from '../../store/folder/git.ts';
import type { Committed, FileChange, Plan } from '../plan/plan.ts';
import { FormerPaths } from './former-paths.ts';
import { planExternalMoves } from './move.ts';
import type { MoveContext } from './move.ts';

/** Follows renames that were made outside of roux, and looks after the links that they broke. */
export interface Repairs {
  /** Where notes went since the vault was opened. */
  readonly formerPaths: FormerPaths;
  /** The note that a link which leads nowhere led to before, by `formerPaths`; null where they do not know it. */
  movedTo(linkpath: string): NotePath | null;
  /** Takes notice of changes of the graph. `isOpening`: they happened while nobody looked. */
  follow(changes: readonly GraphChange[], options: { isOpening: boolean }): void;
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
/** More moves at once than this are a reorganisation that somebody watches over. */
const MOST_MOVES = 1_000;

/** A repairing that has not started. */
export function openRepairs(options: RepairOptions): Repairs {
  const { mode, git, graph, now } = options;
  const formerPaths = new FormerPaths();
  /** Former paths that links may still name; true: may be fixed. */
  const open = new Map<string, boolean>();
  const reported = new Set<string>();
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
      // Git came in between: what stands there now is another state than the one that was broken.
      if (git.wasAround(now())) for (const from of open.keys()) open.set(from, false);
      await fix(moves.filter(({ from }) => open.get(from) === true));
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
      const wanted = mode === 'fix' ? plan.files : plan.files.filter(isMade);
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

  const isYoung = (file: FileChange): boolean => {
    const saved = 'path' in file ? options.savedAt(file.path) : null;
    return saved !== null && now() - saved < SAVING_MS;
  };

  const describe = ({ from, to }: { from: string; to: string }): void => {
    const { files } = planExternalMoves(options.contextOf(graph), [{ from, to }]);
    if (files.length === 0) {
      close(from);
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
      const moved = changes.filter(({ before, after }) => before !== null && after !== null && before.path !== after.path);
      for (const { before, after } of changes) if (before === null && after !== null) formerPaths.claim(after.path);
      formerPaths.moveAll(
        moved.flatMap(({ before, after }) => (before === null || after === null ? [] : [{ from: before.path, to: after.path }])),
      );
      if (mode === 'off') return;
      for (const change of moved) {
        const from = change.before?.path;
        if (from === undefined || !isNotePath(from) || open.size >= MOST_MOVES) continue;
        const isGit = isByGit(change, isOpening);
        // What a checkout renames it also rewrites, or the branch is meant to be so.
        if (isGit && !isOpening) continue;
        open.set(from, !isGit);
      }
      soon();
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
