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
import { PendingLinks } from './unsettled-links.ts';
import type { UnsettledLink } from './unsettled-links.ts';

interface RepairOptions {
  /** `fix`: rewrites links in every note. `report`: rewrites only those in notes that roux made, and reports the others. */
  readonly mode: 'off' | 'report' | 'fix';
  readonly isReadOnly: boolean;
  readonly git: GitActivity;
  /** Returns the planning context for a graph. */
  readonly contextOf: (graph: GraphView) => MoveContext;
  readonly graph: GraphView;
  readonly write: <P extends Plan>(makePlan: (graph: GraphView) => P) => Promise<Committed<P['result']>>;
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
/** Moves that are watched at once; more are a reorganisation that somebody supervises. */
const MAX_MOVES = 1_000;
/** Notes that arrived somewhere and are remembered. */
const MAX_ARRIVED = 10_000;
/** Notes that a report names. */
const MAX_NAMED = 3;

/** Follows renames that were made outside of roux, and repairs the links that they broke, once it is started. */
export class Repairs {
  /** Paths of notes that moved since the vault was opened. */
  readonly pathHistory = new PathHistory();
  readonly #options: RepairOptions;
  readonly #pending: PendingLinks;
  /** Previous paths that links may still use; true if those may be fixed. */
  readonly #open = new Map<string, boolean>();
  readonly #reported = new Set<string>();
  /**
   * Paths where the graph saw notes arrive, latest last. The history may come from anywhere, so a move that it records to a note that was
   * always there is reported but never a reason to write.
   */
  readonly #arrived = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isStarted = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RepairOptions) {
    this.#options = options;
    this.#pending = new PendingLinks(options.now);
  }

