import type { AnswerOf, ArgumentsOf } from '../../../ops/operation.ts';
import { graphQuery } from '../../../ops/tasks/graph-query.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand, statusOfList } from '../operation-command.ts';
import { count } from '../show.ts';
import { clipStartToWidth, clipToWidth, widthOf } from '../terminal.ts';
import { PROJECT } from './tasks.ts';

/** Minimum widths, in columns, at which a summary or a reason is still useful. */
const MIN_SUMMARY_COLUMNS = 20;
const MIN_REASON_COLUMNS = 12;

interface TreeNode {
  readonly id: string;
  readonly summary: string;
  readonly parent: string | null;
  readonly state: 'done' | 'ready' | 'blocked' | 'open';
  readonly claimedBy: string | null;
  /** Why it was blocked by hand; null if it was not. */
  readonly reason: string | null;
  /** The number of its children that are done, and of all of them. */
  readonly done: number;
  readonly total: number;
}

/** The narrowest terminal, in columns, on which ids are shown. */
const MIN_COLUMNS_WITH_IDS = 72;

/** `roux tree`: the tasks of a project as a tree. */
export const tree = defineOperationCommand({
  operation: graphQuery,
  name: 'tree',
  summary: 'the tasks of a project as a tree: ✓ done, ● ready, ✗ blocked, ○ waits for its children',
  group: 'tasks',
  options: {
    project: PROJECT,
    open: { type: 'boolean', help: 'leave out what is done and has nothing open below it' },
  },
  async run(context, { project }) {
    const all = await readNodes(context, project);
    const nodes = context.options.open === true ? keepOpen(all) : all;
    if (context.isJson) context.printJson(nodes);
    else {
      const byParent = group(nodes);
      const hasIds = context.columns === null || context.columns >= MIN_COLUMNS_WITH_IDS;
      for (const top of byParent.get('') ?? []) show(context, { top, byParent, hasIds });
      if (!hasIds && nodes.length > 0) context.note(context.paint.dim('Too narrow for ids; --json has them.'));
    }
    return statusOfList(nodes);
  },
});

/** Returns the tasks that are not done, and their ancestors. */
function keepOpen(nodes: readonly TreeNode[]): readonly TreeNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const kept = new Set<TreeNode>();
  for (const node of nodes) {
    if (node.state === 'done') continue;
    for (let one: TreeNode | undefined = node; one !== undefined && !kept.has(one); one = byId.get(one.parent ?? '')) kept.add(one);
  }
  return nodes.filter((node) => kept.has(node));
}

type Row = AnswerOf<typeof graphQuery>['nodes'][number];

/** Reads all tasks of the project, oldest first. */
async function readNodes(context: CommandContext, project: string | undefined): Promise<readonly TreeNode[]> {
  const ready = new Set((await readAll(context, { project, filter: { is_actionable: true } })).map(({ id }) => id));
  const blocked = new Set((await readAll(context, { project, filter: { is_blocked: true } })).map(({ id }) => id));
  const rows = await readAll(context, { project });
  const below = new Map<string, { done: number; total: number }>();
  for (const { parent = '', resolved } of rows) {
    const counts = below.get(parent) ?? { done: 0, total: 0 };
    counts.total += 1;
    if (resolved) counts.done += 1;
    below.set(parent, counts);
  }
  return rows.map(({ id, summary, parent, resolved, properties, blocked_reason: reason }) => {
    const state = resolved ? 'done' : ready.has(id) ? 'ready' : blocked.has(id) ? 'blocked' : 'open';
    const holder = properties['_claimed_by'];
    return {
      id,
      summary,
      parent: parent ?? null,
      state,
      claimedBy: state !== 'done' && typeof holder === 'string' && holder !== '' ? holder : null,
      reason: reason === undefined || reason === '' ? null : reason,
      ...(below.get(id) ?? { done: 0, total: 0 }),
    };
  });
}

