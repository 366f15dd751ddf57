import { isPropertyList, isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import type { Vault } from '../../../vault/vault.ts';
import { repositoryOf } from './issue.ts';

/** The property of a task that names its issue, `owner/name#12`. */
export const ISSUE_PROPERTY = 'github';
/** The section of a task's note with the text of its issue. */
export const ISSUE_SECTION = 'GitHub issue';
/** The frontmatter key with the issue as it was at the last sync. */
export const SYNC_KEY = 'github_sync';

/**
 * An issue as it was when it and its task last agreed, field by field: what differs from it was changed since. Titles and bodies are hashes.
 * Of the others, what the sync has put into the task.
 */
export interface SyncState {
  /** The node id. */
  readonly id: string;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  /** `open` or `closed`. */
  readonly state?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly assignees?: readonly string[] | undefined;
  readonly milestone?: string | undefined;
  readonly parent?: string | undefined;
  readonly blocked_by?: readonly string[] | undefined;
  readonly blocked?: string | undefined;
}

/** Reads the state of the last sync from the frontmatter of a task; null if there was none. */
export function readSyncState(values: Properties): SyncState | null {
  const map = values[SYNC_KEY];
  if (!isPropertyMap(map)) return null;
  const text = (key: string): string | undefined => (typeof map[key] === 'string' ? map[key] : undefined);
  const texts = (key: string): readonly string[] | undefined => {
    const list = map[key];
    return isPropertyList(list) ? list.filter((each) => typeof each === 'string') : undefined;
  };
  const id = text('id');
  if (id === undefined || id === '') return null;
  return {
    id,
    title: text('title'),
    body: text('body'),
    state: text('state'),
    tags: texts('tags'),
    assignees: texts('assignees'),
    milestone: text('milestone'),
    parent: text('parent'),
    blocked_by: texts('blocked_by'),
    blocked: text('blocked'),
  };
}

/** Returns the value of `SYNC_KEY`; empty lists are left out. */
export function toSyncValue(state: SyncState): PropertyValue {
  const given = Object.entries(state).filter(([, value]) => value !== undefined && value.length > 0);
  return Object.fromEntries(given) as PropertyValue;
}

/** A task that belongs to an issue. */
export interface LinkedTask {
  readonly task: Task;
  /** `owner/name#12`. */
  readonly issue: string;
  /** Null for a task that a person linked by its property alone, until the next sync. */
  readonly state: SyncState | null;
}

/** The tasks that belong to issues. Of several for one issue, the first by path counts. */
export interface LinkedTasks {
  readonly all: readonly LinkedTask[];
  readonly byId: ReadonlyMap<string, LinkedTask>;
  readonly byIssue: ReadonlyMap<string, LinkedTask>;
}

/** The linked tasks as of a version of the graph. */
interface Known {
  version: number;
  linked: LinkedTasks;
}

const createKnown = (): Known => ({ version: -1, linked: { all: [], byId: new Map(), byIssue: new Map() } });

/** Finds the tasks that belong to issues, again after a change. */
export function findLinkedTasks(vault: Vault): LinkedTasks {
  const known = vault.derived(createKnown);
  if (known.version !== vault.graph.version) {
    known.linked = readLinkedTasks(vault);
    known.version = vault.graph.version;
  }
  return known.linked;
}

function readLinkedTasks(vault: Vault): LinkedTasks {
  const all: LinkedTask[] = [];
  const [byId, byIssue] = [new Map<string, LinkedTask>(), new Map<string, LinkedTask>()];
  const tasks = tasksOf(vault)
    .projects()
    .flatMap((project) => [...project.tasks])
    .sort((a, b) => (a.note.path < b.note.path ? -1 : 1));
  for (const task of tasks) {
    const issue = task.note.properties[ISSUE_PROPERTY];
    if (typeof issue !== 'string' || repositoryOf(issue) === null) continue;
    const linked = { task, issue, state: readSyncState(vault.graph.get(task.note.path)?.properties ?? {}) };
    const isSecond = linked.state === null ? byIssue.has(issue) : byId.has(linked.state.id);
    all.push(linked);
    if (isSecond) continue;
    if (linked.state !== null) byId.set(linked.state.id, linked);
    if (!byIssue.has(issue)) byIssue.set(issue, linked);
  }
  return { all, byId, byIssue };
}
