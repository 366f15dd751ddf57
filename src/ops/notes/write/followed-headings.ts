import type { NoteEntry } from '../../../graph/view.ts';
import { applyChanges } from '../../../note/edit.ts';
import { planEditedHeadings } from '../../../vault/links/edited-headings.ts';
import type { EditedHeadings } from '../../../vault/links/edited-headings.ts';
import type { MoveContext } from '../../../vault/links/move.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { OperationContext } from '../../operation.ts';

/** How an update of a note's body affects links to its headings. */
export type FollowedHeadings = Pick<EditedHeadings, 'files' | 'parts' | 'warnings'>;

const NONE: FollowedHeadings = { files: [], parts: null, warnings: [] };

/**
 * Rewrites links to the one heading that an update renames, and warns about links to headings that it removes (E-19). Reads nothing if no
 * link leads into the note.
 */
export function followHeadings(
  { vault }: OperationContext,
  moves: MoveContext,
  { path }: NoteEntry,
  own: readonly FileChange[],
): FollowedHeadings {
  const changes = own.flatMap((file) => (file.kind === 'change' && file.path === path ? file.changes : []));
  const isBody = changes.some(({ op }) => op === 'body' || op === 'patch');
  if (!isBody || moves.graph.backlinks(path).every(({ subpath }) => subpath === '')) return NONE;
  const before = vault.notes.readUnstable(path)?.note.text;
  if (before === undefined) return NONE;
  const after = applyChanges(path, before, changes).text;
  const { renamed, files, parts, warnings } = planEditedHeadings(moves, path, { before, after });
  const renameWarnings =
    renamed === null ? [] : [`The heading "${renamed.from}" of ${path} is "${renamed.to}" now; the links to it were rewritten.`];
  return { files, parts, warnings: [...renameWarnings, ...warnings] };
}
