import { compareRank, compareRecency } from './task.ts';
import type { Dependency, LiveTask, RankedTask, RecentTask } from './task.ts';
import { DEPENDS_ON } from './task-note.ts';
import type { TaskNote } from './task-note.ts';
import type { OnTouched } from './task-tree.ts';

/** Tracks the dependencies of tasks, and from them which tasks can be worked on. */
export class Readiness {
  readonly #tasks: ReadonlyMap<string, LiveTask>;
  readonly #touched: OnTouched;
  /** Dependent tasks by path, whether a task exists there or not. */
  readonly #waiting = new Map<string, Set<LiveTask>>();

  constructor(tasks: ReadonlyMap<string, LiveTask>, touched: OnTouched) {
    this.#tasks = tasks;
    this.#touched = touched;
  }

  /** Returns the tasks that depend on this path. */
  dependents(path: string): ReadonlySet<LiveTask> | undefined {
    return this.#waiting.get(path);
  }

  /** Sets the dependencies of a task; none when the task was removed. */
  setDependencies(task: LiveTask, next: readonly Dependency[]): void {
    for (const { path } of task.dependencies) {
      if (path === null) continue;
      const waiting = this.#waiting.get(path);
      waiting?.delete(task);
      if (waiting?.size === 0) this.#waiting.delete(path);
    }
    task.dependencies = next;
    task.openDependencies = 0;
    for (const { path } of next) {
      if (path === null || this.#tasks.get(path)?.note.isResolved !== true) task.openDependencies += 1;
      if (path === null) continue;
      const waiting = this.#waiting.get(path);
      if (waiting === undefined) this.#waiting.set(path, new Set([task]));
      else waiting.add(task);
    }
    this.#touched(task);
  }

  /** Handles that the task at a path became resolved or unresolved (reopened, removed). */
  flip(path: string, isResolved: boolean): void {
    for (const task of this.#waiting.get(path) ?? []) {
      task.openDependencies += isResolved ? -1 : 1;
      this.#touched(task);
    }
  }

  /** Updates the derived state of one task and its position in the lists of its project. */
  update(task: LiveTask): void {
    const isOpen = !task.note.isResolved;
    const isBlocked = isOpen && (task.openDependencies > 0 || task.loop !== null || task.note.blocked !== null);
    const isActionable = isOpen && !isBlocked && !task.isRoot && task.openChildren === 0;
    if (isBlocked !== task.isBlocked) task.project.blocked += isBlocked ? 1 : -1;
    task.isBlocked = isBlocked;
    task.isActionable = isActionable;
    if (isOpen && task.note.claim !== null) task.project.claimed.add(task);
    else task.project.claimed.delete(task);
    this.#setRank(task, isActionable ? rankOf(task) : null);
    this.#setRecency(task, { updatedMs: task.note.updatedMs, id: task.note.id, path: task.note.path, task });
  }

  /** Removes a task from the counts and lists. */
  remove(task: LiveTask): void {
    if (task.isBlocked) task.project.blocked -= 1;
    task.isBlocked = false;
    task.isActionable = false;
    task.project.claimed.delete(task);
    this.#setRank(task, null);
    this.#setRecency(task, null);
  }

  #setRank(task: LiveTask, next: RankedTask | null): void {
    const before = task.rank;
    if (before !== null && next !== null && compareRank(before, next) === 0) return;
    if (before !== null) task.project.rankedList.delete(before);
    if (next !== null) task.project.rankedList.add(next);
    task.rank = next;
  }

  #setRecency(task: LiveTask, next: RecentTask | null): void {
    const before = task.recency;
    if (before !== null && next !== null && compareRecency(before, next) === 0) return;
    if (before !== null) task.project.recentList.delete(before);
    if (next !== null) task.project.recentList.add(next);
    task.recency = next;
  }
}

function rankOf(task: LiveTask): RankedTask {
  const { priority, updatedMs, id, path } = task.note;
  return { priority, depth: task.depth, updatedMs, id, path, task };
}

/** Returns the distinct dependencies of a note, in its order. */
export function dependenciesOf(note: TaskNote): readonly Dependency[] {
  const seen = new Set<string>();
  const found: Dependency[] = [];
  for (const edge of note.edges) {
    if (edge.type !== DEPENDS_ON) continue;
    const key = edge.target ?? `missing ${edge.text}`;
    if (seen.has(key)) continue;
    seen.add(key);
    found.push({ path: edge.target, text: edge.text });
  }
  return found;
}
