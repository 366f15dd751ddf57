import { RouxError } from '../../../errors.ts';
import type { GraphView } from '../../../graph/view.ts';
import { editProperties } from '../../../note/frontmatter/property-edit.ts';
import { baseName } from '../../../note/path.ts';
import type { PeriodicNote } from '../../../vault/obsidian/periodic-notes.ts';
import { planCreateSideEffects } from '../../../vault/links/move.ts';
import type { Plan } from '../../../vault/plan/plan.ts';
import { createRenameContext } from '../../links.ts';
import type { OperationContext } from '../../operation.ts';
import { planNewNote, readTemplate } from './from-template.ts';
import type { PlannedNote } from './answer/written-note.ts';
import type { GivenUpdate } from './update-plan.ts';

/**
 * Plans a missing note of a day, week or month: the text of its template, as Obsidian creates it, with the given update applied (E-24). A
 * missing template causes a warning, and the note starts empty.
 */
export async function planPeriodicNote(
  context: OperationContext,
  graph: GraphView,
  note: PeriodicNote,
  update: GivenUpdate,
): Promise<Plan & { readonly result: PlannedNote }> {
  const { path, template, start } = note;
  if (update.expect !== undefined) throw new RouxError('NODE_NOT_FOUND', `${path} is not there yet: it has no rev and no etag.`, { path });
  const filled = template === null ? '' : await readTemplate(context, template, { title: baseName(path), date: start });
  const id = context.config.ids === 'always' ? `n_${context.vault.ports.newId()}` : null;
  const text = id === null ? (filled ?? '') : editProperties(path, filled ?? '', [{ op: 'set', key: ['id'], value: id }]);
  const files = planNewNote(context, { path, text, update });
  const effects = planCreateSideEffects(createRenameContext(context.vault, graph), [path]);
  const missing =
    filled === null ? [`The template ${JSON.stringify(template)} of ${path} is not there; the note was made without it.`] : [];
  return { files: [...files, ...effects.files], warnings: [...missing, ...(effects.warnings ?? [])], result: { path } };
}
