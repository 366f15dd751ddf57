import { DEPENDS_ON, readBlocked } from '../../../graph/tasks/task-note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import { applyChanges } from '../../../note/edit.ts';
import { changeProperties, isPropertyChange, valueAt } from '../../../note/frontmatter/property-edit.ts';
import type { PropertyChange } from '../../../note/frontmatter/property-edit.ts';
import { isPropertyList } from '../../../note/frontmatter/property-value.ts';
import { isReservedTaskKey } from '../../../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import type { NotePath } from '../../../note/path.ts';
import { hasOwnRev, stampChanges } from '../../../note/stamps.ts';
import type { Expectation, FieldChange, FileChange, HistoryAction, PlannedEvent } from '../../../vault/plan/plan.ts';
import { cleanReference } from '../../reference.ts';
import { readRev } from '../view/shapes.ts';
import { composeTask } from './compose-task.ts';
import { diffFields } from './field-diff.ts';

/** The agent and time of all changes of one call. */
export interface Author {
  readonly agent: string;
  /** The connection to which its claims belong; null if it does not stay connected. */
  readonly connection: string | null;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Claims are kept outside of the notes (`SharedClaims`). */
  readonly areClaimsShared: boolean;
  /** The file name style for new tasks. */
  readonly filenames: 'slug' | 'title';
}

/** The content of a new task. */
export interface NewTask {
  readonly id: string;
  readonly type: 'task' | 'project';
  readonly summary: string;
  /** The folder of its project. */
  readonly folder: string;
  readonly parent: NotePath | null;
  readonly properties?: Properties;
  readonly contextLinks?: readonly string[];
  /** The exact title, if the file name differs from it. */
  readonly title?: string;
}

/** An edge of a drafted task and its frontmatter value. */
export interface DraftEdge {
  readonly type: string;
  readonly target: NotePath | null;
  readonly value: PropertyValue;
}

/** Precedence of actions when a call does several things to one task; the last one names the event. */
const ACTIONS: readonly HistoryAction[] = [
  'updated',
  'disconnected',
  'connected',
  'reopened',
  'resolved',
  'moved',
  'merged',
  'dropped',
  'deleted',
  'created',
];

/** One task with the changes of a call: its new values, and the changes that lead to them. */
export class DraftTask {
  readonly path: NotePath;
  readonly id: string;
  readonly project: string;
  /** The task before the call; null for a new one. */
  readonly task: Task | null;
  parent: NotePath | null;
  /** The parent that the note names. Differs from `parent` if that link is part of a circle or leads out of the project. */
  declaredParent: NotePath | null;
  isRemoved = false;
  /** The note keeps its revision and time: nothing that readers rely on changes. */
  isUnstamped = false;
  expect: Expectation | null = null;
  readonly #before: Properties;
  #values: Properties;
  #edges: readonly DraftEdge[];
  #action: HistoryAction = 'updated';
  #hasTakenOut = false;
  readonly #changes: NoteChange[] = [];
  readonly #remarks: FieldChange[] = [];

  private constructor(
    at: { path: NotePath; id: string; project: string },
    task: Task | null,
    values: Properties,
    edges: readonly DraftEdge[],
  ) {
    this.path = at.path;
    this.id = at.id;
    this.project = at.project;
    this.task = task;
    this.parent = task?.parent?.note.path ?? null;
    this.declaredParent = task?.note.parent ?? null;
    this.#before = values;
    this.#values = values;
    this.#edges = edges;
  }

  static of(task: Task, entry: NoteEntry): DraftTask {
    const values = entry.properties;
    const edges = task.note.edges.map(({ type, target, property }) => ({ type, target, value: valueOf(values, property) }));
    return new DraftTask({ path: task.note.path, id: task.note.id, project: task.note.project }, task, values, edges);
  }

  static create(path: NotePath, made: NewTask, author: Author): DraftTask {
    const created = new DraftTask({ path, id: made.id, project: made.folder }, null, {}, []);
    created.act('created');
    const { id, type, title, summary, properties = {}, contextLinks = [] } = made;
    const stamp = { rev: 1, created_at: author.at, updated_at: author.at, created_by: author.agent };
    const values = { id, type, ...(title === undefined ? {} : { title }), summary, resolved: false, ...stamp };
    for (const [key, value] of Object.entries(values)) created.set([key], value);
    if (Object.keys(properties).length > 0) created.set(['properties'], properties);
    for (const link of contextLinks) created.change({ op: 'append', key: ['context_links'], value: link, unique: true });
    return created;
  }

  get values(): Properties {
    return this.#values;
  }

  get isResolved(): boolean {
    return this.#values['resolved'] === true;
  }

