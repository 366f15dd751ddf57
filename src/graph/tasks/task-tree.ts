import type { LiveTask } from './task.ts';

/** Called for each visited task, whose readiness may have changed. */
export type OnTouched = (task: LiveTask) => void;

/**
 * The trees of parents and children. A declared parent counts when it is a task of the same project; tasks without one, and tasks in a
 * cycle of parents, are children of the project's root, so the result is always a forest.
 */
export class TaskTree {
  readonly #tasks: ReadonlyMap<string, LiveTask>;
  readonly #touched: OnTouched;
  /** Tasks that declare a path as parent, whether a task exists there or not. */
  readonly #declaring = new Map<string, Set<LiveTask>>();

  constructor(tasks: ReadonlyMap<string, LiveTask>, touched: OnTouched) {
    this.#tasks = tasks;
    this.#touched = touched;
  }

  /** Returns the tasks that declare this path as their parent. */
  declaring(path: string): ReadonlySet<LiveTask> | undefined {
    return this.#declaring.get(path);
  }

  /** Attaches a new task, and to it the tasks that declare it as their parent. */
  add(task: LiveTask): void {
    this.#declare(task);
    this.reattach(task);
    this.#adopt(task.note.path);
  }

  /** Removes a task, which is no longer in the map of tasks; its children go to the root. */
  remove(task: LiveTask): void {
    this.#undeclare(task);
    this.#dissolve(task);
    this.#adopt(task.note.path);
    // A root has children that never declared it.
    for (const child of task.children) this.reattach(child);
    task.project.topLevel.delete(task);
    this.#attach(task, null);
  }

  /** Handles a changed parent declaration; `before` is the previous one. */
  redeclare(task: LiveTask, before: string | null): void {
    if (before !== null) this.#forget(before, task);
    this.#declare(task);
    this.reattach(task);
  }

  /** Updates the counts above a task that was resolved or reopened. */
  flip(task: LiveTask, isResolved: boolean): void {
    const by = isResolved ? 1 : -1;
    if (task.parent !== null) {
      task.parent.openChildren -= by;
      this.#touched(task.parent);
    }
    for (let above = task.parent; above !== null; above = above.parent) {
      above.below.resolved += by;
    }
  }

  /** Applies the declared parent again to a task and to the members of its cycle. */
  reattach(task: LiveTask): void {
    const affected = new Set<LiveTask>([task]);
    for (const member of this.#dissolve(task)) affected.add(member);
    task.declared = this.#declaredParent(task);
    const trail = [task];
    let next = task.declared;
    while (next !== null && next !== task && next.loop === null) {
      trail.push(next);
      next = next.declared;
    }
    if (next === task) {
      for (const member of trail) {
        member.loop = trail;
        affected.add(member);
      }
    }
    // The task itself goes first: once attached to the root it cannot close a cycle while the others follow.
    for (const member of affected) this.#attachToParent(member);
  }

  #declaredParent(task: LiveTask): LiveTask | null {
    if (task.isRoot || task.note.parent === null) return null;
    const parent = this.#tasks.get(task.note.parent);
    return parent === undefined || parent.project !== task.project ? null : parent;
  }

  #attachToParent(task: LiveTask): void {
    const parent = task.loop === null ? task.declared : null;
    if (parent === null && !task.isRoot) task.project.topLevel.add(task);
    else task.project.topLevel.delete(task);
    this.#attach(task, parent ?? (task.isRoot ? null : task.project.root));
  }

  #attach(task: LiveTask, parent: LiveTask | null): void {
    this.#touched(task);
    if (task.parent !== parent) {
      if (task.parent !== null) this.#count(task, task.parent, -1);
      task.parent?.children.delete(task);
      task.parent = parent;
      parent?.children.add(task);
      if (parent !== null) this.#count(task, parent, 1);
    }
    this.#setDepths(task);
  }

  /** Adds a subtree to the counts above it, or subtracts it. */
  #count(task: LiveTask, parent: LiveTask, by: 1 | -1): void {
    if (!task.note.isResolved) parent.openChildren += by;
    this.#touched(parent);
    const resolved = task.below.resolved + (task.note.isResolved ? 1 : 0);
    for (let above: LiveTask | null = parent; above !== null; above = above.parent) {
      above.below.total += by * (task.below.total + 1);
      above.below.resolved += by * resolved;
    }
  }

  /** Updates the depths of a subtree; stops where they are correct. */
  #setDepths(task: LiveTask): void {
    const pending = [task];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const depth = next.isRoot ? 0 : (next.parent?.depth ?? 0) + 1;
      if (depth === next.depth) continue;
      next.depth = depth;
      this.#touched(next);
      for (const child of next.children) pending.push(child);
    }
  }

  /** Breaks the cycle that the task is part of and returns its members. */
  #dissolve(task: LiveTask): readonly LiveTask[] {
    const members = task.loop ?? [];
    for (const member of members) member.loop = null;
    if (!this.#tasks.has(task.note.path)) {
      task.declared = null;
      for (const member of members) if (member !== task) this.reattach(member);
    }
    return members;
  }

  #adopt(path: string): void {
    for (const child of this.#declaring.get(path) ?? []) this.reattach(child);
  }

  #declare(task: LiveTask): void {
    const path = task.note.parent;
    if (path === null) return;
    const known = this.#declaring.get(path);
    if (known === undefined) this.#declaring.set(path, new Set([task]));
    else known.add(task);
  }

  #undeclare(task: LiveTask): void {
    if (task.note.parent !== null) this.#forget(task.note.parent, task);
  }

  #forget(path: string, task: LiveTask): void {
    const known = this.#declaring.get(path);
    known?.delete(task);
    if (known?.size === 0) this.#declaring.delete(path);
  }
}
