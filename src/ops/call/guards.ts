import type { GraphView, NoteEntry } from '../../graph/view.ts';
import type { FileChange, Plan, WriteMeta } from '../../vault/plan/plan.ts';
import type { OperationContext, ToolsetChecks } from '../operation.ts';

/** Throws for renames and moves that would break the notes of a toolset. Called under the write lock. */
export async function checkRenames(context: OperationContext, graph: GraphView, files: readonly FileChange[]): Promise<void> {
  const renamed = files.filter(isRename);
  // Most writes rename nothing, and need not load the toolsets.
  if (renamed.length === 0) return;
  for (const { guards } of await context.toolsets()) guards?.checkRenames?.(context, graph, renamed);
}

function isRename(file: FileChange): boolean {
  if (file.kind !== 'change') return file.kind === 'move';
  return file.changes.some(
    (change) => (change.op === 'set' || change.op === 'unset') && change.key.length === 1 && change.key[0] === 'title',
  );
}

/** Returns the check of an undo, which throws if it would remove what another agent is at work on. */
export async function undoCheck(context: OperationContext): Promise<NonNullable<WriteMeta['check']>> {
  const toolsets = await context.toolsets();
  return (files) => {
    const removed = files.flatMap(({ pathBefore, pathAfter }) => (pathBefore !== null && pathAfter === null ? [pathBefore] : []));
    if (removed.length > 0) for (const { guards } of toolsets) guards?.checkUndo?.(context, removed);
  };
}

/** Plans the removal of a note as its toolset wants it; null if the note is removed like any other. Called under the write lock. */
export async function planRemoval(context: OperationContext, graph: GraphView, entry: NoteEntry): Promise<Plan | null> {
  for (const { guards } of await context.toolsets()) {
    const plan = guards?.planRemoval?.(context, graph, entry) ?? null;
    if (plan !== null) return plan;
  }
  return null;
}

export async function loadChecks({ vault, toolsets }: Pick<OperationContext, 'vault' | 'toolsets'>): Promise<readonly ToolsetChecks[]> {
  return Promise.all((await toolsets()).flatMap((toolset) => toolset.checks?.(vault) ?? []));
}
