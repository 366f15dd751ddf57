import type { TaskProject } from '../../../graph/tasks/task.ts';
import type { OperationContext } from '../../operation.ts';
import { readContextLinks, readEvidence, valuesOf } from './shapes.ts';
import { clip } from './within-budget.ts';

/** Evidence with the node that it belongs to. */
export interface SeenEvidence {
  readonly node_id: string;
  readonly node_summary: string;
  readonly type: string;
  readonly ref: string;
  readonly agent: string;
  readonly timestamp: string;
}

const MAX_REF = 120;
const MAX_LINKS = 30;

/** The latest evidence of a project, newest first. Tasks are looked at from the latest change on, until older ones cannot matter. */
export function recentEvidence(context: OperationContext, project: TaskProject, limit: number): readonly SeenEvidence[] {
  let found: { readonly evidence: SeenEvidence; readonly ms: number }[] = [];
  for (const task of project.recent()) {
    const last = found[limit - 1];
    if (last !== undefined && task.note.updatedMs < last.ms) break;
    if (task.note.evidenceTypes.length === 0) continue;
    for (const { type, ref, agent, timestamp } of readEvidence(valuesOf(context.vault.graph, task))) {
      const evidence = {
        node_id: task.note.id,
        node_summary: clip(task.note.summary, 60),
        type,
        ref: clip(ref, MAX_REF),
        agent,
        timestamp,
      };
      found.push({ evidence, ms: Date.parse(timestamp) || 0 });
    }
    found = found.sort((a, b) => b.ms - a.ms).slice(0, limit);
  }
  return found.map(({ evidence }) => evidence);
}

/** The context links of a project, each once. */
export function collectLinks(context: OperationContext, project: TaskProject): readonly string[] {
  const links = new Set<string>();
  for (const task of project.recent()) {
    if (!task.note.hasContextLinks) continue;
    for (const link of readContextLinks(valuesOf(context.vault.graph, task))) links.add(link);
    if (links.size >= MAX_LINKS) break;
  }
  return [...links].slice(0, MAX_LINKS);
}
