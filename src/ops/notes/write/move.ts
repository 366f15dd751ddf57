import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { fileName } from '../../../note/path.ts';
import { planFolderMove, planRename } from '../../../vault/links/rename.ts';
import type { Committed } from '../../../vault/plan/plan.ts';
import { linkContext } from '../../links.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { requireNote } from '../../reference.ts';
import { rootIn } from '../../../vault/roots.ts';
import { checkDirectory } from './new-note.ts';

/** Another folder for a note, an attachment or a folder. */
export const moveNote = defineOperation({
  name: 'move',
  toolset: null,
  title: 'Move',
  summary: 'Move a note, an attachment or (with "/" at its end) a folder into a folder; links keep leading where they led.',
  effect: 'write',
  isIdempotent: false,
  input: z.object({ id: z.string(), folder: z.string() }),
  async run(context, { id, folder }) {
    const into = folder === '/' || folder === '.' ? '' : checkDirectory(folder);
    const { from, to, committed } = id.endsWith('/') ? await moveFolder(context, id, into) : await moveFile(context, id, into);
    return { from, to, ...(committed.diff === undefined ? {} : { diff: committed.diff }), warnings: committed.warnings };
  },
});

interface Moved {
  readonly from: string;
  readonly to: string;
  readonly committed: Committed;
}

async function moveFolder(context: OperationContext, reference: string, into: string): Promise<Moved> {
  const meta = writeMeta(context, 'move');
  const from = checkDirectory(reference);
  const root = rootIn(context.vault, from);
  if (root !== null) {
    const message = `${from} cannot be moved: the setting ${root.setting} says that ${root.folder}/ is where its tools keep their notes. Stop the servers, move the folder by hand, and change ${root.setting} in .rouxrc.json.`;
    throw new RouxError('INVALID_PARAMS', message, { path: from, setting: root.setting });
  }
  const name = fileName(from);
  const to = into === '' ? name : `${into}/${name}`;
  return { from, to, committed: await context.vault.write(meta, (graph) => planFolderMove(linkContext(context.vault, graph), from, to)) };
}

async function moveFile(context: OperationContext, reference: string, into: string): Promise<Moved> {
  const meta = writeMeta(context, 'move');
  const isAttachment = context.vault.graph.isAttachment(reference);
  const from = isAttachment ? reference : (await requireNote(context, reference)).path;
  let to: string = from;
  const committed = await context.vault.write(meta, (graph) => {
    const plan = planRename(linkContext(context.vault, graph), from, { folder: into });
    to = plan.to;
    return plan;
  });
  return { from, to, committed };
}
