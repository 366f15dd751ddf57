import * as z from 'zod';
import { linkKey, foldKey } from '../../../note/path.ts';
import type { GraphView } from '../../../graph/view.ts';
import type { Properties } from '../../../note/note.ts';
import { planCreateSideEffects } from '../../../vault/links/move.ts';
import { creationOf } from '../../../vault/plan/file-change.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { findGone, findImported, findRelinked } from '../../imports/find-imported.ts';
import { importedId, IMPORTED_KEY, readImportState } from '../../imports/import-state.ts';
import type { ImportedRow } from '../../imports/imported-row.ts';
import { createRenameContext } from '../../links.ts';
import { defineOperation, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { applyImport, composeImport } from './apply-import.ts';
import type { GivenNote } from './apply-import.ts';

/** Notes of one write. */
export const MAX_NOTES_PER_WRITE = 500;
/** The largest note that is made: roux writes no file of more than 10 MB. */
export const MAX_NOTE_BYTES = 9 * 1024 * 1024;

const noteInput = z.object({
  id: z.string().min(1),
  title: z.string().min(1),
  path: z.string().min(1),
  aliases: z.array(z.string()),
  properties: z.record(z.string(), z.unknown()),
  body: z.string(),
  source: z.string().min(1),
  /** Paths of the files that it shows. */
  files: z.array(z.string()),
});
const fileInput = z.object({
  path: z.string().min(1),
  /** A function that reads the file when it is needed (`ReadFile`). */
  read: z.unknown(),
});

const input = z.strictObject({
  from: z.string().min(1).describe('The program'),
  notes: z.array(noteInput).max(MAX_NOTES_PER_WRITE).describe('With their places'),
  files: z.array(fileInput).describe('What these notes show; copied with notes that are new or updated'),
  force: z.boolean().default(false).describe('Take what the source has where both changed, and bring back what was deleted here'),
  is_rehearsal: z.boolean().default(false).describe('Only compute what would change'),
});

/** Returns the bytes of a file of an export, or why it cannot be read, as a clause. */
export type ReadFile = () => Promise<{ readonly bytes: Buffer } | { readonly fault: string }>;

export interface ImportedNotes {
  readonly rows: readonly ImportedRow[];
  /** Paths of files that were copied. */
  readonly copied: readonly string[];
  /** Files that are not copied, and why. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
  /** What `undo` takes; null if nothing was written. */
  readonly batch: string | null;
}

/** Makes notes of what another program exported, and brings known ones up to date: all of these, or none. No file is replaced. */
export const importNotes = defineOperation({
  name: 'import_notes',
  toolset: null,
  title: 'Import notes',
  summary: 'Makes notes of an export, and brings known ones up to date.',
  effect: 'write',
  overwrites: true,
  writesByOption: true,
  isOfWholeVault: true,
  isIdempotent: true,
  input,
  async run(context, call): Promise<ImportedNotes> {
    const { vault } = context;
    await vault.refresh('changed');
    const ids = call.notes.map(({ id }) => importedId('n', { from: call.from, id })).filter((id) => findImported(vault, id) === null);
    const gone = await findGone(vault, ids);
    const plan = async (graph: GraphView) => {
      const notes = planNotes(context, { call, gone, relinked: await findRelinked(vault, changedOf(context, call)) });
      const shown = new Set(
        notes.rows.flatMap(({ change }, at) => (change === 'new' || change === 'updated' ? (call.notes[at]?.files ?? []) : [])),
      );
      const wanted = call.files.filter(({ path }) => shown.has(path));
      const files = await planFiles(context, graph, { ...call, files: wanted });
      const made = [...notes.changes, ...files.changes].flatMap((change) =>
        'path' in change && change.kind.startsWith('create') ? change.path : [],
      );
      const effects = planCreateSideEffects(createRenameContext(vault, graph), made);
      return {
        files: [...notes.changes, ...files.changes, ...effects.files],
        warnings: [...notes.warnings, ...(effects.warnings ?? [])],
        result: { rows: notes.rows, copied: files.copied, left: files.left },
      };
    };
    const meta = writeMeta(context, 'import_notes');
    const isRehearsal = call.is_rehearsal || meta.dryRun === true;
    const { result, batch, warnings } = await vault.writes.write({ ...meta, dryRun: isRehearsal }, plan);
    if (isRehearsal) return { ...result, batch: null };
    for (const warning of warnings) context.warn(warning);
    return { ...result, batch };
  },
});

type Call = z.output<typeof input>;

interface Planning {
  readonly call: Call;
  /** Why ids that no note has are not to be used for new ones. */
  readonly gone: ReadonlyMap<string, 'deleted' | 'unreadable'>;
  /** Notes in whose texts only links were rewritten. */
  readonly relinked: ReadonlySet<string>;
}

/** Returns the notes whose source changed, with the hashes of their texts at the last import. */
function changedOf({ vault }: OperationContext, call: Call) {
  return call.notes.flatMap((note) => {
    const entry = findImported(vault, importedId('n', { from: call.from, id: note.id }));
    const state = entry === null ? null : readImportState(entry.properties);
    if (entry === null || state === null || state.source === note.source || state.body === '') return [];
    return [{ id: importedId('n', { from: call.from, id: note.id }), hash: entry.hash, body: state.body }];
  });
}

function planNotes(context: OperationContext, { call, ...known }: Planning) {
  const changes: FileChange[] = [];
  const rows: ImportedRow[] = [];
  const warnings: string[] = [];
  for (const note of call.notes) {
    const given = { ...note, properties: note.properties as Properties };
    const { row, change, warning } = planNote(context, { note: given, call, ...known });
    rows.push(row);
    if (change !== null) changes.push(change);
    if (warning !== undefined) warnings.push(warning);
  }
  return { changes, rows, warnings };
}

function planNote(
  { vault }: OperationContext,
  { note, call: { from, force }, gone, relinked }: Planning & { readonly note: GivenNote },
): { readonly row: ImportedRow; readonly change: FileChange | null; readonly warning?: string } {
  const nodeId = importedId('n', { from, id: note.id });
  const entry = findImported(vault, nodeId);
  const head = { id: note.id, title: note.title, path: entry?.path ?? note.path };
  const skip = (reason: string) => ({ row: { ...head, change: 'skipped' as const, reason }, change: null });
  if (Buffer.byteLength(note.body) > MAX_NOTE_BYTES) return skip(`its text has more than ${MAX_NOTE_BYTES / 1024 ** 2} MB`);
  if (entry === null) {
    const why = gone.get(nodeId);
    if (why === 'unreadable') return skip('its note has no readable frontmatter here');
    if (why === 'deleted' && !force) return skip('it was deleted here');
    const { text, isComplete } = composeImport(from, note);
    const change: FileChange = { kind: 'create', path: note.path, text };
    const row = { ...head, change: 'new' as const };
    return isComplete
      ? { row, change }
      : { row, change, warning: `${note.path}: its properties are too many for frontmatter and stand below the text.` };
  }
  const state = readImportState(entry.properties);
  if (state === null) return skip(`its "${IMPORTED_KEY}" was removed here`);
  if (state.source === note.source) return { row: { ...head, change: 'none' }, change: null };
  const text = vault.notes.readTextUnstable(entry.path);
  if (text === null) return skip('it cannot be read at this moment');
  const { changes, fields, conflicts } = applyImport({ from, entry, text, state, isRelinked: relinked.has(nodeId) }, note, force);
  const row: ImportedRow = {
    ...head,
    change: fields.length > 0 ? 'updated' : 'none',
    ...(fields.length === 0 ? {} : { fields }),
    ...(conflicts.length === 0 ? {} : { conflicts }),
  };
  if (changes.length === 0) return { row, change: null };
  // Somebody may save it between now and the write.
  return { row, change: { kind: 'change', path: entry.path, changes: [...changes], expect: { etag: entry.hash } } };
}

async function planFiles({ vault }: OperationContext, graph: GraphView, call: Pick<Call, 'files' | 'is_rehearsal'>) {
  const changes: FileChange[] = [];
  const copied: string[] = [];
  const left: { readonly path: string; readonly reason: string }[] = [];
  for (const { path, read } of call.files) {
    const there = findFile(graph, path);
    if (call.is_rehearsal) {
      if (there === undefined) copied.push(path);
    } else {
      const content = await (read as ReadFile)();
      if ('fault' in content) {
        left.push({ path, reason: `${content.fault}; copy it by hand` });
        continue;
      }
      const { bytes } = content;
      if (there === undefined) {
        changes.push(creationOf(path, { bytes }));
        copied.push(path);
      } else if (there !== path || !Buffer.from(vault.notes.readBytes(there) ?? []).equals(bytes))
        left.push({ path, reason: 'another file has this name' });
    }
  }
  return { changes, copied, left };
}

function findFile(graph: GraphView, path: string): string | undefined {
  return graph.byKey(linkKey(path)).find((other) => foldKey(other) === foldKey(path));
}
