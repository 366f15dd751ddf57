import { RouxError } from '../../../errors.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { warnOfBrokenLinks } from '../../../vault/links/link-warnings.ts';
import type { Plan } from '../../../vault/plan/plan.ts';
import { planUnlinkFrom, unlinkChanges } from '../../links.ts';
import type { OperationContext } from '../../operation.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import { EVIDENCE_NOTES, evidenceNotesOf, hasEvidence } from '../view/evidence-notes.ts';
import { authorOf } from './commit-draft.ts';
import { Draft } from './draft.ts';

/**
 * Moves a task and its subtree to the trash and returns their number. Edges and typed links to them are removed; links in prose stay and
 * cause a warning. Their history is retained.
 */
export function deleteTasks(context: OperationContext, draft: Draft, task: Task): number {
  const paths = draft.subtreeOf(task.note.path);
  if (task.isRoot) protectEvidence(draft, task, paths);
  const removed = new Set<string>(paths);
  removeEvidenceNotes(draft, paths, removed);
  const sources = new Set<string>();
  const inProse = new Set<string>();
  for (const path of paths) {
    const removedTask = draft.at(path);
    if (removedTask === null) continue;
    removedTask.isRemoved = true;
    removedTask.act('deleted');
    removedTask.remark('summary', null, removedTask.summary);
    for (const { from, property } of draft.graph.backlinks(path)) {
      if (removed.has(from)) continue;
      sources.add(from);
      if (property === null) inProse.add(from);
    }
  }
  for (const path of paths) {
    for (const pointing of draft.pointingTo(path)) {
      const types = new Set(pointing.edges().map((edge) => edge.type));
      for (const type of types) if (pointing.removeEdge(type, path)) pointing.act('disconnected');
    }
  }
  for (const source of [...sources].sort()) {
    const entry = draft.graph.get(source);
    if (entry === null) continue;
    const other = draft.at(source);
    if (other !== null) other.adopt(unlinkChanges(context, draft.graph, entry, removed));
    else draft.alsoChange(planUnlinkFrom(context, draft.graph, entry, { paths: removed, at: draft.author.at }));
  }
  for (const warning of warnOfBrokenLinks(draft.graph, paths)) {
    if (inProse.has(warning.slice(0, warning.indexOf(': ')))) draft.warn(warning);
  }
  return paths.length;
}

/** Removes the evidence notes that belong only to these tasks. */
function removeEvidenceNotes(draft: Draft, paths: readonly string[], removed: Set<string>): void {
  for (const path of paths) {
    for (const note of evidenceNotesOf(draft.graph, path)) {
      const isOthers = draft.graph.backlinks(note).some(({ from, property }) => property !== null && !removed.has(from));
      if (isOthers || removed.has(note)) continue;
      removed.add(note);
      draft.alsoChange({ kind: 'remove', path: note, to: 'trash' });
    }
  }
}

/** Plans the removal of a note that is a task, with its subtree; null if it is not a task. */
export function planTaskRemoval(context: OperationContext, graph: GraphView, { path }: Pick<NoteEntry, 'path'>): Plan | null {
  const tasks = tasksOf(context.vault);
  const task = tasks.get(path);
  const owners = graph.backlinks(path).map((link) => (link.property?.startsWith(EVIDENCE_NOTES) === true ? tasks.get(link.from) : null));
  const [owningTask] = owners.filter((each) => each !== null);
  if (task === null && owningTask !== undefined) {
    const message = `${path} holds evidence of "${owningTask.note.summary}", which would miss it; it goes with the task.`;
    throw new RouxError('delete_protected', message, { node_id: owningTask.note.id });
  }
  if (task === null) return null;
  const draft = new Draft(tasks, graph, authorOf(context));
  const count = deleteTasks(context, draft, task);
  const below = count > 1 ? [`"${task.note.summary}" is a task: ${count - 1} below it went into the trash too.`] : [];
  return { ...draft.toPlan(), warnings: [...below, ...draft.warnings] };
}

/** Refuses to delete a project in which work was done. */
function protectEvidence(draft: Draft, root: Task, paths: readonly string[]): void {
  const done = paths.map((path) => draft.at(path)).find((one) => one !== null && hasEvidence(one.values));
  if (done === undefined || done === null) return;
  throw new RouxError(
    'delete_protected',
    `"${root.note.summary}" is a project with evidence ("${done.summary}" has some) and is not deleted; drop it, or delete what is below it.`,
    { node_id: root.note.id },
  );
}
