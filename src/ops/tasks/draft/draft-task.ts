import { DEPENDS_ON, readBlocked } from '../../../graph/tasks/task-note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import { composeNote } from '../../../note/compose.ts';
import { changeProperties, isPropertyChange, valueAt } from '../../../note/frontmatter/property-edit.ts';
import type { PropertyChange } from '../../../note/frontmatter/property-edit.ts';
import { isPropertyList } from '../../../note/frontmatter/property-value.ts';
import { isReservedTaskKey } from '../../../note/frontmatter/reserved-keys.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import type { NotePath } from '../../../note/path.ts';
import type { Expectation, FieldChange, FileChange, HistoryAction, PlannedEvent } from '../../../vault/plan/plan.ts';
import { cleanReference } from '../../reference.ts';
import { readRev } from '../view/shapes.ts';
import { diffFields } from './field-diff.ts';

/** Who changes the tasks, and when: the same for all of one call. */
export interface Author {
  readonly agent: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** How files are named that are made for them. */
  readonly filenames: 'slug' | 'title';
}

/** What a new task is made of. */
export interface NewTask {
  readonly id: string;
  readonly type: 'task' | 'project';
  readonly summary: string;
  /** The folder of its project. */
  readonly folder: string;
  readonly parent: NotePath | null;
  readonly properties?: Properties;
  readonly contextLinks?: readonly string[];
  /** The exact title, where the file name cannot say it. */
  readonly title?: string;
}

/** An edge of a drafted task and the value that stands for it in the frontmatter. */
export interface DraftEdge {
  readonly type: string;
  readonly target: NotePath | null;
  readonly value: PropertyValue;
}

/** Which action names an event when a call does several things to one task; later ones win. */
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

/** One task with the changes of a call: its values as they will be, and the changes that make them so. */
export class DraftTask {
  readonly path: NotePath;
  readonly id: string;
  readonly project: string;
  /** The task as it was; null for a new one. */
  readonly task: Task | null;
  parent: NotePath | null;
  /** The parent that the note itself names: another one than `parent` where that name is part of a circle or leads out of the project. */
  declaredParent: NotePath | null;
  isRemoved = false;
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