  /** The reason why it is blocked, as in `TaskNote.blocked`. */
  get blocked(): string | null {
    return readBlocked(this.#values);
  }

  get summary(): string {
    const summary = this.#values['summary'];
    return typeof summary === 'string' && summary !== '' ? summary : (this.task?.note.summary ?? this.id);
  }

  /** Applies a change to the values; returns false if it changes nothing. */
  change(change: PropertyChange): boolean {
    const next = changeProperties(this.#values, change);
    if (next === this.#values) return false;
    this.#values = next;
    this.#changes.push(change);
    return true;
  }

  /** Adopts changes that were planned elsewhere, including those of the body. */
  adopt(changes: readonly NoteChange[]): void {
    for (const change of changes) {
      if (isPropertyChange(change)) this.change(change);
      else this.#changes.push(change);
    }
  }

  set(key: readonly string[], value: PropertyValue): boolean {
    return this.change({ op: 'set', key, value });
  }

  /** Sets a property at its present place, or a new one in the `properties` map; null removes it. */
  setProperty(name: string, value: PropertyValue): void {
    const isOwn = this.isProperty(name);
    if (value === null) {
      if (isOwn) this.change({ op: 'unset', key: [name] });
      this.change({ op: 'unset', key: ['properties', name] });
    } else {
      const isInMap = valueAt(this.#values, ['properties', name]) !== undefined;
      this.set(isOwn && !isInMap ? [name] : ['properties', name], value);
    }
  }

  /** Removes entries from a list property, also those that this draft added. Equal entries are removed together. */
  takeOut(key: string, entries: readonly PropertyValue[]): void {
    const removing = new Set(entries);
    const list = this.#values[key];
    const remaining = isPropertyList(list) ? list.filter((one) => !removing.has(one)) : [];
    this.#values = changeProperties(
      this.#values,
      remaining.length === 0 ? { op: 'unset', key: [key] } : { op: 'set', key: [key], value: remaining },
    );
    for (let index = this.#changes.length - 1; index >= 0; index -= 1) {
      const change = this.#changes[index];
      if (change?.op !== 'append' || change.key.length !== 1 || change.key[0] !== key || !removing.delete(change.value)) continue;
      this.#changes.splice(index, 1);
    }
    for (const value of removing) this.#changes.push({ op: 'take', key: [key], value });
    this.#hasTakenOut = true;
  }

  act(action: HistoryAction): void {
    if (ACTIONS.indexOf(action) > ACTIONS.indexOf(this.#action)) this.#action = action;
  }

  /** Adds a field to the history event that is not a field of the note. */
  remark(field: string, after: PropertyValue, before: PropertyValue = null): void {
    this.#remarks.push({ field, before, after });
  }

  setParent(parent: NotePath, link: string): void {
    this.parent = parent;
    this.declaredParent = parent;
    this.set(['parent'], link);
  }

  /** Returns whether it is a child of this task according to its note, or by default because its note names no parent. */
  hangsBelow(parent: NotePath): boolean {
    const isSilent = (this.#values['parent'] ?? null) === null;
    return this.parent === parent && (this.declaredParent === parent || isSilent);
  }

  targets(type: string): readonly NotePath[] {
    return this.#edges.filter((edge) => edge.type === type).flatMap(({ target }) => (target === null ? [] : [target]));
  }

  /** Returns its dependencies; null for an unresolved link. */
  dependencies(): readonly (NotePath | null)[] {
    return this.#edges.filter((edge) => edge.type === DEPENDS_ON).map(({ target }) => target);
  }

  edges(): readonly DraftEdge[] {
    return this.#edges;
  }

  hasEdge(type: string, target: string): boolean {
    return this.#edges.some((edge) => edge.type === type && edge.target === target);
  }

  addEdge(type: string, target: NotePath, link: string): boolean {
    if (this.hasEdge(type, target)) return false;
    this.#edges = [...this.#edges, { type, target, value: link }];
    return this.change({ op: 'append', key: [type], value: link, unique: true });
  }

  removeEdge(type: string, target: string): boolean {
    return this.#removeEdges(type, (edge) => edge.target === target);
  }

  /** Removes an edge to a missing note by its link; returns false if there is none. */
  removeMissing(type: string, link: string): boolean {
    return this.#removeEdges(type, ({ value }) => typeof value === 'string' && cleanReference(value) === link);
  }

  #removeEdges(type: string, isMeant: (edge: DraftEdge) => boolean): boolean {
    const removed = this.#edges.filter((edge) => edge.type === type && isMeant(edge));
    this.#edges = this.#edges.filter((edge) => !removed.includes(edge));
    for (const { value } of removed) this.change({ op: 'take', key: [type], value });
    return removed.length > 0;
  }

  hasProperty(name: string): boolean {
    return this.isProperty(name) || valueAt(this.#values, ['properties', name]) !== undefined;
  }

  /** Returns whether a frontmatter key is an ordinary property and not an edge. */
  isProperty(key: string): boolean {
    return this.#values[key] !== undefined && !isReservedTaskKey(key) && !this.#edges.some((edge) => edge.type === key);
  }

  /** The planned changes of its body. */
  get bodyChanges(): readonly NoteChange[] {
    return this.#changes.filter((change) => !isPropertyChange(change));
  }

  /** The rev of the note after the commit. */
  get rev(): number {
    const before = readRev(this.#before);
    return this.task === null || this.#changes.length === 0 || hasOwnRev(this.#before) ? readRev(this.#values) : before + 1;
  }

  /** Returns the change of the file, or null. */
  toFile(at: string): FileChange | null {
    if (this.isRemoved) return { kind: 'remove', path: this.path, to: 'trash' };
    if (this.#changes.length === 0 && !this.#hasTakenOut) return null;
    if (this.task === null) {
      const { text } = applyChanges(this.path, composeTask(this.#values), this.bodyChanges);
      return { kind: 'create', path: this.path, text };
    }
    // A change only to the evidence notes increases the revision of the task too.
    const touched = this.isUnstamped ? [] : [{ op: 'touch' as const, at, from: 0 }];
    const changes = this.#changes.length === 0 ? stampChanges(this.#before, at, 0) : [...this.#changes, ...touched];
    return { kind: 'change', path: this.path, changes, ...(this.expect === null ? {} : { expect: this.expect }) };
  }

  toEvent(): PlannedEvent {
    return { path: this.path, action: this.#action, node: this.id, changes: [...diffFields(this.#before, this.#values), ...this.#remarks] };
  }
}

/** Returns the value of a link: `depends_on` itself or `depends_on.0`. */
function valueOf(values: Properties, property: string): PropertyValue {
  const [key = '', index] = property.split('.');
  const value = valueAt(values, [key]);
  if (index === undefined || !isPropertyList(value)) return value ?? null;
  return value[Number(index)] ?? null;
}