async function readAll(context: CommandContext, query: ArgumentsOf<(typeof graphQuery)['input']>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const { output: page } = await context.run(graphQuery, { ...query, sort: 'created', limit: 100, cursor });
    rows.push(...page.nodes);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return rows;
}

function group(nodes: readonly TreeNode[]): ReadonlyMap<string, readonly TreeNode[]> {
  const byParent = new Map<string, TreeNode[]>();
  for (const node of nodes) {
    const siblings = byParent.get(node.parent ?? '');
    if (siblings === undefined) byParent.set(node.parent ?? '', [node]);
    else siblings.push(node);
  }
  return byParent;
}

/** Below this depth only the number of tasks is shown, since the structure would not be readable. */
const MAX_DEPTH = 50;

/** Prints a task and its descendants. Iterative, since a tree made by hand can be very deep. */
function show(
  context: CommandContext,
  { top, byParent, hasIds }: { top: TreeNode; byParent: ReadonlyMap<string, readonly TreeNode[]>; hasIds: boolean },
): void {
  const { columns } = context;
  const pending: { node: TreeNode; lead: string; branch: string; level: number }[] = [{ node: top, lead: '', branch: '', level: 0 }];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const { node, lead, branch, level } = one;
    // If the branches would take too much of the line, only the innermost ones are shown.
    const shownLead = columns === null ? lead + branch : clipStartToWidth(lead + branch, Math.max(columns - MIN_SUMMARY_COLUMNS - 4, 4));
    context.print(`${context.paint.dim(shownLead)}${line(context, node, { indent: widthOf(shownLead), hasIds })}`);
    const below = lead + (branch === '' ? '' : branch === '└─ ' ? '   ' : '│  ');
    const children = byParent.get(node.id) ?? [];
    if (level === MAX_DEPTH && children.length > 0) {
      const text = `└─ … ${count(countBelow(node, byParent), 'task')} further down`;
      context.print(context.paint.dim(columns === null ? below + text : clipStartToWidth(below + text, columns)));
      continue;
    }
    for (const [index, child] of [...children].reverse().entries())
      pending.push({ node: child, lead: below, branch: index === 0 ? '└─ ' : '├─ ', level: level + 1 });
  }
}

function countBelow(top: TreeNode, byParent: ReadonlyMap<string, readonly TreeNode[]>): number {
  let found = 0;
  const pending = [top.id];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    for (const child of byParent.get(id) ?? []) {
      found += 1;
      pending.push(child.id);
    }
  }
  return found;
}

/** Formats a task on one line, with the summary and the reason truncated to the terminal's width. */
function line({ paint, columns }: CommandContext, node: TreeNode, { indent, hasIds }: { indent: number; hasIds: boolean }): string {
  const { id, state, claimedBy, reason, done, total } = node;
  const mark = { done: paint.green('✓'), ready: paint.cyan('●'), blocked: paint.red('✗'), open: '○' }[state];
  const progress = total === 0 ? '' : ` ${done}/${total}`;
  const shownId = hasIds ? `  ${visibleLine(id)}` : '';
  const all = columns === null ? Number.POSITIVE_INFINITY : columns - indent - 2 - widthOf(shownId + progress);
  const claim = claimedBy === null ? '' : `  @${clipToWidth(visibleLine(claimedBy), Math.max(all - MIN_SUMMARY_COLUMNS - 3, 1))}`;
  const left = all - widthOf(claim);
  const summary = clipToWidth(visibleLine(node.summary), Math.max(left, MIN_REASON_COLUMNS));
  const rest = left - widthOf(summary);
  const why = reason === null || state === 'done' || rest < MIN_REASON_COLUMNS ? '' : ` (${clipToWidth(visibleLine(reason), rest - 3)})`;
  const text = state === 'done' ? paint.dim(summary) : state === 'ready' ? paint.bold(summary) : summary;
  return `${mark} ${text}${paint.dim(progress)}${paint.red(why)}${paint.yellow(claim)}${paint.dim(shownId)}`;
}
