import type { GraphView } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import { toNotePath } from '../../../note/path.ts';
import { warnOfBrokenLinks } from '../../../vault/links/link-warnings.ts';
import type { FileChange, Plan } from '../../../vault/plan/plan.ts';
import { planRemoval } from '../../call/guards.ts';
import { planUnlink } from '../../links.ts';
import { currentTime } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { MemoryFault } from './fault.ts';

const MAX_REMOVED = 1_000;

/** Plans the removal of files into the trash, with what goes with each of them, as if it were removed alone. */
export async function planRemovals(
  context: OperationContext,
  graph: GraphView,
  paths: readonly string[],
): Promise<Pick<Plan, 'files' | 'warnings'>> {
  if (paths.length > MAX_REMOVED)
    throw new MemoryFault(`Error: The directory has ${paths.length} files, more than ${MAX_REMOVED}. Delete parts of it first.`);
  const removed = new Set(paths);
  const changes = new Map<string, NoteChange[]>();
  const others: FileChange[] = [];
  for (const path of paths) {
    const entry = graph.get(path);
    const own = entry === null ? null : await planRemoval(context, graph, entry);
    const files = own?.files ?? (entry === null ? [] : planUnlink(context, graph, { path, at: currentTime(context) }));
    for (const file of files) {
      if (file.kind === 'remove' || !('path' in file) || removed.has(file.path)) {
        if (file.kind === 'remove') removed.add(file.path);
      } else if (file.kind === 'change') changes.set(file.path, [...(changes.get(file.path) ?? []), ...file.changes]);
      else others.push(file);
    }
  }
  const linked = [...changes].flatMap(([path, list]): FileChange[] => {
    const note = removed.has(path) ? null : toNotePath(path);
    return note === null ? [] : [{ kind: 'change', path: note, changes: list }];
  });
  return {
    files: [...[...removed].map((path): FileChange => ({ kind: 'remove', path, to: 'trash' })), ...linked, ...others],
    warnings: warnOfBrokenLinks(graph, [...removed]),
  };
}
