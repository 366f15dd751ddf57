import { RouxError } from '../../../errors.ts';
import type { TaskGraph } from '../../../graph/tasks/task-graph.ts';
import { CLAIM_KEYS, DEPENDS_ON } from '../../../graph/tasks/task-note.ts';
import type { Claim } from '../../../graph/tasks/task-note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import type { GraphView } from '../../../graph/view.ts';
import { baseName } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import type { FileChange, Plan, PlannedEvent } from '../../../vault/plan/plan.ts';
import type { ClaimChange } from '../../../vault/claims/claims-text.ts';
import { buildWikilink } from '../../links.ts';
import { DraftTask } from './draft-task.ts';
import type { Author, NewTask } from './draft-task.ts';
import { FileNames } from './file-names.ts';
import { redirectLinks } from './redirect-links.ts';
import { spillEvidence } from './spill-evidence.ts';

/** A task, existing or drafted. */
interface NamedTask {
  readonly path: NotePath;
  readonly summary: string;
}

/**
 * The task graph with the changes of a call applied. Rules are checked against it, so that each entry of a call sees the effect of earlier
 * ones. Nothing is written until its plan is committed.
 */
export class Draft {
  readonly author: Author;
  readonly graph: GraphView;
  readonly #tasks: TaskGraph;
  readonly #drafts = new Map<string, DraftTask>();
  readonly #redirects = new Map<NotePath, NotePath>();
  readonly #claims = new Map<string, ClaimChange>();
  readonly #others: FileChange[] = [];
  readonly #warnings: string[] = [];

  constructor(tasks: TaskGraph, graph: GraphView, author: Author) {
    this.#tasks = tasks;
    this.graph = graph;
    this.author = author;
  }

  /** Returns the draft of an existing task. */
  edit(task: Task): DraftTask {
    const known = this.#drafts.get(task.note.path);
    if (known !== undefined) return known;
    const entry = this.graph.get(task.note.path);
    if (entry === null) throw new RouxError('node_not_found', `The note of "${task.note.summary}" is gone.`, { node_id: task.note.id });
    const draft = DraftTask.of(task, entry);
    this.#drafts.set(task.note.path, draft);
    return draft;
  }

  /** Returns the draft of the task at a path, new or existing. */
  at(path: string): DraftTask | null {
    const known = this.#drafts.get(path);
    if (known !== undefined) return known.isRemoved ? null : known;
    const task = this.#tasks.get(path);
    return task === null ? null : this.edit(task);
  }

  /** Drafts a new task; its edges are added later. */
  create(path: NotePath, made: NewTask): DraftTask {
    const created = DraftTask.create(path, made, this.author);
    this.#drafts.set(path, created);
    if (made.parent !== null) this.setParent(created, made.parent);
    return created;
  }

