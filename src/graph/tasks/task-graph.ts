import { conflictOriginal } from '../../note/conflict-copy.ts';
import { compareText } from '../../note/text.ts';
import type { GraphChange, GraphView } from '../view.ts';
import { dependenciesOf, Readiness } from './readiness.ts';
import { projectOf, readTask, withClaim } from './task-note.ts';
import type { Claim, TaskNote } from './task-note.ts';
import { TaskTree } from './task-tree.ts';
import { LiveProject, newTask } from './task.ts';
import type { LiveTask, Task, TaskProject } from './task.ts';

const NONE: readonly TaskNote[] = [];

/** Returns the original among files that share an id; the others are copies of it. */
export type OriginalOf = (id: string, paths: readonly string[]) => string;

/** The part of the graph that the task graph follows. */
export type TaskSource = Pick<GraphView, 'get' | 'links' | 'linksByKey' | 'entries' | 'onChange'>;

/**
 * The task graph of a vault: projects, trees, dependencies and readiness, updated incrementally. A change costs as much as the tasks that
 * it affects.
 */
export class TaskGraph {
  readonly #source: TaskSource;
  readonly #rootFolder: string;
  readonly #tasks = new Map<string, LiveTask>();
  readonly #projects = new Map<string, LiveProject>();
  readonly #originalOf: OriginalOf;
  /** Task notes by id. If several files share an id, one is the task and the others are copies. */
  readonly #files = new Map<string, readonly TaskNote[]>();
  /** The ids of copies by path. */
  readonly #copies = new Map<string, string>();
  /** Conflict copies of sync services by the path of their original. While that is there, they are no tasks. */
  readonly #conflicts = new Map<string, Set<string>>();
  readonly #dirty = new Set<LiveTask>();
  readonly #tree: TaskTree;
  readonly #readiness: Readiness;
  readonly #unsubscribe: () => void;
  #claims: ReadonlyMap<string, Claim> = new Map();
  #steps = 0;

  /** Reads all tasks in the folder and follows the graph from then on. */
  constructor(source: TaskSource, rootFolder: string, originalOf: OriginalOf = (_id, paths) => paths.toSorted(compareText)[0] ?? '') {
    this.#source = source;
    this.#originalOf = originalOf;
    this.#rootFolder = rootFolder;
    const touched = (task: LiveTask): void => {
      this.#steps += 1;
      this.#dirty.add(task);
    };
    this.#tree = new TaskTree(this.#tasks, touched);
    this.#readiness = new Readiness(this.#tasks, touched);
    for (const entry of source.entries({ under: rootFolder, includeHidden: true })) this.#refresh(entry.path);
    this.#updateDirty();
    this.#unsubscribe = source.onChange((changes) => this.#follow(changes));
  }

  /** Number of task visits since the start, for tests of what changes cost. */
  get steps(): number {
    return this.#steps;
  }

  get(path: string): Task | null {
    return this.#tasks.get(path) ?? null;
  }

