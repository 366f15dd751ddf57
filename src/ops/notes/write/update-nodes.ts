import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { folderOf } from '../../../note/path.ts';
import { planRenames } from '../../../vault/links/renames/plan-renames.ts';
import type { RenameResult } from '../../../vault/links/renames/plan-renames.ts';
import type { FileChange, Plan } from '../../../vault/plan/plan.ts';
import { checkRenames } from '../../call/guards.ts';
import { limitWarnings } from '../../dry-run.ts';
import { createRenameContext } from '../../links.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { findNoteUnderLock, findOrDefer, requireNote } from '../../reference.ts';
import { takeWhileFits } from '../../shorten.ts';
import { checkNodeType } from '../../vault-ontology.ts';
import { notesOf, warnOfUnknownFilter } from '../read/list-nodes.ts';
import { refuseTaskArguments } from './given-properties.ts';
import { checkDirectory } from './new-note.ts';
import { itemsInput, itemsToRemove, propertiesChange } from './shapes.ts';
import { planUpdate } from './update-plan.ts';
import type { GivenUpdate } from './update-plan.ts';

/** Maximum number of notes in one call. */
const MAX_NOTES = 1_000;
/** Maximum characters of the list of changed notes in an answer. */
const MAX_LISTED_CHARACTERS = 8_000;

/** The result of `update_nodes`. */
export interface UpdatedNotes {
  /** Notes that were changed or moved. */
  readonly changed: number;
  /** Notes that were as they should be already. */
  readonly unchanged: number;
  /** Paths of the changed notes after the call. */
  readonly notes: readonly string[];
  readonly notes_omitted?: number;
  /** Number of other files whose links followed. */
  readonly links_rewritten_in: number;
  /** For undo; null if nothing was written. */
  readonly batch: string | null;
  readonly _warnings?: readonly string[];
}

/** Changes properties, list items and folders of many notes as one write. */
export const updateNodes = defineOperation({
  name: 'update_nodes',
  toolset: 'vault',
  title: 'Update many notes',
  summary: 'Change properties, list items or folder of many notes, all or none, by ids, where, path or tag.',
  effect: 'write',
  overwrites: true,
  isIdempotent: true,
  input: z.object({
    ids: z.array(z.string()).min(1).max(MAX_NOTES).optional().describe('Ids, paths, titles or aliases'),
    where: z.string().optional().describe('As in list_nodes: status == "open"'),
    path: z.string().optional().describe('Only in this folder'),
    tag: z.string().optional().describe('a finds a/b too'),
    add: itemsInput.optional().describe('List items to add: {"tags": ["x"]}'),
    remove: itemsToRemove.optional().describe('List items to remove'),
    properties: propertiesChange.optional().describe('A list replaces the list, null removes the key'),
    type: z.string().min(1).max(200).optional().describe('New type'),
    directory: z.string().optional().describe('Moves them there'),
  }),
  async run(context, { ids, where, path, tag, directory, ...update }) {
    refuseTaskArguments(context, null);
    const isSelected = where !== undefined || path !== undefined || tag !== undefined;
    if (isSelected === (ids !== undefined)) {
      throw new RouxError('INVALID_PARAMS', 'update_nodes: name the notes either by ids, or by where, path or tag.', { field: 'ids' });
    }
    if (directory === undefined && Object.values(update).every((change) => change === undefined)) {
      throw new RouxError('INVALID_PARAMS', 'update_nodes: give at least one of add, remove, properties, type, directory.');
    }
    const folder = directory === undefined ? null : checkDirectory(directory);
    await context.vault.refresh('changed');
    if (update.type !== undefined) checkNodeType(context, update.type);
    warnOfUnknownFilter(context, { path, tag });
    const named = ids === undefined ? null : await findOrDefer(context, () => findAll(context, ids));
    const committed = await context.vault.writes.write(writeMeta(context, 'update_nodes'), async (graph) => {
      const entries = named === null ? await select(context, graph, { where, path, tag }) : await findAllUnderLock(context, named());
      return planAll(context, graph, entries, { update, folder });
    });
    const { changed, moved, paths, total } = committed.result;
    if (committed.isReplay !== true) for (const { from, to } of moved) context.readLog?.move(from, to);
    const written = new Set([...paths, ...moved.map(({ from }) => from)]);
    const notes = takeWhileFits(paths, MAX_LISTED_CHARACTERS);
    const warnings = limitWarnings(committed);
    return {
      changed,
      unchanged: total - changed,
      notes,
      ...(notes.length < paths.length ? { notes_omitted: paths.length - notes.length } : {}),
      links_rewritten_in: committed.files.filter(({ path: file, changed: isChanged }) => isChanged && !written.has(file)).length,
      batch: committed.batch,
      ...(warnings.length === 0 ? {} : { _warnings: warnings }),
    } satisfies UpdatedNotes;
  },
});

