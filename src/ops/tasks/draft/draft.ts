import { RouxError } from '../../../errors.ts';
import type { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import { DEPENDS_ON } from '../../../graph/tasks/task-note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import type { GraphView } from '../../../graph/view.ts';
import { baseName } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import type { FileChange, Plan, PlannedEvent } from '../../../vault/plan/plan.ts';
import { buildWikilink } from '../../links.ts';
import { DraftTask } from './draft-task.ts';
import type { Author, NewTask } from './draft-task.ts';
import { FileNames } from './file-names.ts';
import { redirectLinks } from './redirect-links.ts';
import { spillEvidence } from './spill-evidence.ts';

/** A task, made or to be made. */
interface NamedTask {
  readonly path: NotePath;
  readonly summary: string;
}

/**
 * The tasks as they will be when the call is done: the task graph with the call's changes laid over it.
 * Rules look here, so that each entry of a call sees what those before it did. Nothing is written until the plan of it is committed.
 */
export class Draft {
  readonly author: Author;
  readonly graph: GraphView;
  readonly #tasks: TaskGraph;
  readonly #drafts = new Map<string, DraftTask>();
  readonly #redirects = new Map<NotePath, NotePath>();
  readonly #others: FileChange[] = [];
  readonly #warnings: string[] = [];

  constructor(tasks: TaskGraph, graph: GraphView, author: Author) {
    this.#tasks = tasks;
    this.graph = graph;
    this.author = author;
  }

  /** The draft of a task that exists. */
  edit(task: Task): DraftTask {
    const known = this.#drafts.get(task.note.path);
    if (known !== undefined) return known;
    const entry = this.graph.get(task.note.path);
    if (entry === null) throw new RouxError('node_not_found', `The note of "${task.note.summary}" is gone.`, { node_id: task.note.id });
    const draft = DraftTask.of(task, entry);
    this.#drafts.set(task.note.path, draft);
    return draft;
  }

  /** The draft of the task at a path, made by this call or there before. */
  at(path: string): DraftTask | null {
    const known = this.#drafts.get(path);
    if (known !== undefined) return known.isRemoved ? null : known;
    const task = this.#tasks.get(path);
    return task === null ? null : this.edit(task);
  }

  /** Drafts a new task under a file name of its own; its edges come later. */
  create(path: NotePath, made: NewTask): DraftTask {
    const created = DraftTask.create(path, made, this.author);
    this.#drafts.set(path, created);
    if (made.parent !== null) this.setParent(created, made.parent);
    return created;
  }

  /** Drafts of the tasks that have an edge to this path. */
  pointingTo(path: string): readonly DraftTask[] {
    const found = new Set<DraftTask>();
    for (const { from } of this.graph.backlinks(path)) {
      const draft = this.at(from);
      if (draft !== null) found.add(draft);
    }
    // What earlier entries of the call made point here.
    for (const draft of this.#drafts.values()) if (!draft.isRemoved) found.add(draft);
    return [...found].filter((draft) => draft.edges().some((edge) => edge.target === path));
  }

  /** From now on all links to one note, and to what was redirected to it before, are to lead to another. */
  redirect(from: NotePath, to: NotePath): void {
    this.#redirects.set(from, to);
  }

  /** The draft of a task that this call touches, by id. */
  byId(id: string): DraftTask | null {
    for (const draft of this.#drafts.values()) if (draft.id === id) return draft;
    return null;
  }

  /** Adds a change of a file that is no task; null is none. */
  alsoChange(file: FileChange | null): void {
    if (file !== null) this.#others.push(file);
  }

  /** What the caller should know though it is no error. */
  warn(message: string): void {
    this.#warnings.push(message);
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Path of the parent as it will be; null for roots and for what is gone. */
  parentOf(path: string): NotePath | null {
    const draft = this.#drafts.get(path);
    if (draft === undefined) return this.#tasks.get(path)?.parent?.note.path ?? null;
    return draft.isRemoved ? null : draft.parent;
  }

  /** Path of the parent that a note will name, whether the name counts or is part of a circle. */
  declaredParentOf(path: string): NotePath | null {
    const draft = this.#drafts.get(path);
    if (draft === undefined) return this.#tasks.get(path)?.note.parent ?? null;
    return draft.isRemoved ? null : draft.declaredParent;
  }

  /** Paths that a task will depend on. */
  dependenciesOf(path: string): readonly NotePath[] {
    const draft = this.#drafts.get(path);
    if (draft !== undefined) return draft.isRemoved ? [] : draft.targets(DEPENDS_ON);
    const dependencies = this.#tasks.get(path)?.dependencies ?? [];
    return dependencies.map((one) => one.path).filter((one) => one !== null);
  }

  /** Paths of the children as they will be. */
  childrenOf(path: string): readonly NotePath[] {
    const kept = [...(this.#tasks.get(path)?.children ?? [])]
      .map((child) => child.note.path)
      .filter((child) => this.#drafts.get(child) === undefined);
    for (const draft of this.#drafts.values()) if (!draft.isRemoved && draft.parent === path) kept.push(draft.path);
    return kept.sort();
  }

  isResolved(path: string): boolean {
    return this.#drafts.get(path)?.isResolved ?? this.#tasks.get(path)?.note.isResolved ?? false;
  }

  summaryOf(task: Task): string {
    return this.#drafts.get(task.note.path)?.summary ?? task.note.summary;
  }

  /** Whether a task that exists will be one to work on: the rules of `Task.isActionable`, looked at through the draft. */
  isActionable(task: Task): boolean {
    const { path } = task.note;
    const draft = this.#drafts.get(path);
    if (task.isRoot || draft?.isRemoved === true || this.isResolved(path)) return false;
    if ((draft === undefined ? task.note.blocked : draft.blocked) !== null) return false;
    const isFreed = task.loop?.some((member) => this.declaredParentOf(member.note.path) !== member.note.parent) ?? true;
    if (!isFreed || this.#openChildrenOf(task) > 0) return false;
    const targets = draft === undefined ? task.dependencies.map((one) => one.path) : draft.dependencies();
    return targets.every((target) => target !== null && this.isResolved(target));
  }

  #openChildrenOf(task: Task): number {
    let open = task.openChildren;
    for (const draft of this.#drafts.values()) {
      const was = draft.task !== null && draft.task.parent === task && !draft.task.note.isResolved;
      const is = !draft.isRemoved && draft.parent === task.note.path && !draft.isResolved;
      open += Number(is) - Number(was);
    }
    // Where a loop of parents ends, those in it hang where they say.
    for (const { note } of task.loop ?? []) {
      const returns = this.declaredParentOf(note.path) === task.note.path && this.parentOf(note.path) !== task.note.path;
      if (returns && !this.isResolved(note.path)) open += 1;
    }
    return open;
  }

  /** The tasks above one, nearest first; ends where a loop made by hand would begin again. */
  ancestorsOf(path: string): readonly NotePath[] {
    return chain(path, (next) => this.parentOf(next));
  }

  /** The tasks above one as the notes name them, circles included; ends where one would begin again. */
  namedAbove(path: string): readonly NotePath[] {
    return chain(path, (next) => this.declaredParentOf(next));
  }

  /** A task and all that is below it, whatever loops people made. */
  subtreeOf(path: NotePath): readonly NotePath[] {
    const seen = new Set<NotePath>([path]);
    for (const one of seen) for (const child of this.childrenOf(one)) seen.add(child);
    return [...seen];
  }

  setParent(task: DraftTask, parent: NotePath): void {
    task.setParent(parent, buildWikilink(this.graph, { from: task.path, target: parent }));
  }

  /** False when the edge is there already. */
  connect(task: DraftTask, type: string, target: NotePath): boolean {
    return task.addEdge(type, target, buildWikilink(this.graph, { from: task.path, target }));
  }

  /** Warns of a task that is to wait for one above it, which waits for its children. */
  warnOfDeadlock(task: NamedTask, target: NamedTask): void {
    if (!this.ancestorsOf(task.path).includes(target.path)) return;
    this.warn(`"${task.summary}" is below "${target.summary}" and now waits for it: neither can be worked on.`);
  }

  /** Appends evidence in the name of the caller, now. */
  addEvidence(task: DraftTask, { type, ref }: { readonly type: string; readonly ref: string }): void {
    const value = { type, ref, agent: this.author.agent, timestamp: this.author.at };
    task.change({ op: 'append', key: ['evidence'], value });
  }

  /** Summaries of tasks by their paths, quoted, for messages. */
  namesOf(paths: readonly string[]): readonly string[] {
    return paths.map((path) => `"${this.at(path)?.summary ?? baseName(path)}"`);
  }

  /** Opens what was resolved and gets an open child, and so on up; warns of each. */
  reopenAbove(path: NotePath | null): void {
    for (let next = path; next !== null && this.isResolved(next); next = this.parentOf(next)) {
      const draft = this.at(next);
      if (draft === null) return;
      draft.set(['resolved'], false);
      draft.act('reopened');
      this.warn(`Re-opened "${draft.summary}" (${draft.id}): it has a new open child.`);
    }
  }

  /** Every drafted task that was there before. */
  touched(): readonly Task[] {
    return [...this.#drafts.values()].map((draft) => draft.task).filter((task) => task !== null);
  }

  /** The whole of it as one transaction. */
  toPlan(): Plan {
    const files: FileChange[] = [];
    const events: PlannedEvent[] = [];
    const names = new FileNames(this.graph, this.author.filenames);
    for (const draft of this.#drafts.values()) {
      // The history is told what was added, wherever it is kept.
      const event = draft.toEvent();
      const spilled = draft.isRemoved ? [] : spillEvidence(draft, { graph: this.graph, author: this.author, names });
      const file = draft.toFile(this.author.at);
      if (file === null) continue;
      files.push(file, ...spilled);
      events.push(event);
    }
    const isGone = (path: string): boolean => this.#drafts.get(path)?.isRemoved === true;
    const relinks = redirectLinks(this.graph, this.#redirects, isGone);
    return { files: [...files, ...this.#others, ...relinks], events };
  }
}

/** What is above a path, nearest first, until there is nothing or something comes again. */
function chain(path: string, above: (path: string) => NotePath | null): readonly NotePath[] {
  const seen = new Set<string>([path]);
  const found: NotePath[] = [];
  for (let next = above(path); next !== null && !seen.has(next); next = above(next)) {
    seen.add(next);
    found.push(next);
  }
  return found;
}
