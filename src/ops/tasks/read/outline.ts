import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import { childrenOf } from './descent.ts';
import { clip } from './within-budget.ts';

/** A task of the first two levels. */
export interface OutlineNode {
  readonly id: string;
  readonly summary: string;
  readonly resolved: boolean;
  readonly children?: readonly OutlineNode[];
  /** Where the children are not shown. */
  readonly child_count?: number;
}

/** The first two levels of a project's tree in as many characters as there are: first the upper level, then what is open below it. */
export function outline(
  project: TaskProject,
  room: { characters: number; isFull: boolean },
): { tree: readonly OutlineNode[]; isWhole: boolean } {
  const tops = project.root === null ? topsOf(project) : childrenOf(project.root);
  const length = room.isFull ? 500 : 60;
  const shown: { task: Task; node: OutlineNode }[] = [];
  let left = room.characters - 2;
  for (const task of [...tops].sort(openFirst)) {
    const node = toNode(task, length);
    left -= JSON.stringify(node).length + 1;
    if (left < 0) break;
    shown.push({ task, node });
  }
  let isWhole = shown.length === tops.length;
  const nodes = new Map<Task, OutlineNode>();
  for (const { task, node } of shown) {
    const { child_count: _, ...bare } = node;
    const children = childrenOf(task).map((child) => toNode(child, length));
    const open = { ...bare, children };
    const cost = JSON.stringify(open).length - JSON.stringify(node).length;
    const isShown = children.length > 0 && cost <= left;
    if (isShown) left -= cost;
    if (children.length > 0 && !isShown) isWhole = false;
    nodes.set(task, isShown ? open : node);
  }
  return {
    tree: shown
      .map(({ task }) => task)
      .sort(compareTasks)
      .map((task) => nodes.get(task) ?? toNode(task, length)),
    isWhole,
  };
}

function topsOf(project: TaskProject): readonly Task[] {
  return [...project.tasks].filter((task) => task.parent === null).sort(compareTasks);
}

/** What is open is worth more room than what is done. */
function openFirst(a: Task, b: Task): number {
  return Number(a.note.isResolved) - Number(b.note.isResolved) || compareTasks(a, b);
}

function toNode(task: Task, length: number): OutlineNode {
  const { note } = task;
  const count = task.children.size;
  return { id: note.id, summary: clip(note.summary, length), resolved: note.isResolved, ...(count === 0 ? {} : { child_count: count }) };
}
