import type { AnswerOf } from '../../../ops/operation.ts';
import type { Answer } from '../../../ops/session.ts';
import { graphNext } from '../../../ops/tasks/graph-next.ts';
import { graphOpen } from '../../../ops/tasks/graph-open.ts';
import { graphPlan } from '../../../ops/tasks/graph-plan.ts';
import { graphRestructure } from '../../../ops/tasks/graph-restructure.ts';
import { graphUpdate } from '../../../ops/tasks/graph-update.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand, LIMIT, statusOfList } from '../operation-command.ts';
import { count, showWarnings } from '../show.ts';
import { readOutline } from './plan-outline.ts';
import type { OutlineNode, PlanOutline } from './plan-outline.ts';

/** The option that names a project. */
export const PROJECT = { short: 'p', value: 'NAME', help: 'the project; not needed when there is one only', completes: 'project' } as const;

/** `roux next`: what to work on now. */
export const next = defineOperationCommand({
  operation: graphNext,
  name: 'next',
  summary: 'what to work on now',
  group: 'tasks',
  options: {
    project: PROJECT,
    scope: { value: 'REF', help: 'only below this task' },
    count: { ...LIMIT },
    claim: { help: 'mark as yours, so that no other agent gets it' },
  },
  show({ nodes, hint, your_claims: claims = [] }, context) {
    for (const work of nodes) showWork(context, work);
    if (hint !== undefined) context.note(hint);
    const held = claims.map(({ summary }) => visibleLine(summary));
    if (held.length > 0) context.note(`You hold also: ${held.join(', ')}.`);
  },
  status: ({ nodes }) => statusOfList(nodes),
});

/** `roux plan`: creates tasks from an outline. */
export const plan = defineOperationCommand({
  operation: graphPlan,
  name: 'plan',
  summary: 'create tasks from a YAML or Markdown outline on standard input',
  usage: '< outline',
  details: [
    'An outline in Markdown: "# Project", tasks as headings from "##" on and as list entries, nested by indentation.',
    'Marks at the end of a task, in this order, each where it is wanted:',
    '',
    '  - Paint the walls (after Buy paint, ^sand) !2 ^paint',
    '',
    '  (after A, B)  what comes first: names or summaries of this outline, else ids or files of tasks that there are',
    '  !2            the priority',
    '  ^paint        a name by which other tasks of the outline mean this one',
    '',
    'Or YAML: "project", "goal" and "tasks", a list of texts or of maps with "summary" and, where they are wanted, "ref",',
    '"after", "properties", "context_links" and "children".',
  ],
  group: 'tasks',
  options: { project: { ...PROJECT, help: 'the project, made when it is new; default: the first heading of the outline' } },
  async run(context, args) {
    const { nodes, goal, ...outline } = readOutline(await context.program.readInput());
    const project = args.project ?? outline.project;
    const newRoot = project === null ? null : await openProject(context, project, goal);
    const { output, warnings } = await planOrUndo(context, newRoot, { nodes, project });
    if (context.isJson) context.printJson(output);
    else {
      const byRef = new Map(nodes.map((node) => [node.ref, node]));
      for (const { ref, id } of output.created) {
        const node = byRef.get(ref);
        if (node !== undefined) context.print(indentOf(node, byRef) + nameLine(context, { id, summary: node.summary }));
      }
      showWarnings(context, warnings);
      context.note(`${count(output.created.length, 'task')} created.`);
    }
    return DONE;
  },
});