  /** Returns drafts of the tasks that have an edge to this path. */
  pointingTo(path: string): readonly DraftTask[] {
    const found = new Set<DraftTask>();
    for (const { from } of this.graph.backlinks(path)) {
      const draft = this.at(from);
      if (draft !== null) found.add(draft);
    }
    // Includes edges added by earlier entries of the call.
    for (const draft of this.#drafts.values()) if (!draft.isRemoved) found.add(draft);
    return [...found].filter((draft) => draft.edges().some((edge) => edge.target === path));
  }

  /** Redirects all links to one note, and earlier redirects to it, to another note. */
  redirect(from: NotePath, to: NotePath): void {
    this.#redirects.set(from, to);
  }

  /** Returns the draft of a task touched by this call, by id. */
  byId(id: string): DraftTask | null {
    for (const draft of this.#drafts.values()) if (draft.id === id) return draft;
    return null;
  }

  /** Adds a change of a file that is not a task; null adds nothing. */
  alsoChange(file: FileChange | null): void {
    if (file !== null) this.#others.push(file);
  }

  /** Adds a warning for the caller. */
  warn(message: string): void {
    this.#warnings.push(message);
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Returns the path of the drafted parent; null for roots and removed tasks. */
  parentOf(path: string): NotePath | null {
    const draft = this.#drafts.get(path);
    if (draft === undefined) return this.#tasks.get(path)?.parent?.note.path ?? null;
    return draft.isRemoved ? null : draft.parent;
  }

  /** Returns the path of the parent that a note names, even if that is part of a circle. */
  declaredParentOf(path: string): NotePath | null {
    const draft = this.#drafts.get(path);
    if (draft === undefined) return this.#tasks.get(path)?.note.parent ?? null;
    return draft.isRemoved ? null : draft.declaredParent;
  }

  /** Returns the paths of drafted dependencies. */
  dependenciesOf(path: string): readonly NotePath[] {
    const draft = this.#drafts.get(path);
    if (draft !== undefined) return draft.isRemoved ? [] : draft.targets(DEPENDS_ON);
    const dependencies = this.#tasks.get(path)?.dependencies ?? [];
    return dependencies.map((one) => one.path).filter((one) => one !== null);
  }

  /** Returns the paths of drafted children. */
  childrenOf(path: string): readonly NotePath[] {
    const children = [...(this.#tasks.get(path)?.children ?? [])]
      .map((child) => child.note.path)
      .filter((child) => this.#drafts.get(child) === undefined);
    for (const draft of this.#drafts.values()) if (!draft.isRemoved && draft.parent === path) children.push(draft.path);
    return children.sort();
  }

  isResolved(path: string): boolean {
    return this.#drafts.get(path)?.isResolved ?? this.#tasks.get(path)?.note.isResolved ?? false;
  }

  summaryOf(task: Task): string {
    return this.#drafts.get(task.note.path)?.summary ?? task.note.summary;
  }

  /** Returns whether an existing task will be actionable: the rules of `Task.isActionable` on the draft. */
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
    // If a loop of parents is broken, its members become children of the parents they name.
    for (const { note } of task.loop ?? []) {
      const returns = this.declaredParentOf(note.path) === task.note.path && this.parentOf(note.path) !== task.note.path;
      if (returns && !this.isResolved(note.path)) open += 1;
    }
    return open;
  }

  /** Returns the ancestors, nearest first; stops where a loop made by hand would repeat. */
  ancestorsOf(path: string): readonly NotePath[] {
    return chain(path, (next) => this.parentOf(next));
  }

  /** Returns the ancestors as the notes name them, circles included; stops before repeating. */
  namedAbove(path: string): readonly NotePath[] {
    return chain(path, (next) => this.declaredParentOf(next));
  }

  /** Returns a task and its descendants; terminates on loops made by hand. */
  subtreeOf(path: NotePath): readonly NotePath[] {
    const seen = new Set<NotePath>([path]);
    for (const one of seen) for (const child of this.childrenOf(one)) seen.add(child);
    return [...seen];
  }

  setParent(task: DraftTask, parent: NotePath): void {
    task.setParent(parent, buildWikilink(this.graph, { from: task.path, target: parent }));
  }

  /** Returns false if the edge already exists. */
  connect(task: DraftTask, type: string, target: NotePath): boolean {
    return task.addEdge(type, target, buildWikilink(this.graph, { from: task.path, target }));
  }

  /** Warns if a task waits for one of its ancestors, which waits for its children. */
  warnOfDeadlock(task: NamedTask, target: NamedTask): void {
    if (!this.ancestorsOf(task.path).includes(target.path)) return;
    this.warn(`"${task.summary}" is below "${target.summary}" and now waits for it: neither can be worked on.`);
  }

  /** Sets who holds a task; null if nobody does any more. `released`: why, if its holder did not do it. */
  setClaim(task: DraftTask, claim: Claim | null, released?: string): void {
    const own = this.author.areClaimsShared ? null : claim;
    const why = released === undefined ? {} : { released };
    const before = task.task?.note.claim ?? null;
    if (this.author.areClaimsShared) {
      if (before === null && claim === null) this.#claims.delete(task.id);
      else this.#claims.set(task.id, { task: task.id, before, after: claim, ...why });
    } else if (released !== undefined) task.remark('released', released);
    task.setProperty(CLAIM_KEYS.by, own?.by ?? null);
    task.setProperty(CLAIM_KEYS.at, own === null ? null : new Date(own.atMs).toISOString());
    task.setProperty(CLAIM_KEYS.session, own?.session ?? null);
  }

  /** The changes of claims that are kept outside of the notes. */
  get claims(): readonly ClaimChange[] {
    return [...this.#claims.values()];
  }

  /** The tasks that this call resolves, or opens again. */
  get settled(): readonly DraftTask[] {
    return [...this.#drafts.values()].filter(
      ({ isResolved, isRemoved, task }) => !isRemoved && (task?.note.isResolved ?? false) !== isResolved,
    );
  }

  /** Claims a task for the caller. */
  claim(task: Task): void {
    const { agent, at, connection } = this.author;
    this.setClaim(this.edit(task), { by: agent, atMs: Date.parse(at), session: connection });
  }

  /** Appends evidence with the agent and time of the call. */
  addEvidence(task: DraftTask, { type, ref }: { readonly type: string; readonly ref: string }): void {
    const value = { type, ref, agent: this.author.agent, timestamp: this.author.at };
    task.change({ op: 'append', key: ['evidence'], value });
  }

  /** Returns quoted summaries of tasks for messages. */
  namesOf(paths: readonly string[]): readonly string[] {
    return paths.map((path) => `"${this.at(path)?.summary ?? baseName(path)}"`);
  }

  /** Reopens resolved ancestors that get an open child, with a warning for each. */
  reopenAbove(path: NotePath | null): void {
    for (let next = path; next !== null && this.isResolved(next); next = this.parentOf(next)) {
      const draft = this.at(next);
      if (draft === null) return;
      draft.set(['resolved'], false);
      draft.act('reopened');
      this.warn(`Re-opened "${draft.summary}" (${draft.id}): it has a new open child.`);
    }
  }

  /** Returns the drafted tasks that existed before. */
  touched(): readonly Task[] {
    return [...this.#drafts.values()].map((draft) => draft.task).filter((task) => task !== null);
  }

  /** Builds the plan of all changes as one transaction. */
  toPlan(): Plan {
    const files: FileChange[] = [];
    const events: PlannedEvent[] = [];
    const names = new FileNames(this.graph, this.author.filenames);
    for (const draft of this.#drafts.values()) {
      // The event is built first, so that it contains evidence that is then moved to a note.
      const event = draft.toEvent();
      const spilled = draft.isRemoved ? [] : spillEvidence(draft, { graph: this.graph, author: this.author, names });
      const file = draft.toFile(this.author.at);
      if (file === null) continue;
      files.push(file, ...spilled);
      events.push(event);
    }
    const isRemoved = (path: string): boolean => this.#drafts.get(path)?.isRemoved === true;
    const relinks = redirectLinks(this.graph, this.#redirects, isRemoved);
    const claimed = [...this.#drafts.values()].flatMap(({ id, path }) => (this.#claims.has(id) ? [path] : []));
    return { files: [...files, ...this.#others, ...relinks], events, warnings: this.#warnings, alsoChanges: claimed };
  }
}

/** Follows parents from a path, nearest first, until there is none or one repeats. */
function chain(path: string, above: (path: string) => NotePath | null): readonly NotePath[] {
  const seen = new Set<string>([path]);
  const found: NotePath[] = [];
  for (let next = above(path); next !== null && !seen.has(next); next = above(next)) {
    seen.add(next);
    found.push(next);
  }
  return found;
}
