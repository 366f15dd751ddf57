import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import { baseName, fileNameFor, foldKey, isNamedAfter, isSameTitle, isSimilarTitle, isSlugOf } from '../../../note/path.ts';
import { isGivenId, isPathLike } from '../../../vault/missing-note.ts';
import { projectName, tasksOf } from '../../../vault/task-graph.ts';
import type { Vault } from '../../../vault/vault.ts';
import { NamedNotes } from '../../names/named-notes.ts';
import { MAX_NEAREST, nearestIn, nearestItems, quoteWanted } from '../../names/near-names.ts';
import type { NearName } from '../../names/near-names.ts';
import { cleanReference, lookUpOriginal } from '../../reference.ts';

/** An argument of the tools that name tasks: the project of those that are named by their titles. The error that asks for it names it. */
export const projectInput = z.string().min(1).optional().describe('Of the tasks named by title').meta({ unlisted: true });

/** Maximum number of projects or candidates named in an error. */
const MAX_NAMED = 20;
/** Candidates that a message names; the others are in the details. */
const MAX_SHOWN = 3;

/**
 * Resolves a reference to a task, or returns null: by id, path, title or alias as any note, else by its summary. Those of the project come
 * first: the given one, else the configured one. A task wins over other notes; throws `AMBIGUOUS` for several tasks.
 */
export function findTask(vault: Vault, reference: string, project?: string): Task | null {
  const wanted = cleanReference(reference);
  const within = projectIn(vault, project);
  const [named, called] = [() => tasksNamed(vault, wanted), () => summariesOf(vault).get(foldKey(wanted)) ?? []];
  const isOwn = ({ note }: Task): boolean => note.project === within?.name;
  for (const fitting of within === null ? [] : [named, called]) {
    const own = fitting().filter(isOwn);
    if (own.length > 0) return onlyOne(vault, wanted, own);
  }
  const all = named();
  if (isPathLike(wanted) || all.some(({ note }) => note.id === wanted)) return onlyOne(vault, wanted, all);
  // The file name of a second task with the same title has a number.
  const others = called().filter(({ note }) => !all.some((task) => task.note.project === note.project));
  return onlyOne(vault, wanted, [...all, ...others]);
}

function tasksNamed(vault: Vault, wanted: string): readonly Task[] {
  const found = lookUpOriginal(vault, wanted);
  const entries = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  return entries.map((entry) => tasksOf(vault).get(entry.path)).filter((task) => task !== null);
}

function onlyOne(vault: Vault, reference: string, fitting: readonly Task[]): Task | null {
  if (fitting.length <= 1) return fitting[0] ?? null;
  const candidates = fitting.slice(0, MAX_NAMED).map(({ note: { id, path, summary, project } }) => ({ id, path, summary, project }));
  const shown = candidates.slice(0, MAX_SHOWN).map(({ id, project }) => `${id} (in ${nameOfProject(vault, project)})`);
  const message = `${quoteWanted(reference)} fits ${fitting.length} tasks: ${shown.join(', ')}${fitting.length > MAX_SHOWN ? ' …' : ''}. Name one by its id or path${new Set(fitting.map(({ note }) => note.project)).size > 1 ? ', or pass its project' : ''}.`;
  const options = candidates.map(({ id, summary, project }) => ({ value: id, label: `${summary} (${nameOfProject(vault, project)})` }));
  const choice = { question: `Which task is meant by "${reference}"?`, options, of: { reference } };
  throw new RouxError('AMBIGUOUS', message, { candidates }, { choice });
}

function nameOfProject(vault: Vault, folder: string): string {
  const project = tasksOf(vault).project(folder);
  return project === null ? folder : projectName(vault.graph, project);
}

/** Returns the project whose tasks are meant first: the named one, else the configured one; null for none. Throws `project_not_found`. */
function projectIn(vault: Vault, project: string | undefined): TaskProject | null {
  if (project !== undefined) return requireProject(vault, project);
  const { project: name } = vault.settings.config.tasks;
  return name === undefined ? null : findProject(vault, name);
}