/** `roux done`: resolves a task. */
export const done = defineOperationCommand({
  operation: graphUpdate,
  name: 'done',
  summary: 'resolve a task',
  group: 'tasks',
  positionals: [{ name: 'ref', completes: 'note', isJoined: true }],
  options: {
    evidence: { type: 'string', short: 'e', value: 'TEXT', help: 'what shows it: a commit, a path, a sentence' },
    type: { type: 'string', value: 'TYPE', help: 'kind of evidence', default: 'note' },
  },
  prepare(_, { args: [ref = ''], options: { evidence, type = 'note' } }) {
    const added = evidence === undefined ? {} : { add_evidence: [{ type, ref: evidence }] };
    return { updates: [{ node_id: ref, resolved: true, ...added }] };
  },
  show({ newly_actionable: freed = [] }, context) {
    if (freed.length > 0) context.print('Now possible:');
    for (const task of freed) context.print(`  ${nameLine(context, task)}`);
  },
});

/** Opens the project of a plan. Returns the id of its root if it was created for this plan, else null. */
async function openProject(context: CommandContext, project: string, goal: string | null): Promise<string | null> {
  const { output: before } = await context.run(graphOpen, {});
  const { output: opened } = await context.run(graphOpen, { project, goal: goal ?? undefined });
  if (!('projects' in before) || 'projects' in opened) return null;
  return before.projects.some(({ id }) => id === opened.root.id) ? null : opened.root.id;
}

/** Creates the tasks. If the plan is refused, deletes the project that was created for it. */
async function planOrUndo(
  context: CommandContext,
  newRoot: string | null,
  { nodes, project }: Pick<PlanOutline, 'nodes' | 'project'>,
): Promise<Answer<AnswerOf<typeof graphPlan>>> {
  try {
    return await context.run(graphPlan, { nodes, project: project ?? undefined });
  } catch (error) {
    if (newRoot !== null) await context.run(graphRestructure, { operations: [{ op: 'delete', node_id: newRoot }] });
    throw error;
  }
}

/** Returns two spaces for each ancestor in the outline. */
function indentOf(node: OutlineNode, byRef: ReadonlyMap<string, OutlineNode>): string {
  let depth = 0;
  for (let above = byRef.get(node.parent_ref ?? ''); above !== undefined; above = byRef.get(above.parent_ref ?? '')) depth += 1;
  return '  '.repeat(depth);
}

function showWork(context: Pick<CommandContext, 'print' | 'paint'>, work: AnswerOf<typeof graphNext>['nodes'][number]): void {
  const { node, ancestors, context_links: links, resolved_deps: dependencies, handoff } = work;
  const { print, paint } = context;
  print(nameLine(context, node));
  if (ancestors.length > 0) print(`  ${paint.dim(`in    ${ancestors.map(({ summary }) => visibleLine(summary)).join(' › ')}`)}`);
  for (const link of [...links.self, ...links.inherited.flatMap((above) => above.links)])
    print(`  ${paint.dim('see  ')} ${visibleLine(link)}`);
  for (const { summary, evidence } of dependencies) {
    const refs = evidence.map(({ ref }) => visibleLine(ref));
    print(`  ${paint.dim('after')} ${visibleLine(summary)}${refs.length === 0 ? '' : paint.dim(` (${refs.join('; ')})`)}`);
  }
  if (handoff !== undefined) showHandoff(context, handoff);
}

/** Prints what the holder before wrote. */
function showHandoff(
  { print, paint }: Pick<CommandContext, 'print' | 'paint'>,
  handoff: NonNullable<AnswerOf<typeof graphNext>['nodes'][number]['handoff']>,
): void {
  print(`  ${paint.dim('from ')} ${visibleLine(handoff.from)}`);
  const { done = [], left = [], decisions = [], pitfalls = [], evidence = [] } = handoff;
  for (const [label, lines] of Object.entries({ done, left, decided: decisions, pitfall: pitfalls, evidence }))
    for (const line of lines) print(`    ${paint.dim(`${label}:`)} ${visibleLine(line)}`);
}

/** Formats a task on one line: its summary, then its id. */
function nameLine({ paint }: Pick<CommandContext, 'paint'>, { id, summary }: { readonly id: string; readonly summary: string }): string {
  return `${paint.bold(visibleLine(summary))}  ${paint.dim(visibleLine(id))}`;
}
