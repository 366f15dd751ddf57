import { projectOf } from '../../../graph/tasks/task-note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import { baseName } from '../../../note/path.ts';
import { historyCursor, seqOfCursor } from '../../../vault/plan/history.ts';
import type { HistoryEvent } from '../../../vault/plan/plan.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import type { Vault } from '../../../vault/vault.ts';
import { isNamed } from './claims.ts';

/** Events read for one page, of any note. */
const MAX_EXAMINED_EVENTS = 50_000;
/** Clocks are set back, so an older event can have a later time; by no more than a day. */
const MAX_CLOCK_CHANGE_MS = 24 * 60 * 60 * 1000;

/** Selects events; absent fields match every event. */
export interface EventQuery {
  /** The folder of a project. */
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  /** In milliseconds. */
  readonly since?: number | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of events, newest first. */
export interface EventPage {
  readonly events: readonly HistoryEvent[];
  readonly nextCursor: string | null;
}

/** Returns whether an event has the agent and time of a query. */
function isWanted(event: HistoryEvent, { agent, since }: EventQuery): boolean {
  return (agent === undefined || isNamed(event.agent, agent)) && (since === undefined || Date.parse(event.timestamp) >= since);
}

/** Returns one page of the history of one note, by any of its names. */
export async function readNoteEvents(vault: Vault, node: string, query: EventQuery): Promise<EventPage> {
  const events: HistoryEvent[] = [];
  for (let { cursor } = query; ;) {
    const page = await vault.history.ofNote({ node, limit: query.limit, ...(cursor === undefined ? {} : { cursor }) });
    for (const event of page.events) {
      if (events.length === query.limit) return { events, nextCursor: historyCursor(events.at(-1)) };
      if (isWanted(event, query)) events.push(event);
    }
    if (page.nextCursor === null || events.length === query.limit) return { events, nextCursor: page.nextCursor };
    cursor = page.nextCursor;
  }
}

/**
 * Returns one page of what happened to the tasks of a project, or of all. The cursor names the last event that was read, so that pages
 * neither lose nor repeat events while new ones are added; if that event is gone, its number decides.
 */
export async function readTaskEvents(vault: Vault, query: EventQuery): Promise<EventPage> {
  const { cursor } = query;
  if (cursor === undefined) return await readPage(vault, query, () => true);
  const number = seqOfCursor(cursor);
  let isFound = false;
  const page = await readPage(vault, query, (_, name) => {
    const isAfterCursor = isFound;
    isFound ||= name === cursor;
    return isAfterCursor;
  });
  return isFound ? page : await readPage(vault, query, ({ seq }) => seq < number);
}

async function readPage(
  vault: Vault,
  query: EventQuery,
  isAfterCursor: (event: HistoryEvent, name: string) => boolean,
): Promise<EventPage> {
  const { limit, since } = query;
  const isTask = createTaskFilter(vault, query.project);
  const events: HistoryEvent[] = [];
  const names = new Set<string>();
  let [examined, last] = [0, null as string | null];
  for await (const event of vault.history.backward()) {
    const name = historyCursor(event) ?? '';
    // A git merge can leave the same line twice.
    if (names.has(name)) continue;
    names.add(name);
    if (!isAfterCursor(event, name)) continue;
    if (events.length === limit || examined === MAX_EXAMINED_EVENTS) return { events, nextCursor: last };
    [examined, last] = [examined + 1, name];
    if (since !== undefined && event.foreign !== true && Date.parse(event.timestamp) < since - MAX_CLOCK_CHANGE_MS) break;
    if (isWanted(event, query) && isTask(event)) events.push(event);
  }
  return { events, nextCursor: null };
}

/** Returns a test for events of tasks: of those that there are, and of those that were merged or deleted. */
function createTaskFilter(vault: Vault, project: string | undefined): (event: HistoryEvent) => boolean {
  const { root } = vault.settings.config.tasks;
  const known = new Map<string, string | null>();
  const projectOfEvent = (event: HistoryEvent): string | null => {
    const task = findTaskOf(vault, event);
    if (task !== null) return task.note.project;
    // Only tools give ids of this form, so a person's note in the folder is none.
    return event.node.startsWith('t_') ? projectOf(event.path, root) : null;
  };
  return (event) => {
    const key = `${event.node}\n${event.path}`;
    const found = known.has(key) ? (known.get(key) ?? null) : projectOfEvent(event);
    known.set(key, found);
    return found !== null && (project === undefined || found === project);
  };
}

/** Returns the task that an event is about if there still is one. */
function findTaskOf(vault: Vault, { node, path }: HistoryEvent): Task | null {
  const tasks = tasksOf(vault);
  const entry = vault.graph.lookup(node);
  if (entry.kind === 'found') return tasks.get(entry.entry.path);
  return node.startsWith('t_') ? null : tasks.get(path);
}

/** How an answer names the task of an event. */
export interface EventTask {
  readonly node_id: string;
  readonly summary: string;
  /** The task into which it was merged. */
  readonly merged_into?: string;
  readonly deleted?: true;
}

/** Returns a function that names the tasks of these events, those that are gone by their last words in the history. */
export async function nameTasks(vault: Vault, events: readonly HistoryEvent[]): Promise<(event: HistoryEvent) => EventTask> {
  const gone = new Map<string, { summary?: string; mergedInto?: string }>();
  for (const event of events) if (findTaskOf(vault, event) === null) gone.set(event.node, {});
  if (gone.size > 0) await readLastWords(vault, gone);
  return (event) => {
    const task = findTaskOf(vault, event);
    if (task !== null) return { node_id: task.note.id, summary: task.note.summary };
    const { summary = baseName(event.path), mergedInto } = gone.get(event.node) ?? {};
    return { node_id: event.node, summary, ...(mergedInto === undefined ? { deleted: true } : { merged_into: mergedInto }) };
  };
}

/** Finds what tasks that are gone were called, and into which they were merged. */
async function readLastWords(vault: Vault, gone: ReadonlyMap<string, { summary?: string; mergedInto?: string }>): Promise<void> {
  let [open, left] = [gone.size, MAX_EXAMINED_EVENTS];
  for await (const { node, changes, foreign } of vault.history.backward()) {
    if (open === 0 || left === 0) return;
    left -= 1;
    const words = foreign === true ? undefined : gone.get(node);
    if (words === undefined) continue;
    for (const { field, before, after } of changes) {
      if (field === 'merged_into' && typeof after === 'string') words.mergedInto ??= after;
      if (field !== 'summary' || words.summary !== undefined) continue;
      const summary = after ?? before;
      if (typeof summary !== 'string') continue;
      words.summary = summary;
      open -= 1;
    }
  }
}