/** The tasks by their folded summaries, as of a version of the graph. */
interface Summaries {
  version: number;
  byName: ReadonlyMap<string, readonly Task[]>;
}

const createSummaries = (): Summaries => ({ version: -1, byName: new Map() });

/** Returns all tasks by their folded summaries, computed again after a change. */
export function summariesOf(vault: Vault): ReadonlyMap<string, readonly Task[]> {
  const known = vault.derived(createSummaries);
  if (known.version === vault.graph.version) return known.byName;
  const byName = new Map<string, Task[]>();
  for (const { tasks } of tasksOf(vault).projects())
    for (const task of tasks) {
      const name = foldKey(task.note.summary.trim());
      const same = byName.get(name);
      if (same === undefined) byName.set(name, [task]);
      else same.push(task);
    }
  known.byName = byName;
  known.version = vault.graph.version;
  return byName;
}

/** Resolves a reference to a task; throws `node_not_found` with the nearest tasks. */
export function requireTask(vault: Vault, reference: string, project?: string): Task {
  const task = findTask(vault, reference, project);
  if (task !== null) return task;
  throw taskNotFound(vault, reference, project);
}

/** Returns the error for a reference to no task. */
export function taskNotFound(vault: Vault, reference: string, project?: string): RouxError {
  const { text, details } = nearestIn(nearestTasks(vault, reference, project));
  return new RouxError('node_not_found', `There is no task ${quoteWanted(reference)}.${text} Find ids with graph_query.`, {
    node_id: reference,
    ...details,
  });
}

/** Returns the tasks with the nearest summaries, titles or file names, those of the project if there are any. */
export function nearestTasks(vault: Vault, reference: string, project?: string): readonly NearName[] {
  const wanted = cleanReference(reference);
  if (isGivenId(wanted)) return [];
  const names = vault.derived(createTaskNames);
  const tasks = tasksOf(vault);
  const within = projectIn(vault, project);
  const own =
    within === null ? [] : names.search(baseName(wanted), MAX_NEAREST, ({ path }) => tasks.get(path)?.note.project === within.name);
  const found = own.length > 0 ? own : names.search(baseName(wanted), MAX_NEAREST);
  return found.map((entry) => ({ name: entry.id, title: tasks.get(entry.path)?.note.summary ?? entry.title }));
}

function createTaskNames(vault: Vault): NamedNotes {
  const { graph } = vault;
  return new NamedNotes({
    vault,
    all: () => graph.entries({ under: vault.settings.config.tasks.root }),
    names({ path, title, aliases }) {
      const task = tasksOf(vault).get(path);
      return task === null ? [] : [...new Set([task.note.summary, title, baseName(path), ...aliases])];
    },
  });
}

/**
 * Finds the project with exactly this title (ignoring case), or by the id or path of its root, or null. The folder name counts if it is not
 * derived from the title: different titles may lead to the same folder name (H-17).
 */
export function findProjectOfTitle(vault: Vault, reference: string): TaskProject | null {
  const wanted = cleanReference(reference);
  const titleOf = (project: TaskProject): string => projectName(vault.graph, project);
  const all = tasksOf(vault).projects();
  const hasOwnFolderName = (project: TaskProject): boolean =>
    project.root === null || (titleOf(project) !== project.name && !isSlugOf(project.name, titleOf(project)));
  return (
    all.find((project) => isSameTitle(titleOf(project), wanted)) ??
    all.find(({ root }) => root !== null && (root.note.id === wanted || root.note.path === wanted)) ??
    all.find((project) => hasOwnFolderName(project) && isNamedAfter(project.name, wanted)) ??
    null
  );
}

