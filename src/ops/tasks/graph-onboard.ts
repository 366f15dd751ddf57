import * as z from 'zod';
import type { Task, TaskProject } from '../../graph/tasks/task.ts';
import type { Properties } from '../../note/note.ts';
import { defineOperation } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { takeWhileFits, shorten } from '../shorten.ts';
import { claimRules, heldByOthers, holderOf, includeClaimed, liveClaims, otherHolderOf } from './view/claims.ts';
import { doneElsewhere, findBranchTasks } from './view/branch-tasks.ts';
import { openHandoff, toHandoff } from './handoff/handoff.ts';
import type { HandoffShape } from './handoff/handoff.ts';
import { projectName, tasksOf } from '../../vault/task-graph.ts';
import { requireProject } from './view/find-task.ts';
import { collectLinks, outline, recentEvidence } from './view/overview.ts';
import type { OutlineNode, SeenEvidence } from './view/overview.ts';
import { findProblems } from './view/problems.ts';
import type { NodeName } from './view/shapes.ts';

/** A brief answer costs at most 600 tokens (four characters each), whatever the size of the project. */
const MAX_BRIEF_CHARACTERS = 2_400;
const MAX_FULL_CHARACTERS = 36_000;

const input = z.strictObject({
  project: z.string().min(1).optional().describe('Name or root id; needed if there are several'),
  evidence_limit: z.int().min(1).max(50).default(20).describe('Newest pieces of evidence').meta({ unlisted: true }),
  include_claimed: includeClaimed,
  detail: z.enum(['brief', 'full']).default('brief').describe('full: tree and evidence in whole'),
});

/** A task that can be started. */
interface Startable extends NodeName {
  readonly properties: Properties;
  /** Who else holds it. */
  readonly held_by?: string;
}

/** An overview for an agent that starts on a project. */
export interface Overview {
  readonly project: string;
  readonly goal: string;
  readonly summary: TaskProject['counts'];
  /** Problems that only a person or a restructuring can fix. */
  readonly problems?: readonly string[];
  /** Number of claimed tasks by agent. */
  readonly claimed?: Readonly<Record<string, number>>;
  /** Tasks handed over that nobody has taken yet, latest first. */
  readonly handoffs?: readonly (NodeName & HandoffShape)[];
  readonly recommended_next?: NodeName & { readonly rationale: string };
  readonly actionable: readonly Startable[];
  readonly tree: readonly OutlineNode[];
  readonly recent_evidence: readonly SeenEvidence[];
  readonly context_links: readonly string[];
  readonly hint?: string;
}

/** The projects to choose from if the call named none. */
export interface Choice {
  readonly projects: readonly { readonly id: string; readonly project: string; readonly summary: string }[];
  readonly hint: string;
}

const MAX_HOLDERS = 8;
const MAX_HANDOFFS = 5;
const HINT_CHARACTERS = 80;

export const graphOnboard = defineOperation({
  name: 'graph_onboard',
  toolset: 'tasks',
  title: 'Onboard',
  summary: 'A short overview of a project to start with.',
  effect: 'read',
  isIdempotent: true,
  input,
  async run(context, { project: reference, evidence_limit, include_claimed, detail }): Promise<Overview | Choice> {
    await context.vault.refresh('changed');
    const projects = tasksOf(context.vault).projects();
    const isOpen = reference === undefined && context.config.tasks.project === undefined && projects.length !== 1;
    if (isOpen) return toChoice(context, projects);
    const project = requireProject(context.vault, reference);
    const characters = detail === 'brief' ? MAX_BRIEF_CHARACTERS : MAX_FULL_CHARACTERS;
    const done = doneElsewhere(await findBranchTasks(context));
    return toOverview(context, project, { evidence_limit, include_claimed, characters, done });
  },
});

function toChoice(context: OperationContext, projects: readonly TaskProject[]): Choice {
  const rows = projects.map((project) => ({
    id: project.root?.note.id ?? project.name,
    project: projectName(context.vault.graph, project),
    summary: shorten(project.root?.note.summary ?? project.name, 80),
  }));
  const shown = takeWhileFits(rows, MAX_BRIEF_CHARACTERS - 200, { least: 0 });
  const more = rows.length - shown.length;
  const hint =
    rows.length === 0
      ? 'No projects: start one with graph_open and a goal.'
      : `Call again with one of these projects${more > 0 ? ` (or ${more} more: graph_open lists them)` : ''}.`;
  return { projects: shown, hint };
}

/** How much an overview shows. */
type Size = Pick<z.output<typeof input>, 'evidence_limit' | 'include_claimed'> & {
  readonly characters: number;
  /** The branches in which tasks are done that are open here, by their ids. */
  readonly done: ReadonlyMap<string, string>;
};

