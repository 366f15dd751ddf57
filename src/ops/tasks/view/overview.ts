import { compareTasks } from '../../../graph/tasks/task-graph.ts';
import type { Task, TaskProject } from '../../../graph/tasks/task.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { newestOlderEvidence } from './evidence-notes.ts';
import { childrenOf } from './find-task.ts';
import { readContextLinks, readEvidence, valuesOf } from './shapes.ts';
import type { EvidenceShape } from './shapes.ts';

/** A task of the first two levels. */
export interface OutlineNode {
  readonly id: string;
  readonly summary: string;
  readonly resolved: boolean;
  readonly children?: readonly OutlineNode[];
  /** Present if the children are omitted. */
  readonly child_count?: number;
}

/**
 * Builds the first two levels of a project's tree within a number of characters: first the upper level, then the children of its open
 * tasks.
 */
export function outline(
  project: TaskProject,
  size: { characters: number; isFull: boolean },
): { tree: readonly OutlineNode[]; isWhole: boolean } {
  const tops = project.root === null ? topsOf(project) : childrenOf(project.root);
  const length = size.isFull ? 500 : 60;
  const shown: { task: Task; node: OutlineNode }[] = [];
  let left = size.characters - 2;
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

/** Open tasks have priority. */
function openFirst(a: Task, b: Task): number {
  return Number(a.note.isResolved) - Number(b.note.isResolved) || compareTasks(a, b);
}

function toNode(task: Task, length: number): OutlineNode {
  const { note } = task;
  const count = task.children.size;
  return { id: note.id, summary: shorten(note.summary, length), resolved: note.isResolved, ...(count === 0 ? {} : { child_count: count }) };
}

/** Evidence with its task. */
export interface SeenEvidence extends EvidenceShape {
  readonly node_id: string;
  readonly node_summary: string;
}

const MAX_REF_CHARACTERS = 120;
const MAX_LINKS = 30;

/** Returns the latest evidence of a project, newest first. Reads tasks by their latest change until older ones cannot matter. */
export function recentEvidence(context: OperationContext, project: TaskProject, limit: number): readonly SeenEvidence[] {
  let found: { readonly evidence: SeenEvidence; readonly ms: number }[] = [];
  for (const task of project.recent()) {
    const last = found[limit - 1];
    if (last !== undefined && task.note.updatedMs < last.ms) break;
    if (task.note.evidenceTypes.length === 0 && !task.note.hasOlderEvidence) continue;
    const own = readEvidence(valuesOf(context.vault.graph, task));
    const older = newestOlderEvidence(context.vault, task, limit - own.length);
    for (const { type, ref, agent, timestamp } of [...older, ...own]) {
      const evidence = {
        node_id: task.note.id,
        node_summary: shorten(task.note.summary, 60),
        type,
        ref: shorten(ref, MAX_REF_CHARACTERS),
        agent,
        timestamp,
      };
      found.push({ evidence, ms: Date.parse(timestamp) || 0 });
    }
    found = found.sort((a, b) => b.ms - a.ms).slice(0, limit);
  }
  return found.map(({ evidence }) => evidence);
}

/** Returns the distinct context links of a project. */
export function collectLinks(context: OperationContext, project: TaskProject): readonly string[] {
  const links = new Set<string>();
  for (const task of project.recent()) {
    if (!task.note.hasContextLinks) continue;
    for (const link of readContextLinks(valuesOf(context.vault.graph, task))) links.add(link);
    if (links.size >= MAX_LINKS) break;
  }
  return [...links].slice(0, MAX_LINKS);
}
