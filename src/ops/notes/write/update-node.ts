import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { folderOf } from '../../../note/path.ts';
import { isTooLargeToRewrite } from '../../../vault/links/move.ts';
import type { MoveContext } from '../../../vault/links/move.ts';
import { planRename } from '../../../vault/links/rename.ts';
import type { Destination, RenameContext } from '../../../vault/links/rename.ts';
import type { FileChange, Plan } from '../../../vault/plan/plan.ts';
import { originInput } from '../../call/origin.ts';
import { checkRenames } from '../../call/guards.ts';
import { checkNodeType } from '../../vault-ontology.ts';
import { createRenameContext } from '../../links.ts';
import { defineOperation, upToDate, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { expectRevision, hasReadCurrent, hasReadWhole } from '../../read-log.ts';
import { findNote, findPeriodic, throwNoteNotFound, findNoteUnderLock } from '../../reference.ts';
import { adaptParts, partsInput, readParts } from './body-parts.ts';
import { refuseTaskArguments, withAliases } from './given-properties.ts';
import { checkDirectory } from './new-note.ts';
import { planPeriodicNote } from './periodic-note.ts';
import { followRename, withConflictDiff } from './replacement.ts';
import { answerWith } from './answer/written-note.ts';
import { encodingInput, itemsInput, itemsToRemove, propertiesChange, wholeInput } from './shapes.ts';
import type { Update } from './shapes.ts';
import { planUpdate, touchOf } from './update-plan.ts';
import type { GivenUpdate } from './update-plan.ts';
import { applyChanges } from '../../../note/edit.ts';
import { planEditedHeadings } from '../../../vault/links/edited-headings.ts';
import type { EditedHeadings } from '../../../vault/links/edited-headings.ts';

/** Updates a note; a new title renames its file and rewrites every link to it. */
export const updateNode = defineOperation({
  name: 'update_node',
  toolset: 'vault',
  title: 'Update a note',
  summary: 'Change a note: title renames, links follow; content replaces it; edits, append, prepend, section change parts.',
  effect: 'write',
  overwrites: true,
  isIdempotent: false,
  input: z.object({
    id: z.string().describe('Id, path, title or alias'),
    title: z.string().optional().describe('Renames the file'),
    directory: z.string().optional().describe('Moves it there: work/2026; "" is the top'),
    content: z.string().optional().describe('Replaces the whole body; prefer edits, append, section'),
    ...partsInput,
    tags: z.array(z.string()).optional().describe('Replaces all; for single ones use add, remove'),
    aliases: z.array(z.string()).optional().describe('Replaces all'),
    properties: propertiesChange.optional().describe('A list replaces the list, null removes the key'),
    add: itemsInput.optional().describe('List items to add: {"tags": ["x"]}'),
    remove: itemsToRemove.optional().describe('List items to remove'),
    type: z.string().min(1).max(200).optional().describe('New type'),
    origin: originInput,
    format: z.string().min(1).max(200).optional().describe('Of content: md, json, png').meta({ unlisted: true }),
    encoding: encodingInput.optional().describe('base64: binary').meta({ unlisted: true }),
    expected_rev: z.int().min(0).optional().describe('rev as read, else CONFLICT'),
    if_match: z.string().optional().describe('etag as read, else CONFLICT'),
    include_content: wholeInput,
  }),
  async run(context, { id, title, directory, expected_rev: rev, if_match: ifMatch, include_content: isWhole, ...given }) {
    const parts = readParts(given);
    const { content, tags, add, remove, type, format, encoding, origin } = given;
    const properties = withAliases(given);
    const changes = [title, directory, content, tags, properties, add, remove, type, format, encoding, origin];
    if (type !== undefined) checkNodeType(await upToDate(context), type);
    const folder = directory === undefined ? undefined : checkDirectory(directory);
    const found = await findNote(context, id);
    const told = found === null || rev === undefined || ifMatch !== undefined ? null : expectRevision(context, found.path, rev);
    const expect = expectation(rev, ifMatch);
    const update: GivenUpdate = { content, tags, properties, add, remove, type, format, encoding, origin, expect };
    refuseTaskArguments(context, found);
    if (changes.every((change) => change === undefined) && parts.length === 0) {
      throw new RouxError(
        'INVALID_PARAMS',
        'update_node: give at least one of title, directory, content, edits, append, prepend, section, tags, aliases, properties, add, remove, type, format.',
      );
    }
    const fresh = found === null ? await findPeriodic(context, id) : null;
    const { path } = found ?? fresh ?? throwNoteNotFound(context, id);
    let view: string | undefined;
    const writing = context.vault.writes.write(writeMeta(context, 'update_node'), async (graph) => {
      const entry = found === null ? graph.get(path) : await findNoteUnderLock(context, found, id);
      if (entry === null && fresh !== null && title === undefined && folder === undefined)
        return await planPeriodicNote(context, graph, fresh, { ...update, parts });
      if (entry === null && fresh !== null) {
        throw new RouxError(
          'NODE_NOT_FOUND',
          `There is no note for ${id} yet; append or content makes it, then it can be renamed or moved.`,
          { id },
        );
      }
      if (entry === null) throw new RouxError('NODE_NOT_FOUND', `${path} is gone: somebody removed it. Look for it with search.`, { id });
      await followRename(context, entry);
      // The tools that own a note check its title before its file name.
      if (title !== undefined) await checkRenames(context, graph, [titleChange(entry, title)]);
      const planned = planUpdate(context, entry, { ...update, title, parts: adaptParts(context, entry, parts) });
      const own = planned.files;
      ({ view } = planned);
      const isBodyKnown = hasReadWhole(context, entry) || (content !== undefined && isTyped(entry, { format, encoding }));
      const isCurrent = hasReadCurrent(context, entry);
      const moves = createRenameContext(context.vault, graph);
      const headings = followHeadings(context, moves, entry, own);
      const destination = getDestination(entry, title, folder);
      const { plan, to } =
        destination === null
          ? { plan: { files: [...own, ...headings.files] } satisfies Plan, to: entry.path }
          : renameWith(context, moves, entry, { destination, own, headings, expect: update.expect });
      await checkRenames(context, graph, plan.files);
      const files = plan.files.length === 0 && update.expect !== undefined ? [checkOnly(context, entry, update.expect)] : plan.files;
      return {
        ...plan,
        // Only checked: unlike an etag that the caller sends, it does not say that the caller means to replace exactly this text.
        files: told === null ? files : [...files, { kind: 'change', path: entry.path, changes: [], expect: told }],
        warnings: [...planned.warnings, ...headings.warnings, ...(plan.warnings ?? [])],
        result: { path: to, previousPath: entry.path, isBlind: planned.isBlind, isBodyKnown, isCurrent },
      };
    });
    const committed = await withConflictDiff(context, writing);
    const { path: to, previousPath: from } = committed.result;
    const isWritten = context.writeOptions.dryRun !== true && committed.isReplay !== true;
    if (isWritten && from !== undefined) context.readLog?.move(from, to);
    return answerWith(context, committed, { content, view, isWhole });
  },
});

/** Whether content is kept as another form of itself: a code block, or base64. */
function isTyped({ properties }: NoteEntry, { format, encoding }: Pick<Update, 'format' | 'encoding'>): boolean {
  return [format, encoding, properties['format'], properties['encoding']].some((each) => each !== undefined);
}

function expectation(rev: number | undefined, ifMatch: string | undefined): Update['expect'] {
  if (rev === undefined && ifMatch === undefined) return undefined;
  const etag = ifMatch
    ?.trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');
  return { ...(rev === undefined ? {} : { rev }), ...(etag === undefined || etag === '*' ? {} : { etag }) };
}

/** Returns a change that changes nothing but checks the expected state of the note. */
function checkOnly(context: OperationContext, entry: NoteEntry, expect: NonNullable<Update['expect']>): FileChange {
  return { kind: 'change', path: entry.path, changes: [touchOf(context, entry)], expect };
}

/** Returns a change of the title alone. */
function titleChange({ path }: NoteEntry, title: string): FileChange {
  return { kind: 'change', path, changes: [{ op: 'set', key: ['title'], value: title }] };
}

/** Returns the destination of a rename or move; null if the note stays in place. */
function getDestination({ path, title: before }: NoteEntry, title: string | undefined, folder: string | undefined): Destination | null {
  const isMoved = folder !== undefined && folder !== folderOf(path);
  if (title !== undefined && title !== before) return { title, ...(isMoved ? { folder } : {}) };
  return isMoved ? { folder } : null;
}

/** Plans a rename together with the note's other changes as one revision. */
function renameWith(
  context: OperationContext,
  moves: RenameContext,
  entry: NoteEntry,
  change: {
    readonly destination: Destination;
    readonly own: readonly FileChange[];
    readonly headings: FollowedHeadings;
    readonly expect: Update['expect'];
  },
): { readonly plan: Plan; readonly to: string } {
  const { destination, own, headings, expect } = change;
  const { from, to, ...plan } = planRename(moves, entry.path, destination, headings.parts === null ? {} : { parts: headings.parts });
  // A note that is too large to be written is moved as it is, and a warning says so.
  const isCounted = own.length === 0 && !isTooLargeToRewrite(moves.graph, from);
  const mine = new Set([from, to]);
  const untouched = plan.files.map((file) => {
    const isOwn = (file.kind === 'move' && mine.has(file.from)) || (file.kind === 'change' && mine.has(file.path));
    if (!isOwn || (file.kind !== 'move' && file.kind !== 'change')) return file;
    const changes = file.changes.filter((change) => change.op !== 'touch');
    return {
      ...file,
      changes: isCounted ? [...changes, touchOf(context, entry)] : changes,
      ...(expect === undefined ? {} : { expect }),
    };
  });
  // The note's own changes refer to the text before its links are rewritten.
  return { plan: { ...plan, files: [...own, ...untouched] }, to };
}

/** How an update of a note's body affects links to its headings. */
type FollowedHeadings = Pick<EditedHeadings, 'files' | 'parts' | 'warnings'>;

const NONE: FollowedHeadings = { files: [], parts: null, warnings: [] };

/**
 * Rewrites links to the one heading that an update renames, and warns about links to headings that it removes (E-19). Reads nothing if no
 * link leads into the note.
 */
function followHeadings(
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