/** Fills the parts in order of importance, each with its share of the characters; the tree gets the rest. */
function toOverview(context: OperationContext, project: TaskProject, size: Size): Overview {
  const share = (part: number): number => Math.floor(size.characters * part);
  const isFull = size.characters === MAX_FULL_CHARACTERS;
  const problems = findProblems(context, project);
  const head = {
    project: projectName(context.vault.graph, project),
    goal: shorten(project.root?.note.summary ?? project.name, isFull ? 2000 : 200),
    summary: project.counts,
    ...(problems.length === 0 ? {} : { problems: takeWhileFits(problems, share(0.15), { least: 0 }) }),
    ...countClaims(context, project),
    ...listHandoffs(context, project, share(0.2)),
    ...recommend(context, project, { length: isFull ? 500 : 80, done: size.done }),
  };
  const actionable = takeWhileFits(
    firstActionable(context, project, { isFull, isClaimedShown: size.include_claimed, done: size.done }),
    share(0.25),
    { least: 0 },
  );
  const evidence = recentEvidence(context, project, size.evidence_limit);
  const recent_evidence = takeWhileFits(evidence, share(0.25), { least: 0 });
  const links = collectLinks(context, project);
  const context_links = takeWhileFits(links, share(0.12), { least: 0 });
  const parts = { actionable, tree: [], recent_evidence, context_links };
  const left = size.characters - JSON.stringify({ ...head, ...parts }).length - HINT_CHARACTERS;
  const { tree, isWhole } = outline(project, { characters: left, isFull });
  const isCut = !isWhole || recent_evidence.length < evidence.length || context_links.length < links.length;
  return {
    ...head,
    ...parts,
    tree,
    ...(isCut && !isFull ? { hint: 'Shortened: detail "full", evidence_limit, graph_query or graph_context say more.' } : {}),
  };
}

function countClaims(context: OperationContext, project: TaskProject): Pick<Overview, 'claimed'> {
  const counts = new Map<string, number>();
  for (const { holder } of liveClaims(project, claimRules(context))) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  return counts.size === 0 ? {} : { claimed: Object.fromEntries([...counts].slice(0, MAX_HOLDERS)) };
}

/** Returns the open handoffs of a project as far as they fit; of a long one only how it can be read. */
function listHandoffs(context: OperationContext, project: TaskProject, characters: number): Pick<Overview, 'handoffs'> {
  const open: Task[] = [];
  for (const task of project.recent()) {
    if (task.note.isResolved || openHandoff(task.note.properties) === null) continue;
    open.push(task);
    if (open.length === MAX_HANDOFFS) break;
  }
  const rows = open.flatMap((task) => {
    const { handoff } = toHandoff(context, task);
    if (handoff === undefined) return [];
    const name = { id: task.note.id, summary: shorten(task.note.summary, 80) };
    const whole = { ...name, ...handoff };
    return [JSON.stringify(whole).length <= characters / open.length ? whole : { ...name, from: handoff.from, at: handoff.at }];
  });
  return rows.length === 0 ? {} : { handoffs: takeWhileFits(rows, characters) };
}

/** Returns what graph_next would choose, and why. */
function recommend(
  context: OperationContext,
  project: TaskProject,
  { length, done }: { readonly length: number } & Pick<Size, 'done'>,
): Pick<Overview, 'recommended_next'> {
  const rules = claimRules(context);
  for (const task of project.ranked()) {
    if (otherHolderOf(task, rules) !== null || done.has(task.note.id)) continue;
    const { id, summary, path, priority } = task.note;
    const waiting = tasksOf(context.vault)
      .dependents(path)
      .filter(({ note }) => !note.isResolved).length;
    const handoff = openHandoff(task.note.properties);
    const reasons = [
      ...(holderOf(task, rules) === null ? [] : ['yours already']),
      ...(handoff === null ? [] : [`handed over by ${handoff.from}`]),
      ...(priority === 0 ? [] : [`priority ${priority}`]),
      ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for it`]),
    ];
    return { recommended_next: { id, summary: shorten(summary, length), rationale: reasons.join(', ') || 'first in order' } };
  }
  return {};
}

const MAX_ACTIONABLE = 10;

/** Returns the first tasks that can be started; what others hold only with `isClaimedShown` (T-07). */
function firstActionable(
  context: OperationContext,
  project: TaskProject,
  { isFull, isClaimedShown, done }: { readonly isFull: boolean; readonly isClaimedShown: boolean } & Pick<Size, 'done'>,
): readonly Startable[] {
  const rules = claimRules(context);
  const first: Task[] = [];
  for (const task of project.ranked()) {
    if (done.has(task.note.id) || (!isClaimedShown && otherHolderOf(task, rules) !== null)) continue;
    first.push(task);
    if (first.length === MAX_ACTIONABLE) break;
  }
  return first.map((task) => ({
    id: task.note.id,
    summary: shorten(task.note.summary, isFull ? 500 : 80),
    properties: task.note.properties,
    ...heldByOthers(task, rules),
  }));
}
