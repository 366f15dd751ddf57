import { TaskGraph } from '../graph/tasks/task-graph.ts';
import type { TaskSource } from '../graph/tasks/task-graph.ts';
import type { Claim } from '../graph/tasks/task-note.ts';
import type { TaskProject } from '../graph/tasks/task.ts';
import type { GraphLink, GraphView } from '../graph/view.ts';
import { baseName } from '../note/path.ts';
import { sharedClaimsOf } from './claims/shared-claims.ts';
import type { Vault } from './vault.ts';

const NO_CLAIMS: ReadonlyMap<string, Claim> = new Map();

const createTaskGraph = (vault: Vault): TaskGraph =>
  new TaskGraph(followingMoves(vault), vault.settings.config.tasks.root, (id, paths) => vault.history.findOriginal(id, paths));

/** Wraps the graph so that parents and dependencies renamed outside roux resolve at once. */
function followingMoves(vault: Vault): TaskSource {
  const { graph } = vault;
  const follow = (link: GraphLink): GraphLink => {
    const path = link.property === null || link.target.kind !== 'unresolved' ? null : vault.history.findMovedNote(link.linkpath);
    return path === null ? link : { ...link, target: { kind: 'note', path } };
  };
  return {
    get: (path) => graph.get(path),
    links: (path) => graph.links(path).map(follow),
    linksByKey: (path) => graph.linksByKey(path),
    entries: (query) => graph.entries(query),
    onChange: (listener) => graph.onChange(listener),
  };
}

/** Returns the task graph of a vault, created on first use and then kept up to date. */
export function tasksOf(vault: Vault): TaskGraph {
  const tasks = vault.derived(createTaskGraph);
  tasks.setClaims(sharedClaimsOf(vault)?.current() ?? NO_CLAIMS);
  return tasks;
}

/** Returns the name of a project: the title of its root, else its folder. */
export function projectName(graph: GraphView, project: TaskProject): string {
  const title = project.root === null ? null : (graph.get(project.root.note.path)?.title ?? null);
  // A title that only repeats the file name is less specific than the folder.
  return title === null || project.root === null || title === baseName(project.root.note.path) ? project.name : title;
}
