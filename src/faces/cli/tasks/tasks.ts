import { isRecord } from '../../../config.ts';
import { graphNext } from '../../../ops/tasks/graph-next.ts';
import { graphOpen } from '../../../ops/tasks/graph-open.ts';
import { graphPlan } from '../../../ops/tasks/graph-plan.ts';
import { graphRestructure } from '../../../ops/tasks/graph-restructure.ts';
import { graphUpdate } from '../../../ops/tasks/graph-update.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, CommandOption } from '../command.ts';
import { count, listRecords, listTexts, textOf } from '../show.ts';
import { plain } from '../terminal.ts';
import { readOutline } from './plan-outline.ts';
import type { OutlineNode } from './plan-outline.ts';

/** The option that names a project. */
export const projectOption: CommandOption = {
  type: 'string',
  short: 'p',
  value: 'NAME',
  help: 'the project; not needed when there is one only',
};

/** What to work on now. */
export const next = defineCommand({
  name: 'next',
  summary: 'what to work on now',
  usage: '[vault]',
  group: 'tasks',
  arity: 0,
  options: {
    project: projectOption,
    scope: { type: 'string', value: 'REF', help: 'only below this task' },
    count: { type: 'string', short: 'n', value: 'N', help: 'how many, 1 to 100 (1)' },
    claim: { type: 'boolean', help: 'mark as yours, so that no other agent gets it' },
  },
  async run(context) {
    const { options } = context;
    const { output } = await context.run(graphNext, {
      ...pick(options, ['project', 'scope', 'count']),
      ...(options['claim'] === true ? { claim: true } : {}),
    });
    const nodes = isRecord(output) ? listRecords(output['nodes']) : [];
    if (context.isJson) context.printJson(output);
    else {
      for (const one of nodes) showWork(context, one);
      const hint = isRecord(output) ? textOf(output, 'hint') : '';
      if (hint !== '') context.note(hint);
      const held = isRecord(output) ? listRecords(output['your_claims']).map((one) => plain(textOf(one, 'summary'))) : [];
      if (held.length > 0) context.note(`You hold also: ${held.join(', ')}.`);
    }
    return nodes.length === 0 ? FINDINGS : DONE;
  },
});

/** Many tasks at once from an outline. */
export const plan = defineCommand({
  name: 'plan',
  summary: 'create tasks from a YAML or Markdown outline on standard input',
  usage: '[vault] < outline',
  group: 'tasks',
  arity: 0,
  options: { project: { ...projectOption, help: 'the project, made when it is new; default: the first heading of the outline' } },
  async run(context) {
    const outline = readOutline(await context.readInput());
    const named = context.options['project'];
    const project = typeof named === 'string' ? named : outline.project;
    const newRoot = project === null ? null : await openProject(context, project, outline.goal);
    const { output, warnings } = await planOrUndo(context, newRoot, {
      nodes: outline.nodes,
      ...(project === null ? {} : { project }),
    });
    if (context.isJson) context.printJson(output);
    else {
      const byRef = new Map(outline.nodes.map((node) => [node.ref, node]));
      const created = isRecord(output) ? listRecords(output['created']) : [];
      for (const one of created) {
        const node = byRef.get(textOf(one, 'ref'));
        if (node !== undefined) context.print(indentOf(node, byRef) + nameLine(context, { id: one['id'], summary: node.summary }));
      }
      for (const warning of warnings) context.note(`roux: ${warning}`);
      context.note(`${count(created.length, 'task')} created.`);
    }
    return DONE;
  },
});

/** A task is finished. */
export const done = defineCommand({
  name: 'done',
  summary: 'resolve a task',
  usage: '<ref> [vault]',
  group: 'tasks',
  arity: 1,
  options: {
    evidence: { type: 'string', short: 'e', value: 'TEXT', help: 'what shows it: a commit, a path, a sentence' },
    type: { type: 'string', value: 'TYPE', help: 'kind of evidence (note)' },
  },
  async run(context) {
    const { evidence, type = 'note' } = context.options;
    const added = typeof evidence === 'string' ? { add_evidence: [{ type, ref: evidence }] } : {};
    const { output, warnings } = await context.run(graphUpdate, { updates: [{ node_id: context.args[0], resolved: true, ...added }] });
    if (context.isJson) context.printJson(output);
    else {
      const freed = isRecord(output) ? listRecords(output['newly_actionable']) : [];
      if (freed.length > 0) context.print('Now possible:');
      for (const one of freed) context.print(`  ${nameLine(context, one)}`);
      for (const warning of warnings) context.note(`roux: ${warning}`);
    }
    return DONE;
  },
});

/** Opens the project of a plan; the id of its root where it was made for it. */
async function openProject(context: CommandContext, project: string, goal: string | null): Promise<string | null> {
  const { output: before } = await context.run(graphOpen, {});
  const known = isRecord(before) ? listRecords(before['projects']).map((one) => textOf(one, 'id')) : [];
  const { output } = await context.run(graphOpen, { project, ...(goal === null ? {} : { goal }) });
  const root = isRecord(output) && isRecord(output['root']) ? textOf(output['root'], 'id') : '';
  return known.includes(root) ? null : root;
}

/** Plans, and takes back the project that was made for a plan that is refused. */
async function planOrUndo(
  context: CommandContext,
  newRoot: string | null,
  args: Readonly<Record<string, unknown>>,
): ReturnType<CommandContext['run']> {
  try {
    return await context.run(graphPlan, args);
  } catch (error) {
    if (newRoot !== null) await context.run(graphRestructure, { operations: [{ op: 'delete', node_id: newRoot }] });
    throw error;
  }
}

/** Two spaces for each node of the outline above this one. */
function indentOf(node: OutlineNode, byRef: ReadonlyMap<string, OutlineNode>): string {
  let depth = 0;
  for (let above = byRef.get(node.parent_ref ?? ''); above !== undefined; above = byRef.get(above.parent_ref ?? '')) depth += 1;
  return '  '.repeat(depth);
}

function showWork(context: CommandContext, work: Readonly<Record<string, unknown>>): void {
  const { node, ancestors, context_links: links } = work;
  if (!isRecord(node)) return;
  const { print, paint } = context;
  print(nameLine(context, node));
  const way = listRecords(ancestors).map((one) => plain(textOf(one, 'summary')));
  if (way.length > 0) print(`  ${paint.dim(`in    ${way.join(' › ')}`)}`);
  const inherited = isRecord(links) ? listRecords(links['inherited']).flatMap((one) => listTexts(one['links'])) : [];
  for (const link of [...(isRecord(links) ? listTexts(links['self']) : []), ...inherited]) print(`  ${paint.dim('see  ')} ${plain(link)}`);
  for (const dependency of listRecords(work['resolved_deps'])) {
    const refs = listRecords(dependency['evidence']).map((one) => plain(textOf(one, 'ref')));
    print(`  ${paint.dim('after')} ${plain(textOf(dependency, 'summary'))}${refs.length === 0 ? '' : paint.dim(` (${refs.join('; ')})`)}`);
  }
}

/** A task on one line: what it is, then its id. */
function nameLine({ paint }: CommandContext, task: Readonly<Record<string, unknown>>): string {
  return `${paint.bold(plain(textOf(task, 'summary')))}  ${paint.dim(textOf(task, 'id'))}`;
}

function pick(options: CommandContext['options'], names: readonly string[]): Record<string, string | boolean> {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}