  /** Returns the note that a broken link used to lead to; null if unknown. */
  findMovedNote(linkpath: string): NotePath | null {
    const path = this.pathHistory.resolve(linkpath);
    return path === null ? null : (this.#options.graph.get(path)?.path ?? null);
  }

  /** Handles changes of the graph. `isOpening`: they happened while no process watched. */
  follow(changes: readonly GraphChange[], { isOpening }: { readonly isOpening: boolean }): void {
    const moved = changes.flatMap((change) => this.#movesOf(change));
    for (const { before, after } of changes) {
      if (after === null || before?.path === after.path) continue;
      if (before === null) this.pathHistory.claim(after.path);
      this.#noticeArrival(after.path);
    }
    this.pathHistory.moveAll(moved);
    for (const { from, change } of moved) {
      const isGit = this.#isByGit(change, isOpening);
      // A checkout that renames files also has the links of that branch.
      if (!isGit || isOpening) this.#watch(from, isGit);
    }
    this.#soon();
  }

  /**
   * Handles renames that own lines of the history record: a person may have renamed a note that another process had just moved. Moves by
   * others are noticed when they arrive.
   */
  applyEvents(events: readonly HistoryEvent[]): void {
    const { git, graph, now } = this.#options;
    const isMissing = (path: string): boolean => graph.get(path) === null;
    for (const written of groupByBatch(events.filter(({ foreign }) => foreign !== true))) {
      const moves = movesIn(written);
      const onward = moves.flatMap(({ from, to }): FileMove[] => {
        const seen = this.pathHistory.placeOf(from);
        return seen === undefined || seen === to || !isMissing(to) || isMissing(seen) ? [] : [{ from: to, to: seen }];
      });
      if (onward.length > 0) this.pathHistory.moveAll(onward);
      // Swaps must not be applied twice: those that the graph shows already were handled there.
      else if (!hasSwaps(moves) || moves.some(({ to }) => isMissing(to))) this.pathHistory.moveAll(moves);
      const isByPerson = written.every(({ agent }) => agent === 'external') && !git.wasActiveAround(now());
      for (const { from } of [...onward, ...(isByPerson ? moves : [])]) this.#watch(from, false);
    }
    this.#soon();
  }

  /** Rewrites these links once their notes are complete: their targets were moved while the notes were being saved. */
  followLater(links: readonly UnsettledLink[]): void {
    if (this.#options.mode === 'off') return;
    for (const link of links) {
      this.#pending.add(link);
      this.#watch(link.to, false);
    }
  }

  /** Starts reporting and fixing; until then moves are only remembered. */
  start(): void {
    this.#isStarted = true;
    this.#soon();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** Returns the move that a change of the graph shows, and the one that a person made if another process had moved the file before. */
  #movesOf(change: GraphChange): readonly (FileMove & { readonly change: GraphChange })[] {
    const { before, after } = change;
    if (before === null || after === null || before.path === after.path) return [];
    const direct = { from: before.path, to: after.path, change };
    const place = this.pathHistory.placeOf(before.path);
    const isKnown = place === undefined || place === after.path || this.#options.graph.get(place) !== null;
    return isKnown ? [direct] : [direct, { ...direct, from: place }];
  }

  #noticeArrival(path: string): void {
    this.#arrived.delete(path);
    this.#arrived.add(path);
    const [oldest = path] = this.#arrived;
    if (this.#arrived.size > MAX_ARRIVED) this.#arrived.delete(oldest);
  }

  #isByGit(change: GraphChange, isOpening: boolean): boolean {
    const { git, now } = this.#options;
    if (isOpening) return git.hasRepository;
    const renamed = change.after === null ? 0 : Number(change.after.stamp.ctimeNs / 1_000_000n);
    return git.wasActiveAround(now()) || git.wasActiveAround(renamed);
  }

  /** Watches a previous path that links may still use. `isByGit`: report them only. */
  #watch(from: string, isByGit: boolean): void {
    if (this.#options.mode !== 'off' && isNotePath(from) && this.#open.size < MAX_MOVES) this.#open.set(from, !isByGit);
  }

  #close(from: string): void {
    this.#open.delete(from);
    if (this.#reported.delete(from)) this.#options.report(from, null);
  }

  #soon(): void {
    if (!this.#isStarted || this.#open.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#repair();
    }, this.#options.pause).unref();
  }

  async #repair(): Promise<void> {
    const { git, graph, now, onFailure } = this.#options;
    try {
      const moves: FileMove[] = [];
      for (const from of this.#open.keys()) {
        const to = this.pathHistory.placeOf(from);
        if (to !== undefined && graph.get(from) === null && graph.get(to) !== null) moves.push({ from, to });
        else this.#close(from);
      }
      this.#pending.expire();
      // A git operation came in between: the present state is not the one that was broken.
      if (git.wasActiveAround(now())) for (const from of this.#open.keys()) this.#open.set(from, false);
      await this.#fix(moves.filter(({ from, to }) => this.#open.get(from) === true && (this.#arrived.has(to) || this.#pending.isTo(from))));
      for (const move of moves) this.#report(move);
    } catch (error) {
      onFailure(errorMessage(error));
    }
  }

  async #fix(moves: readonly FileMove[]): Promise<void> {
    const { mode, isReadOnly, contextOf, write } = this.#options;
    if (moves.length === 0 || isReadOnly) return;
    const { result } = await write((current) => {
      const plan = planExternalMoves(contextOf(current), moves);
      const wanted = mode === 'fix' ? plan.files : plan.files.filter((file) => this.#mayChange(file));
      const settled = wanted.filter((file) => !this.#isBeingSaved(file));
      return { ...plan, files: settled, result: { isWaiting: settled.length < wanted.length } };
    });
    if (result.isWaiting) this.#soon();
  }

  /** Returns whether roux made this note, or a write of roux still has to update its links. People's notes change only on request. */
  #mayChange(file: FileChange): boolean {
    if (!('path' in file)) return false;
    if (this.#pending.isFrom(file.path)) return true;
    const entry = this.#options.graph.get(file.path);
    return entry !== null && (/^[a-z]{1,4}_[0-9a-z]{26}$/.test(entry.id) || typeof entry.properties['created_by'] === 'string');
  }

  #isBeingSaved(file: FileChange): boolean {
    const { savedAt, now } = this.#options;
    const saved = 'path' in file ? savedAt(file.path) : null;
    return saved !== null && now() - saved < RECENT_SAVE_MS;
  }

  /** Reports the notes whose links still use the old path, or withdraws the report. */
  #report({ from, to }: FileMove): void {
    const { contextOf, graph, report } = this.#options;
    const { files } = planExternalMoves(contextOf(graph), [{ from, to }]);
    if (files.length === 0) {
      if (!this.#pending.isTo(from)) this.#close(from);
      return;
    }
    this.#reported.add(from);
    const paths = files.flatMap((file) => ('path' in file ? [file.path] : []));
    const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
    report(
      from,
      `${from} was moved to ${to} outside of roux, and links in ${paths.slice(0, MAX_NAMED).join(', ')}${more} still name the old place; "roux doctor --fix" rewrites them.`,
    );
  }
}

/** Returns whether one of the moved files takes a path that another one leaves. */
function hasSwaps(moves: readonly FileMove[]): boolean {
  const left = new Set(moves.map(({ from }) => from));
  return moves.some(({ to }) => left.has(to));
}
