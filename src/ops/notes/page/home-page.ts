import * as z from 'zod';
import { openCounts } from '../read/open-counts.ts';
import { defineOperation } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { projectName, tasksOf } from '../../../vault/task-graph.ts';

/** Ready tasks that are listed. */
const MAX_TASKS = 8;
const MAX_SUMMARY_CHARACTERS = 200;

/** Returns an overview: the size of the vault, ready tasks, and findings. Recent writes are in `activity`. */
export const homePage = defineOperation({
  name: 'home_page',
  toolset: null,
  title: 'Home',
  summary:
    'A vault at a glance: its size, tasks that are ready, and findings of its health that are known without looking into every note.',
  effect: 'read',
  isIdempotent: true,
  input: z.strictObject({}),
  async run({ vault }) {
    await vault.refresh('changed');
    const { graph } = vault;
    const projects = tasksOf(vault).projects();
    const ready = projects.flatMap((project) => {
      const title = projectName(graph, project);
      const first = [];
      for (const task of project.ranked()) {
        if (
          first.push({
            id: task.note.id,
            path: task.note.path,
            summary: shorten(task.note.summary, MAX_SUMMARY_CHARACTERS),
            project: title,
          }) === MAX_TASKS
        )
          break;
      }
      return first;
    });
    const counts = vault.derived(openCounts)();
    return {
      notes: graph.listed({}).size,
      ...counts.size,
      tasks: {
        projects: projects.length,
        open: projects.reduce((sum, project) => sum + project.counts.unresolved, 0),
        ready_count: projects.reduce((sum, project) => sum + project.counts.actionable, 0),
        ready: ready.slice(0, MAX_TASKS),
      },
      health: counts.health,
      wanted: graph.mostWanted(5).map(({ linkpath, count }) => ({ linkpath: shorten(linkpath, 200), count })),
      warnings: await vault.health.alerts(),
    };
  },
});