  /** Returns the tasks that depend on the task at this path, by id, then path. */
  dependents(path: string): readonly Task[] {
    return [...(this.#readiness.dependents(path) ?? [])].sort(compareTasks);
  }

  /** Returns a project by its folder name. */
  project(name: string): TaskProject | null {
    return this.#projects.get(name) ?? null;
  }

  /** Returns all projects by name. */
  projects(): readonly TaskProject[] {
    return [...this.#projects.values()].sort((a, b) => compareText(a.name, b.name));
  }

  /** Sets the claims that are kept outside of the notes, by the ids of tasks. They take the place of those in the notes. */
  setClaims(claims: ReadonlyMap<string, Claim>): void {
    if (claims === this.#claims) return;
    const before = this.#claims;
    this.#claims = claims;
    for (const id of new Set([...before.keys(), ...claims.keys()])) {
      if (before.get(id) === claims.get(id)) continue;
      for (const file of this.#files.get(id) ?? NONE) if (this.#tasks.has(file.path)) this.#apply(file.path, id, file);
    }
    this.#updateDirty();
  }

  /** Stops following the graph. */
  close(): void {
    this.#unsubscribe();
  }

  #follow(changes: readonly GraphChange[]): void {
    const paths = new Set<string>();
    for (const { before, after } of changes) {
      if (before !== null) paths.add(before.path);
      if (after !== null) paths.add(after.path);
      if (before?.path === after?.path) continue;
      // A path appeared or disappeared: links that could mean it may resolve differently though their notes did not change.
      for (const path of [before?.path, after?.path]) if (path !== undefined) this.#addReferring(path, paths);
    }
    for (const path of paths) this.#refresh(path);
    this.#updateDirty();
  }

  #addReferring(path: string, paths: Set<string>): void {
    for (const copy of this.#conflicts.get(path) ?? []) paths.add(copy);
    for (const link of this.#source.linksByKey(path)) if (link.property !== null) paths.add(link.from);
    for (const task of this.#readiness.dependents(path) ?? []) paths.add(task.note.path);
    for (const task of this.#tree.declaring(path) ?? []) paths.add(task.note.path);
  }

  /** Reads one path again and applies the differences. */
  #refresh(path: string): void {
    this.#steps += 1;
    const isBelow = projectOf(path, this.#rootFolder) !== null;
    const entry = isBelow && !this.#isConflict(path) ? this.#source.get(path) : null;
    const note = entry === null ? null : readTask(entry, this.#source.links(path), this.#rootFolder);
    for (const id of new Set([this.#idAt(path), note?.id])) if (id !== undefined) this.#put(id, path, note?.id === id ? note : null);
  }

  #isConflict(path: string): boolean {
    const original = conflictOriginal(path);
    if (original === null) return false;
    this.#conflicts.set(original, (this.#conflicts.get(original) ?? new Set()).add(path));
    return this.#source.get(original) !== null;
  }

  /** Returns the id of the task, or task copy, that was at a path. */
  #idAt(path: string): string | undefined {
    return this.#tasks.get(path)?.note.id ?? this.#copies.get(path);
  }

  /** Sets the note with an id at a path; null when it is gone. Of several files with one id, the original is the task. */
  #put(id: string, path: string, note: TaskNote | null): void {
    const others = (this.#files.get(id) ?? NONE).filter((other) => other.path !== path);
    const files = note === null ? others : [...others, note];
    if (files.length === 0) this.#files.delete(id);
    else this.#files.set(id, files);
    const paths = files.map((file) => file.path);
    const original = paths.length > 1 ? this.#originalOf(id, paths) : paths[0];
    this.#copies.delete(path);
    for (const file of files) {
      if (file.path === original) {
        this.#copies.delete(file.path);
        if (file === note || !this.#tasks.has(file.path)) this.#apply(file.path, id, file);
      } else {
        this.#copies.set(file.path, id);
        this.#apply(file.path, id, null);
      }
    }
    if (note === null) this.#apply(path, id, null);
  }

  /** Sets or removes the task at a path. */
  #apply(path: string, id: string, file: TaskNote | null): void {
    const task = this.#tasks.get(path);
    const claim = file === null ? undefined : this.#claims.get(id);
    const note = file === null || claim === undefined ? file : withClaim(file, claim);
    if (task === undefined) {
      if (note !== null) this.#add(note);
    } else if (note !== null) this.#change(task, note);
    else if (task.note.id === id) this.#remove(task);
  }

  #add(note: TaskNote): void {
    const project = this.#projects.get(note.project) ?? new LiveProject(note.project);
    this.#projects.set(note.project, project);
    const task = newTask(note, project);
    this.#tasks.set(note.path, task);
    project.tasks.add(task);
    if (note.isResolved) project.resolved += 1;
    this.#tree.add(task);
    // Before its own dependencies are read, so that a task that depends on itself is not counted twice.
    if (note.isResolved) this.#readiness.flip(note.path, true);
    this.#readiness.setDependencies(task, dependenciesOf(note));
    if (note.rootFit === null) return;
    project.rootCandidates.add(task);
    this.#chooseRoot(project);
  }

  #remove(task: LiveTask): void {
    const { note, project } = task;
    this.#tasks.delete(note.path);
    project.tasks.delete(task);
    if (note.isResolved) {
      project.resolved -= 1;
      this.#readiness.flip(note.path, false);
    }
    this.#readiness.setDependencies(task, []);
    if (project.rootCandidates.delete(task)) this.#chooseRoot(project);
    this.#tree.remove(task);
    this.#readiness.remove(task);
    this.#dirty.delete(task);
    if (project.tasks.size === 0) this.#projects.delete(project.name);
  }

  #change(task: LiveTask, note: TaskNote): void {
    const before = task.note;
    task.note = note;
    this.#dirty.add(task);
    if (before.isResolved !== note.isResolved) {
      task.project.resolved += note.isResolved ? 1 : -1;
      this.#tree.flip(task, note.isResolved);
      this.#readiness.flip(note.path, note.isResolved);
    }
    if (before.parent !== note.parent) this.#tree.redeclare(task, before.parent);
    const dependencies = dependenciesOf(note);
    if (!isSame(dependencies, task.dependencies)) this.#readiness.setDependencies(task, dependencies);
    if (before.rootFit === note.rootFit) return;
    if (note.rootFit === null) task.project.rootCandidates.delete(task);
    else task.project.rootCandidates.add(task);
    this.#chooseRoot(task.project);
  }

  /** Chooses the root of a project among the candidates, and attaches tasks without a parent to it. */
  #chooseRoot(project: LiveProject): void {
    const before = project.root;
    let best: LiveTask | null = null;
    for (const task of project.rootCandidates) if (best === null || compareRoots(task.note, best.note) < 0) best = task;
    if (best === before) return;
    project.root = best;
    if (before !== null) before.isRoot = false;
    if (best !== null) {
      best.isRoot = true;
      this.#tree.reattach(best);
    }
    // The old root comes last: until its children are attached to the new one, it must not become a child of one of them.
    for (const top of project.topLevel) this.#tree.reattach(top);
    if (before !== null && this.#tasks.get(before.note.path) === before) this.#tree.reattach(before);
  }

  #updateDirty(): void {
    for (const task of this.#dirty) this.#readiness.update(task);
    this.#dirty.clear();
  }
}

/** Compares tasks in the default order: by id, then path. */
export function compareTasks(a: Task, b: Task): number {
  return compareText(a.note.id, b.note.id) || compareText(a.note.path, b.note.path);
}

function compareRoots(a: TaskNote, b: TaskNote): number {
  return (a.rootFit ?? 0) - (b.rootFit ?? 0) || compareText(a.path, b.path);
}

function isSame(a: readonly { path: string | null; text: string }[], b: typeof a): boolean {
  return a.length === b.length && a.every((one, index) => one.path === b[index]?.path && one.text === b[index]?.text);
}