/** Finds the project with exactly this title, else the one with this folder name. */
export function findProjectOfName(vault: Vault, reference: string): TaskProject | null {
  return findProjectOfTitle(vault, reference) ?? tasksOf(vault).project(cleanReference(reference));
}

/** Finds a project by title, else by folder, else the only one with an easily confused title. */
export function findProject(vault: Vault, reference: string): TaskProject | null {
  const exact = findProjectOfName(vault, reference);
  if (exact !== null) return exact;
  const similar = similarProjects(vault, reference);
  return similar.length === 1 ? (similar[0] ?? null) : null;
}

/** Lists the projects whose title or folder is easily confused with this name. */
export function similarProjects(vault: Vault, reference: string): readonly TaskProject[] {
  const wanted = cleanReference(reference);
  const isSimilar = (project: TaskProject): boolean =>
    isSimilarTitle(projectName(vault.graph, project), wanted) || isSimilarTitle(project.name, wanted);
  return tasksOf(vault).projects().filter(isSimilar);
}

/** Returns the projects with the nearest titles or folders. */
export function nearestProjects(vault: Vault, reference: string): readonly NearName[] {
  return nearestItems(cleanReference(reference), tasksOf(vault).projects(), {
    names: (project) => [projectName(vault.graph, project), project.name],
    show: (project) => ({ name: projectName(vault.graph, project) }),
  });
}

/** Returns the named project; by default the configured one, else the only one. Throws `project_not_found`. */
export function requireProject(vault: Vault, reference: string | undefined): TaskProject {
  const name = reference ?? vault.settings.config.tasks.project;
  const all = tasksOf(vault).projects();
  const found = name === undefined ? (all.length === 1 ? all[0] : null) : findProject(vault, name);
  if (found !== null && found !== undefined) return found;
  const names = all.map((project) => projectName(vault.graph, project));
  const { text, details } = nearestIn(nearestProjects(vault, name ?? ''));
  const listed =
    names.length === 0 ? 'there is none yet: create one with graph_open' : `there ${names.length === 1 ? 'is' : 'are'} ${listNames(names)}`;
  throw new RouxError(
    'project_not_found',
    name === undefined ? `Name a project: ${listed}.` : `There is no project "${name}": ${listed}.${text}`,
    { projects: names.slice(0, MAX_NAMED), ...details },
    {
      choice: {
        question: name === undefined ? 'Which project is meant?' : `There is no project "${name}". Which one is meant?`,
        options: names.slice(0, MAX_NAMED).map((each) => ({ value: each, label: each })),
        of: { argument: 'project' },
      },
    },
  );
}

/** Returns the folder name for a project name. */
export function folderFor(vault: Vault, name: string): string {
  return baseName(fileNameFor(name, vault.settings.config.filenames));
}

/** Returns a free folder name for a new project, with a number if needed. */
export function freeFolderFor(vault: Vault, name: string): string {
  const first = folderFor(vault, name);
  for (let number = 1, folder = first; ; folder = `${first}-${++number}`) {
    const taken = tasksOf(vault).project(folder);
    if (taken === null) return folder;
  }
}

/** Returns the folder of a project's notes by its folder name. */
export function projectFolder(vault: Vault, name: string): string {
  const { root } = vault.settings.config.tasks;
  return root === '' ? name : `${root}/${name}`;
}

function listNames(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Returns whether a task is a descendant of another. */
export function isBelow(task: Task, above: Task): boolean {
  for (let next = task.parent; next !== null; next = next.parent) if (next === above) return true;
  return false;
}

/** Returns the ancestors of a task, the root first. */
export function ancestorsOf(task: Task): readonly Task[] {
  const ancestors: Task[] = [];
  for (let next = task.parent; next !== null; next = next.parent) ancestors.push(next);
  return ancestors.reverse();
}

/** Returns the children of a task, sorted by id. */
export function childrenOf(task: Task): readonly Task[] {
  return [...task.children].sort(compareTasks);
}
