import { RouxError } from '../../../errors.ts';
import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import { baseName, fileNameFor, isNamedAfter, isSameTitle, isSimilarTitle, isSlugOf } from '../../../note/path.ts';
import { projectName, tasksOf } from '../../../vault/task-graph.ts';
import type { Vault } from '../../../vault/vault.ts';
import { cleanReference, lookUpOriginal } from '../../reference.ts';

/** Maximum number of projects or candidates named in an error. */
const MAX_NAMED = 20;

/** Resolves a reference to a task, or returns null. A task wins over other notes; throws `AMBIGUOUS` for several tasks. */
export function findTask(vault: Vault, reference: string): Task | null {
  const tasks = tasksOf(vault);
  const found = lookUpOriginal(vault, cleanReference(reference));
  if (found.kind === 'missing') return null;
  if (found.kind === 'found') return tasks.get(found.entry.path);
  const fitting = found.candidates.map((entry) => tasks.get(entry.path)).filter((task) => task !== null);
  if (fitting.length <= 1) return fitting[0] ?? null;
  const candidates = fitting.slice(0, MAX_NAMED).map(({ note }) => ({ id: note.id, path: note.path, summary: note.summary }));
  throw new RouxError('AMBIGUOUS', `"${reference}" fits ${fitting.length} tasks; name one by its path.`, { candidates });
}

/** Resolves a reference to a task; throws `node_not_found`. */
export function requireTask(vault: Vault, reference: string): Task {
  const task = findTask(vault, reference);
  if (task !== null) return task;
  throw new RouxError('node_not_found', `There is no task "${reference}". Find ids with graph_query.`, { node_id: reference });
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

/** Returns the named project; by default the configured one, else the only one. Throws `project_not_found`. */
export function requireProject(vault: Vault, reference: string | undefined): TaskProject {
  const name = reference ?? vault.settings.config.tasks.project;
  const all = tasksOf(vault).projects();
  const found = name === undefined ? (all.length === 1 ? all[0] : null) : findProject(vault, name);
  if (found !== null && found !== undefined) return found;
  const names = all.map((project) => projectName(vault.graph, project));
  const listed =
    names.length === 0 ? 'there is none yet: create one with graph_open' : `there ${names.length === 1 ? 'is' : 'are'} ${listNames(names)}`;
  throw new RouxError(
    'project_not_found',
    name === undefined ? `Name a project: ${listed}.` : `There is no project "${name}": ${listed}.`,
    {
      projects: names.slice(0, MAX_NAMED),
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
