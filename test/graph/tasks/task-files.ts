import type { CountedGraph } from '../../../src/graph/graph.ts';
import { TaskGraph } from '../../../src/graph/tasks/task-graph.ts';
import type { Task } from '../../../src/graph/tasks/task.ts';
import { graphOf, putFile } from '../graph-of.ts';

/** What a test says of one task note; the path is `projects/p/<name>.md` unless it has a slash. */
export interface TaskFile {
  readonly type?: string | null;
  readonly resolved?: boolean | undefined;
  readonly parent?: string | null;
  readonly depends_on?: readonly string[];
  readonly blocked?: string | boolean | undefined;
  readonly claimedBy?: string | undefined;
  readonly priority?: number | string | boolean | null;
  readonly updated?: string;
}

/** The text of a task note. */
export function taskText({
  type = 'task',
  resolved,
  parent = null,
  depends_on = [],
  blocked,
  claimedBy,
  priority,
  updated = '2026-01-01T00:00:00.000Z',
}: TaskFile): string {
  const lines = [
    ...(type === null ? [] : [`type: ${type}`]),
    ...(resolved === undefined ? [] : [`resolved: ${resolved}`]),
    ...(blocked === undefined ? [] : [`blocked: ${blocked}`]),
    ...(claimedBy === undefined ? [] : [`_claimed_by: ${claimedBy}`]),
    ...(parent === null ? [] : [`parent: "[[${parent}]]"`]),
    ...(depends_on.length === 0 ? [] : ['depends_on:', ...depends_on.map((one) => `  - "[[${one}]]"`)]),
    ...(priority === undefined ? [] : ['properties:', `  priority: ${JSON.stringify(priority)}`]),
    `updated_at: ${updated}`,
  ];
  return `---\n${lines.join('\n')}\n---\n`;
}

export function pathOf(name: string): string {
  return name.includes('/') ? `projects/${name}.md` : `projects/p/${name}.md`;
}

/** A graph with these task notes and the task graph that follows it. */
export function tasksOf(files: Readonly<Record<string, TaskFile>>): {
  graph: CountedGraph;
  tasks: TaskGraph;
  readonly put: (name: string, file: TaskFile) => void;
  readonly remove: (name: string) => void;
  readonly get: (name: string) => Task;
  readonly ranked: (project?: string) => readonly string[];
} {
  const graph = graphOf(Object.fromEntries(Object.entries(files).map(([name, file]) => [pathOf(name), taskText(file)])));
  const tasks = new TaskGraph(graph, 'projects');
  return {
    graph,
    tasks,
    put: (name, file) => putFile(graph, { path: pathOf(name), text: taskText(file) }),
    remove: (name) => graph.remove(pathOf(name)),
    get(name) {
      const task = tasks.get(pathOf(name));
      if (task === null) throw new Error(`${name} is no task`);
      return task;
    },
    ranked: (project = 'p') => [...(tasks.project(project)?.ranked() ?? [])].map(nameOf),
  };
}

export function nameOf(task: Task): string {
  return task.note.path.replace(/^.*\/|\.md$/g, '');
}

/** Everything that a task graph says, as plain values: two of the same files are equal. */
export function describeTasks(tasks: TaskGraph): unknown {
  return tasks.projects().map((project) => ({
    name: project.name,
    root: project.root?.note.path ?? null,
    counts: project.counts,
    ranked: [...project.ranked()].map(({ note }) => note.path),
    recent: [...project.recent()].map(({ note }) => note.path),
    claimed: [...project.claimed].map(({ note }) => note.path).sort(),
    tasks: [...project.tasks]
      .map((task) => ({
        path: task.note.path,
        parent: task.parent?.note.path ?? null,
        children: [...task.children].map(({ note }) => note.path).sort(),
        depth: task.depth,
        isRoot: task.isRoot,
        openChildren: task.openChildren,
        dependencies: task.dependencies,
        openDependencies: task.openDependencies,
        dependents: tasks.dependents(task.note.path).map(({ note }) => note.path),
        isActionable: task.isActionable,
        isBlocked: task.isBlocked,
        below: { ...task.below },
        loop: task.loop?.map(({ note }) => note.path).sort() ?? null,
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  }));
}