interface NamedNote {
  readonly id: string;
  readonly entry: NoteEntry;
}

async function findAll(context: OperationContext, ids: readonly string[]): Promise<readonly NamedNote[]> {
  const found: NamedNote[] = [];
  for (const id of ids) found.push({ id, entry: await requireNote(context, id) });
  return found;
}

/** Looks the notes up again: they may have been renamed since. A note that is named twice is changed once. */
async function findAllUnderLock(context: OperationContext, named: readonly NamedNote[]): Promise<readonly NoteEntry[]> {
  const found = new Map<string, NoteEntry>();
  for (const { id, entry } of named) {
    const now = await findNoteUnderLock(context, entry, id);
    if (now === null) throw new RouxError('NODE_NOT_FOUND', `${entry.path} is gone: somebody removed it. Nothing was changed.`, { id });
    found.set(now.path, now);
  }
  return [...found.values()];
}

interface Selector {
  readonly where: string | undefined;
  readonly path: string | undefined;
  readonly tag: string | undefined;
}

async function select(context: OperationContext, graph: GraphView, { where, path, tag }: Selector): Promise<readonly NoteEntry[]> {
  const among = notesOf(graph, { path, tag, orphans: false });
  // Loaded lazily: most sessions run no query.
  const chosen = where === undefined ? among : (await import('../query/select-notes.ts')).selectNotes(context, where, among);
  if (chosen.length <= MAX_NOTES) return chosen;
  const message = `update_nodes: that fits ${chosen.length} notes, and at most ${MAX_NOTES} are changed in one call. Narrow it down by path or tag.`;
  throw new RouxError('INVALID_PARAMS', message, { notes: chosen.length });
}

/** Plans all changes; the moves as one step, so that links between moved notes follow too. */
async function planAll(
  context: OperationContext,
  graph: GraphView,
  entries: readonly NoteEntry[],
  { update, folder }: { readonly update: GivenUpdate; readonly folder: string | null },
): Promise<
  Plan & {
    readonly result: {
      readonly changed: number;
      readonly total: number;
      readonly paths: readonly string[];
      readonly moved: readonly RenameResult[];
    };
  }
> {
  const own: FileChange[] = [];
  const warnings: string[] = [];
  const changed = new Map<string, string>();
  for (const entry of entries) {
    const planned = planUpdate(context, entry, { ...update, isOfMany: entries.length > 1 });
    own.push(...planned.files);
    warnings.push(...planned.warnings);
    if (planned.files.length > 0) changed.set(entry.path, entry.path);
  }
  const moved = folder === null ? [] : entries.filter(({ path }) => folderOf(path) !== folder);
  const changes = moved.map(({ path }) => ({ kind: 'file' as const, from: path, to: { folder: folder ?? '' } }));
  const { renamed, ...moves } =
    changes.length === 0 ? { renamed: [], files: [] } : planRenames(createRenameContext(context.vault, graph), changes);
  for (const { from, to } of renamed) changed.set(from, to);
  // A note's own changes refer to the text before its links are rewritten.
  const files = [...own, ...moves.files];
  await checkRenames(context, graph, files);
  return {
    ...moves,
    files,
    warnings: [...warnings, ...(moves.warnings ?? [])],
    result: { changed: changed.size, total: entries.length, paths: [...changed.values()], moved: renamed },
  };
}
