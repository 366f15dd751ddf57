import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { projectName, tasksOf } from '../../../vault/task-graph.ts';
import { repositoryOf } from './issue.ts';
import { findLinkedTasks } from './sync-state.ts';

/** An issue that has a task. */
interface LinkedIssue {
  readonly issue: string;
  /** The node id; null until the first sync of a task that a person linked. */
  readonly id: string | null;
}

/** Lists the issues that have tasks, and the project in which most tasks of each repository are. */
export const linkedIssues = defineOperation({
  name: 'linked_issues',
  toolset: null,
  title: 'Issues with tasks',
  summary: 'Lists the issues that have tasks.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({}),
  async run({ vault }) {
    await vault.refresh('changed');
    const issues: LinkedIssue[] = [];
    const seconds: { readonly issue: string; readonly path: string }[] = [];
    const projects = new Map<string, Map<string, number>>();
    const linked = findLinkedTasks(vault);
    for (const each of linked.all) {
      const { issue, state, task } = each;
      const isFirst = (state === null ? linked.byIssue.get(issue) : linked.byId.get(state.id)) === each;
      if (isFirst) issues.push({ issue, id: state?.id ?? null });
      else seconds.push({ issue, path: task.note.path });
      const repository = repositoryOf(issue) ?? '';
      const counts = projects.get(repository) ?? new Map<string, number>();
      const project = tasksOf(vault).project(task.note.project);
      const name = project === null ? task.note.project : projectName(vault.graph, project);
      projects.set(repository, counts.set(name, (counts.get(name) ?? 0) + 1));
    }
    const repositories = [...projects].map(([repository, counts]) => {
      const [[project] = ['']] = [...counts].sort((a, b) => b[1] - a[1]);
      return { repository, project };
    });
    return { issues, repositories, seconds };
  },
});
