import * as z from 'zod';
import { RouxError } from '../../errors.ts';
import type { TaskCounts, TaskProject } from '../../graph/tasks/task.ts';
import { checkName, toNotePath } from '../../note/path.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { takeWhileFits, withFit } from '../shorten.ts';
import { commitDraft } from './draft/commit-draft.ts';
import type { DraftTask } from './draft/draft-task.ts';
import type { Draft } from './draft/draft.ts';
import { projectName, tasksOf } from '../../vault/task-graph.ts';
import {
  findProjectOfName,
  findProjectOfTitle,
  folderFor,
  freeFolderFor,
  nearestProjects,
  projectFolder,
  similarProjects,
} from './view/find-task.ts';
import { toNode } from './view/shapes.ts';
import type { NodeShape } from './view/shapes.ts';

const input = z.strictObject({
  project: z.string().min(1).max(200).optional().describe('Without it all are listed'),
  goal: z.string().min(1).max(2000).optional().describe('Required to start one'),
});

/** A project in the list. */
export interface ProjectRow {
  readonly id: string;
  readonly project: string;
  readonly summary: string;
  readonly total: number;
  readonly resolved: number;
  readonly unresolved: number;
  readonly updated_at: string;
}

/** A project with its root task and its task counts. */
export interface OpenedProject {
  readonly project: string;
  readonly root: NodeShape;
  readonly summary: TaskCounts;
  readonly hint: string;
}

/** All projects; `hint` says how to get those that did not fit. */
export interface ProjectList {
  readonly projects: readonly ProjectRow[];
  readonly hint?: string;
}

export const graphOpen = defineOperation({
  name: 'graph_open',
  toolset: 'tasks',
  title: 'Open project',
  summary: 'Opens or starts a task project; without arguments lists all.',
  effect: 'write',
  writesByOption: true,
  isIdempotent: true,
  input,
  async run(context, { project, goal }): Promise<OpenedProject | ProjectList> {
    await context.vault.refresh('changed');
    if (project === undefined) {
      const projects = tasksOf(context.vault).projects();
      const rows = projects.map((one) => toRow(context, one));
      return withFit({ projects: rows }, (characters) => {
        const shown = takeWhileFits(rows, characters - 200);
        const rest = rows.length - shown.length;
        return {
          projects: shown,
          ...(rest === 0 ? {} : { hint: `${rest} more: list_nodes with type "project" lists all ${rows.length}.` }),
        };
      });
    }
    const find = goal === undefined ? findProjectOfName : findProjectOfTitle;
    if ((find(context.vault, project)?.root ?? null) === null)
      await createProject(context, { name: project, summary: goal ?? project, find });
    const opened = find(context.vault, project);
    if (opened === null || opened.root === null)
      throw new RouxError('project_not_found', `Project "${project}" is gone again; call graph_open once more.`);
    return {
      project: projectName(context.vault.graph, opened),
      root: toNode(context, opened.root),
      summary: opened.counts,
      hint: nextCall(opened.counts),
    };
  },
});

interface NewProject {
  readonly name: string;
  readonly summary: string;
  readonly find: typeof findProjectOfTitle;
}

async function createProject(context: OperationContext, { name, summary, find }: NewProject): Promise<void> {
  const { vault } = context;
  const problem = checkName(folderFor(vault, name));
  if (problem !== null) throw new RouxError('validation_error', `"${name}" cannot name a project: ${problem}.`);
  await commitDraft(context, 'graph_open', (draft) => {
    // Checked again under the lock, since another process may have created it.
    const existing = find(vault, name);
    if (existing !== null && existing.root !== null) return;
    const similar = similarProjects(vault, name).filter((project) => project !== existing);
    const titles = new Set(similar.map((project) => projectName(vault.graph, project)));
    if (existing === null) for (const near of nearestProjects(vault, name)) titles.add(near.name);
    for (const title of titles)
      draft.warn(`There is also a project ${JSON.stringify(title)}. Its title differs, so this is another project.`);
    draftProject(context, draft, { name, summary, folder: existing?.name ?? freeFolderFor(vault, name) });
  });
}

/** Drafts the root of a new project in a folder. */
export function draftProject(
  { vault }: OperationContext,
  draft: Draft,
  { name, summary, folder }: { readonly name: string; readonly summary: string; readonly folder: string },
): DraftTask {
  const path = toNotePath(`${projectFolder(vault, folder)}/${folder}.md`);
  if (path === null) throw new RouxError('validation_error', `"${name}" cannot name a project: no file can bear its name.`);
  const id = `t_${vault.ports.newId()}`;
  return draft.create(path, { id, type: 'project', summary, folder, parent: null, ...(folder === name ? {} : { title: name }) });
}

function toRow(context: OperationContext, project: TaskProject): ProjectRow {
  const { total, resolved, unresolved } = project.counts;
  const name = projectName(context.vault.graph, project);
  const [latest] = project.recent();
  return {
    id: project.root?.note.id ?? project.name,
    project: name,
    summary: project.root?.note.summary ?? name,
    total,
    resolved,
    unresolved,
    updated_at: latest?.note.updatedAt ?? '',
  };
}

/** Returns the next call that makes sense. */
function nextCall({ total, unresolved, actionable }: TaskCounts): string {
  if (actionable > 0) return 'graph_next';
  if (total <= 1) return 'graph_plan';
  return unresolved <= 1 ? 'all done' : 'all blocked';
}