  /** Why it cannot be worked on, as `TaskNote.blocked` says it. */
  get blocked(): string | null {
    return readBlocked(this.#values);
  }

  get summary(): string {
    const summary = this.#values['summary'];
    return typeof summary === 'string' && summary !== '' ? summary : (this.task?.note.summary ?? this.id);
  }

  /** Applies one change to the values; false when it changes nothing. */
  change(change: PropertyChange): boolean {
    const next = changeProperties(this.#values, change);
    if (next === this.#values) return false;
    this.#values = next;
    this.#changes.push(change);
    return true;
  }

  /** Takes changes over that were planned elsewhere, of the body too. */
  adopt(changes: readonly NoteChange[]): void {
    for (const change of changes) {
      if (isPropertyChange(change)) this.change(change);
      else this.#changes.push(change);
    }
  }

  set(key: readonly string[], value: PropertyValue): boolean {
    return this.change({ op: 'set', key, value });
  }

  /** Sets a property where it stands, a new one in the `properties` map; null takes it away. */
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

  /** Takes entries out of a list property: what this draft added is not added, what was there before goes. Equal entries go together. */
  takeOut(key: string, entries: readonly PropertyValue[]): void {
    const going = new Set(entries);
    const list = this.#values[key];
    const kept = isPropertyList(list) ? list.filter((one) => !going.has(one)) : [];
    this.#values = changeProperties(this.#values, kept.length === 0 ? { op: 'unset', key: [key] } : { op: 'set', key: [key], value: kept });
    for (let index = this.#changes.length - 1; index >= 0; index -= 1) {
      const change = this.#changes[index];
      if (change?.op !== 'append' || change.key.length !== 1 || change.key[0] !== key || !going.delete(change.value)) continue;
      this.#changes.splice(index, 1);
    }
    for (const value of going) this.#changes.push({ op: 'take', key: [key], value });
    this.#hasTakenOut = true;
  }

  /** Says what is done to the task, for the history. */
  act(action: HistoryAction): void {
    if (ACTIONS.indexOf(action) > ACTIONS.indexOf(this.#action)) this.#action = action;
  }

  /** Adds to the event of the history what is no field of the note. */
  remark(field: string, after: PropertyValue, before: PropertyValue = null): void {
    this.#remarks.push({ field, before, after });
  }

  setParent(parent: NotePath, link: string): void {
    this.parent = parent;
    this.declaredParent = parent;
    this.set(['parent'], link);
  }

  /** Whether it hangs below this task by what its note says, or says nothing and hangs there by default. */
  hangsBelow(parent: NotePath): boolean {
    const isSilent = (this.#values['parent'] ?? null) === null;
    return this.parent === parent && (this.declaredParent === parent || isSilent);
  }

  targets(type: string): readonly NotePath[] {
    return this.#edges.filter((edge) => edge.type === type).flatMap(({ target }) => (target === null ? [] : [target]));
  }

  /** What it depends on; null where a link leads nowhere. */
  dependencies(): readonly (NotePath | null)[] {
    return this.#edges.filter((edge) => edge.type === DEPENDS_ON).map(({ target }) => target);
  }

  edges(): readonly DraftEdge[] {
    return this.#edges;
  }

  hasEdge(type: string, target: string): boolean {
    return this.#edges.some((edge) => edge.type === type && edge.target === target);
  }

  /** False when the edge is there already. */
  addEdge(type: string, target: NotePath, link: string): boolean {
    if (this.hasEdge(type, target)) return false;
    this.#edges = [...this.#edges, { type, target, value: link }];
    return this.change({ op: 'append', key: [type], value: link, unique: true });
  }

  /** False when there is no such edge. */
  removeEdge(type: string, target: string): boolean {
    const gone = this.#edges.filter((edge) => edge.type === type && edge.target === target);
    this.#edges = this.#edges.filter((edge) => !gone.includes(edge));
    for (const { value } of gone) this.change({ op: 'take', key: [type], value });
    return gone.length > 0;
  }

  /** Takes away an edge that leads to no note, named by its link; false when there is none. */
  removeMissing(type: string, link: string): boolean {
    const gone = this.#edges.filter((edge) => edge.type === type && typeof edge.value === 'string' && cleanReference(edge.value) === link);
    this.#edges = this.#edges.filter((edge) => !gone.includes(edge));
    for (const { value } of gone) this.change({ op: 'take', key: [type], value });
    return gone.length > 0;
  }

  hasProperty(name: string): boolean {
    return this.isProperty(name) || valueAt(this.#values, ['properties', name]) !== undefined;
  }

  /** Whether a key of the frontmatter is people's own and no edge. */
  isProperty(key: string): boolean {
    return this.#values[key] !== undefined && !isReservedTaskKey(key) && !this.#edges.some((edge) => edge.type === key);
  }

  /** The rev that the note has once the draft is committed. */
  get rev(): number {
    const before = readRev(this.#before);
    return this.task === null || this.#changes.length === 0 ? readRev(this.#values) : before + 1;
  }

  /** What is to happen to the file; null when nothing is. */
  toFile(at: string): FileChange | null {
    if (this.isRemoved) return { kind: 'remove', path: this.path, to: 'trash' };
    if (this.#changes.length === 0 && !this.#hasTakenOut) return null;
    if (this.task === null) return { kind: 'create', path: this.path, text: composeTask(this.#values) };
    // What is kept elsewhere alone counts as a write of the task too.
    const counted: readonly NoteChange[] = [
      { op: 'set', key: ['rev'], value: readRev(this.#before) + 1 },
      { op: 'set', key: ['updated_at'], value: at },
    ];
    const changes = this.#changes.length === 0 ? counted : [...this.#changes, { op: 'touch' as const, at }];
    return { kind: 'change', path: this.path, changes, ...(this.expect === null ? {} : { expect: this.expect }) };
  }

  toEvent(): PlannedEvent {
    return { path: this.path, action: this.#action, node: this.id, changes: [...diffFields(this.#before, this.#values), ...this.#remarks] };
  }
}

/** The order in which a new task names its keys: what it is, where it hangs, what belongs to it, what was done. Edges of other types follow the first. */
const KEY_ORDER: readonly string[] = ['id', 'type', 'title', 'summary', 'resolved', 'parent', 'depends_on'];
const KEYS_LAST: readonly string[] = ['properties', 'context_links', 'evidence', 'rev', 'created_at', 'updated_at', 'created_by'];

function composeTask(values: Properties): string {
  const others = Object.keys(values).filter((key) => !KEY_ORDER.includes(key) && !KEYS_LAST.includes(key));
  const keys = [...KEY_ORDER, ...others, ...KEYS_LAST];
  return composeNote({ properties: Object.fromEntries(keys.map((key) => [key, values[key]])), body: '' });
}

/** The value that holds a link: `depends_on` itself or `depends_on.0`. */
function valueOf(values: Properties, property: string): PropertyValue {
  const [key = '', index] = property.split('.');
  const value = valueAt(values, [key]);
  if (index === undefined || !isPropertyList(value)) return value ?? null;
  return value[Number(index)] ?? null;
}
