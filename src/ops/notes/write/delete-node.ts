import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { warnOfBrokenLinks } from '../../../vault/links/link-warnings.ts';
import { usesInCanvases } from '../../../vault/links/canvas.ts';
import { describeMissing, isGivenId, isPathLike, onlineOnlyNote } from '../../../vault/missing-note.ts';
import type { Committed, FileChange, WriteMeta } from '../../../vault/plan/plan.ts';
import { planRemoval } from '../../call/guards.ts';
import { limitWarnings } from '../../dry-run.ts';
import type { DryRun } from '../../dry-run.ts';
import { createRenameContext, planUnlink } from '../../links.ts';
import { warnOfMissingNotes } from '../../names/near-names.ts';
import { defineOperation, currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { cleanReference, findNote, findNoteUnderLock, refuseAmbiguousCopy } from '../../reference.ts';
import { shorten } from '../../shorten.ts';
import { findAttachment } from '../files/attachment.ts';

/** The result of a deletion. */
export interface Deleted {
  readonly deleted: boolean;
  /** For undo. */
  readonly batch?: string;
  readonly _warnings?: readonly string[];
}

const MAX_NAME_CHARACTERS = 200;
const NOT_DELETED: Deleted = { deleted: false };

/** Moves a note to the trash. */
export const deleteNode = defineOperation({
  name: 'delete_node',
  toolset: 'vault',
  title: 'Delete a note',
  summary: 'Move a note to the trash; _warnings names links that broke.',
  effect: 'destroy',
  isIdempotent: true,
  input: z.object({ id: z.string().describe('Id, path, title or alias') }),
  async run(context, { id }): Promise<Deleted | DryRun> {
    const meta = writeMeta(context, 'delete_node');
    const found = await findNote(context, id);
    const file = found === null ? findAttachment(context, id) : null;
    if (file !== null) return deleteFile(context, meta, file);
    if (found === null)
      return context.writeOptions.idempotencyKey === undefined ? describeNotThere(context, id) : replayAnswer(context, meta);
    const committed = await context.vault.writes.write(meta, async (graph) => {
      const entry = await findNoteUnderLock(context, found, id);
      if (entry === null) return { files: [], result: NOT_DELETED };
      refuseAmbiguousCopy(context.vault, entry, cleanReference(id));
      refuseProtected(context, entry);
      const asNode = await planRemoval(context, graph, entry);
      if (asNode !== null) return { ...asNode, result: { deleted: true } };
      const unlinked = planUnlink(context, graph, { path: entry.path, at: currentTime(context) });
      return {
        files: [{ kind: 'remove', path: entry.path, to: 'trash' }, ...unlinked],
        warnings: [
          ...warnOfBrokenLinks(graph, [entry.path], { has: (from) => isUnlinked(graph, unlinked, { from, to: entry.path }) }),
          ...warnOfCanvases(context, graph, entry.path),
        ],
        result: { deleted: true },
      };
    });
    return answerOf(context, committed);
  },
});

/** Moves an attachment to the trash. Links to it and canvases that show it remain and are reported. */
async function deleteFile(context: OperationContext, meta: WriteMeta, path: string): Promise<Deleted | DryRun> {
  const committed = await context.vault.writes.write(meta, (graph) => {
    if (!graph.isAttachment(path)) return { files: [], result: NOT_DELETED };
    return {
      files: [{ kind: 'remove', path, to: 'trash' }],
      warnings: [...warnOfBrokenLinks(graph, [path]), ...warnOfCanvases(context, graph, path)],
      result: { deleted: true },
    };
  });
  return answerOf(context, committed);
}

function warnOfCanvases({ vault }: OperationContext, graph: GraphView, path: string): readonly string[] {
  const canvases = usesInCanvases(createRenameContext(vault, graph)).get(path) ?? [];
  return [...canvases].filter((canvas) => canvas !== path).map((canvas) => `${canvas}: it shows or links ${path}, which is gone now.`);
}

function answerOf(context: OperationContext, committed: Committed<Deleted>): Deleted | DryRun {
  const warnings = limitWarnings(committed);
  const named = warnings.length === 0 ? {} : { _warnings: warnings };
  if (context.writeOptions.dryRun === true) return { dry_run: true, diff: committed.diff ?? '', ...named };
  const batch = committed.batch === null ? {} : { batch: committed.batch };
  return { ...committed.result, ...batch, ...named };
}

/** Returns whether the write removes all links from one note to another. */
function isUnlinked(
  graph: GraphView,
  unlinked: readonly FileChange[],
  { from, to }: { readonly from: string; readonly to: string },
): boolean {
  const change = unlinked.find((file) => file.kind === 'change' && file.path === from);
  const taken = change?.kind === 'change' ? change.changes.filter(({ op }) => op !== 'touch').length : 0;
  return graph.backlinks(to).filter((link) => link.from === from).length <= taken;
}

/** Returns what the history knows of a note that is not there, else the nearest names, as a warning; errors of other operations say the same. */
async function describeNotThere({ vault }: OperationContext, id: string): Promise<Deleted> {
  const name = cleanReference(id);
  const onlineOnly = onlineOnlyNote(vault, name);
  if (onlineOnly !== null) throw onlineOnly;
  const known = isGivenId(name) || isPathLike(name) ? await describeMissing(vault, name) : null;
  if (known !== null) return { ...NOT_DELETED, _warnings: [`${shorten(name, MAX_NAME_CHARACTERS)}: ${known}`] };
  const warnings: string[] = [];
  warnOfMissingNotes({ vault, warn: (message) => void warnings.push(message) }, [name]);
  return warnings.length === 0 ? NOT_DELETED : { ...NOT_DELETED, _warnings: warnings };
}

/** Returns the answer of an earlier call with this idempotency key, which may be what deleted the note. */
async function replayAnswer(context: OperationContext, meta: WriteMeta): Promise<Deleted | DryRun> {
  return answerOf(context, await context.vault.writes.write(meta, () => ({ files: [], result: NOT_DELETED })));
}

/** Throws for a note of a type that the settings keep from deletion. */
export function refuseProtected({ config }: OperationContext, { id, type }: NoteEntry): void {
  if (type === null || !config.ontology.protectedTypes.includes(type)) return;
  throw new RouxError('INVALID_ARGUMENT', `${id} is of the type "${type}", which ontology.protectedTypes keeps from deletion.`, { type });
}
