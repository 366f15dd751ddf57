import type { NotePath } from '../../note/path.ts';
import { SortedList } from './sorted-list.ts';
import type { TaskNote } from './task-note.ts';
import { compareText } from '../../note/text.ts';

/** The sort key of an actionable task. */
interface Rank {
  readonly priority: number;
  readonly depth: number;
  readonly updatedMs: number;
  readonly id: string;
  readonly path: string;
}

/** Compares by priority (higher first), depth (deeper first), time waited (longest first), id and, for copies of one id, path. */
export function compareRank(a: Rank, b: Rank): number {
  return (
    b.priority - a.priority || b.depth - a.depth || a.updatedMs - b.updatedMs || compareText(a.id, b.id) || compareText(a.path, b.path)
  );
}

/** The sort key of a task by last change. */
interface Recency {
  readonly updatedMs: number;
  readonly id: string;
  readonly path: string;
}

/** Compares by change (latest first), id and path. */
export function compareRecency(a: Recency, b: Recency): number {
  return b.updatedMs - a.updatedMs || compareText(a.id, b.id) || compareText(a.path, b.path);
}

/** A dependency of a task: a note or an unresolved link. */
export interface Dependency {
  readonly path: NotePath | null;
  /** The link text, for naming a missing note. */
  readonly text: string;
}

/** One task in its tree, with everything derived from other tasks. */
export interface Task {
  readonly note: TaskNote;
  /** The effective parent: the declared one, else the root of its project. */
  readonly parent: Task | null;
  readonly children: ReadonlySet<Task>;
  /** 0 for the project's root. */
  readonly depth: number;
  readonly isRoot: boolean;
  readonly openChildren: number;
  /** Distinct dependencies, in the order of the note. */
  readonly dependencies: readonly Dependency[];
  readonly openDependencies: number;
  /** Unresolved, not blocked, without unresolved children, and not the root. */
  readonly isActionable: boolean;
  /** Unresolved with an unresolved or missing dependency, marked as blocked, or in a cycle of parents. */
  readonly isBlocked: boolean;
  /** Counts of descendants, without the task itself. */
  readonly below: { readonly total: number; readonly resolved: number };
  /** The cycle of parents that the task is part of, made by hand; null for all others. */
  readonly loop: readonly Task[] | null;
}

/** The five numbers of a project; the root counts in the first three. */
export interface TaskCounts {
  readonly total: number;
  readonly resolved: number;
  readonly unresolved: number;
  readonly blocked: number;
  readonly actionable: number;
}

/** One project: its root, its tasks and their order. */
export interface TaskProject {
  /** The folder name below the projects root. */
  readonly name: string;
  readonly root: Task | null;
  readonly tasks: ReadonlySet<Task>;
  readonly counts: TaskCounts;
  /** Unresolved tasks with a claim of any age. */
  readonly claimed: ReadonlySet<Task>;
  /** Yields actionable tasks, best first; `isBefore` skips a prefix. */
  ranked(isBefore?: (rank: Rank) => boolean): Iterable<Task>;
  /** Yields all tasks, latest change first. */
  recent(isBefore?: (recency: Recency) => boolean): Iterable<Task>;
}

/** A task as maintained by the graph. */
export interface LiveTask extends Task {
  note: TaskNote;
  project: LiveProject;
  /** The declared parent, when it is a task of the same project. */
  declared: LiveTask | null;
  parent: LiveTask | null;
  readonly children: Set<LiveTask>;
  depth: number;
  isRoot: boolean;
  openChildren: number;
  dependencies: readonly Dependency[];
  openDependencies: number;
  isActionable: boolean;
  isBlocked: boolean;
  readonly below: { total: number; resolved: number };
  loop: readonly LiveTask[] | null;
  /** Keys of the task in the lists of its project, while it is listed. */
  rank: RankedTask | null;
  recency: RecentTask | null;
}

export type RankedTask = Rank & { readonly task: LiveTask };
export type RecentTask = Recency & { readonly task: LiveTask };

/** A project as maintained by the graph. */
export class LiveProject implements TaskProject {
  readonly name: string;
  root: LiveTask | null = null;
  readonly tasks = new Set<LiveTask>();
  /** Tasks that may be the root. */
  readonly rootCandidates = new Set<LiveTask>();
  /** Tasks with no usable declared parent: they are attached to the root. */
  readonly topLevel = new Set<LiveTask>();
  readonly claimed = new Set<LiveTask>();
  readonly rankedList = new SortedList<RankedTask>(compareRank);
  readonly recentList = new SortedList<RecentTask>(compareRecency);
  resolved = 0;
  blocked = 0;

  constructor(name: string) {
    this.name = name;
  }

  get counts(): TaskCounts {
    const total = this.tasks.size;
    return { total, resolved: this.resolved, unresolved: total - this.resolved, blocked: this.blocked, actionable: this.rankedList.size };
  }

  *ranked(isBefore?: (rank: Rank) => boolean): IterableIterator<Task> {
    for (const { task } of this.rankedList.values(isBefore)) yield task;
  }

  *recent(isBefore?: (recency: Recency) => boolean): IterableIterator<Task> {
    for (const { task } of this.recentList.values(isBefore)) yield task;
  }
}

/** Creates a task that is in no tree yet. */
export function newTask(note: TaskNote, project: LiveProject): LiveTask {
  return {
    note,
    project,
    declared: null,
    parent: null,
    children: new Set(),
    depth: 1,
    isRoot: false,
    openChildren: 0,
    dependencies: [],
    openDependencies: 0,
    isActionable: false,
    isBlocked: false,
    below: { total: 0, resolved: 0 },
    loop: null,
    rank: null,
    recency: null,
  };
}
