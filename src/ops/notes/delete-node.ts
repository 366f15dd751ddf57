import { z } from 'zod';
import { RouxError } from '../../errors.ts';
import { removeWarnings } from '../../vault/move.ts';
import { defineOperation } from '../operation.ts';
import { findNote } from '../reference.ts';
import { planUnlink } from '../unlink.ts';
import { timeOf, writeMeta } from '../write-meta.ts';

/** Puts a note into the trash. */
export const deleteNode = defineOperation({
  name: 'delete_node',
  toolset: 'vault',
  title: 'Delete a note',
  summary: 'Move a note to the trash; _warnings names links that broke.',
  effect: 'destroy',
  isIdempotent: true,
  input: z.object({ id: z.string() }),
  async run(context, { id }) {
    const found = await findNote(context, id);
    const meta = writeMeta(context, 'delete_node');
    if (found === null) return { deleted: false };
    if (found.type !== null && context.config.ontology.protectedTypes.includes(found.type)) {
      throw new RouxError(
        'INVALID_ARGUMENT',
        `${found.id} is of the type "${found.type}", which ontology.protectedTypes keeps from deletion.`,
        {
          type: found.type,
        },
      );
    }
    const committed = await context.vault.write(meta, (graph) => {
      if (graph.get(found.path) === null) return { files: [], result: { deleted: false } };
      const unlinked = planUnlink(context, graph, { path: found.path, at: timeOf(context) });
      return {
        files: [{ kind: 'remove', path: found.path, to: 'trash' }, ...unlinked],
        warnings: removeWarnings(graph, [found.path]),
        result: { deleted: true },
      };
    });
    const warnings = committed.warnings.length === 0 ? {} : { _warnings: committed.warnings };
    if (context.isDryRun === true) return { dry_run: true, diff: committed.diff ?? '', ...warnings };
    return { ...(committed.result as { readonly deleted: boolean }), ...warnings };
  },
});
