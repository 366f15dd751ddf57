import { planFolderMove, planRename } from '../../../vault/links/rename.ts';
import type { Committed } from '../../../vault/plan.ts';
import { linkContext } from '../../links.ts';
import { writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { requireNote } from '../../reference.ts';
import { checkDirectory } from './new-note.ts';

/** What a move did. */
export interface Relocation {
  readonly from: string;
  readonly to: string;
  readonly committed: Committed;
}

/** Moves a note, an attachment or (with a `/` at its end) a folder into a folder; links keep leading where they led. */
export async function relocate(
  context: OperationContext,
  query: { readonly reference: string; readonly folder: string },
): Promise<Relocation> {
  const folder = query.folder === '/' || query.folder === '.' ? '' : checkDirectory(query.folder);
  const meta = writeMeta(context, 'move');
  if (query.reference.endsWith('/')) {
    const from = checkDirectory(query.reference);
    const name = from.slice(from.lastIndexOf('/') + 1);
    const to = folder === '' ? name : `${folder}/${name}`;
    return { from, to, committed: await context.vault.write(meta, (graph) => planFolderMove(linkContext(context.vault, graph), from, to)) };
  }
  const isAttachment = context.vault.graph.isAttachment(query.reference);
  const from = isAttachment ? query.reference : (await requireNote(context, query.reference)).path;
  let to: string = from;
  const committed = await context.vault.write(meta, (graph) => {
    const plan = planRename(linkContext(context.vault, graph), from, { folder });
    to = plan.to;
    return plan;
  });
  return { from, to, committed };
}
