import { RouxError } from '../../../errors.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { headingKey } from '../../../note/body/heading-path.ts';
import { sectionNameOf } from '../../../note/body/section.ts';
import type { Destination } from '../../../vault/links/rename.ts';
import type { RenameChange } from '../../../vault/links/renames/plan-renames.ts';
import { cleanTag } from '../../../vault/links/renames/tag-rename.ts';
import { rootIn } from '../../../vault/roots.ts';
import { hasToolSections } from '../../vault-ontology.ts';
import { nearestFolders, nearestIn, nearestNotes, nearestTags } from '../../names/near-names.ts';
import type { OperationContext } from '../../operation.ts';
import { cleanReference, findGhost, findNote, findNoteUnderLock, requireNote, splitPart } from '../../reference.ts';
import type { Ghost } from '../../reference.ts';
import { attachmentsNamed } from '../files/attachment.ts';
import { checkDirectory } from '../write/new-note.ts';

/** One change as given by the caller. */
export interface GivenChange {
  readonly from: string;
  readonly to: string;
}

/** Links to a missing name that are to lead to a note or attachment. */
export interface Retarget {
  readonly kind: 'missing';
  readonly from: string;
  readonly to: string;
}

/** Resolves a change to files. It is called again under the write lock, since the files may have been renamed meanwhile. */
export type FoundChange = () => Promise<RenameChange | Retarget>;

const MAX_LISTED = 10;

/**
 * Resolves what a change names: `#tag`, `folder/`, `Note#Heading`, `Note#^block`, an attachment by path or name, else a note. Throws
 * `NODE_NOT_FOUND`, `AMBIGUOUS` or `INVALID_PARAMS`.
 */
export async function findChange(context: OperationContext, { from, to }: GivenChange): Promise<FoundChange> {
  if (from.startsWith('#')) {
    const change: RenameChange = { kind: 'tag', from: checkTagName(context, cleanTag(from)), to: cleanTag(to) };
    return () => Promise.resolve(change);
  }
  if (from.endsWith('/')) {
    const change = findFolder(context, { from, to });
    return () => Promise.resolve(change);
  }
  const { graph } = context.vault;
  const wanted = cleanReference(from);
  if (graph.isAttachment(wanted)) return toFile(wanted, to);
  const found = graph.lookup(wanted);
  // Links do not resolve by alias: they are what is left to change where the note has the new name already.
  const isLinksOnly =
    found.kind === 'missing' || (found.kind === 'found' && [found.entry.title, found.entry.path].includes(cleanReference(to)));
  const missing = isLinksOnly && attachmentsNamed(context, wanted).length === 0 ? findGhost(graph, wanted) : null;
  if (missing !== null) return await findRetarget(context, missing, to);
  const { note, part } = splitPart(graph, wanted);
  if (part === '') return await findFile(context, { from: wanted, to });
  return await findPart(context, { from: wanted, to }, note.length);
}

/** Returns the tag. Throws `NODE_NOT_FOUND` for one that no note has, if there are near ones. */
function checkTagName({ vault }: OperationContext, tag: string): string {
  if (vault.graph.facets.byTag(tag, { includeHidden: true }).length > 0) return tag;
  const { text, details } = nearestIn(nearestTags(vault, tag));
  if (text === '') return tag;
  throw new RouxError('NODE_NOT_FOUND', `No note has the tag #${tag}.${text}`, { tag, ...details });
}

/** Throws `NODE_NOT_FOUND` for a folder without files, if there are near ones. */
function checkFolderName({ vault }: OperationContext, folder: string): void {
  const { text, details } = nearestIn(nearestFolders(vault, folder));
  if (text !== '')
    throw new RouxError('NODE_NOT_FOUND', `There is no folder ${folder} with files in it.${text}`, { path: folder, ...details });
}

/** Finds the file that the links to a missing name are to lead to. */
async function findRetarget(context: OperationContext, { linkpath }: Ghost, to: string): Promise<FoundChange> {
  const [file] = attachmentsNamed(context, cleanReference(to));
  const found = file === undefined ? await findNote(context, to) : null;
  if (file !== undefined) return () => Promise.resolve({ kind: 'missing', from: linkpath, to: file });
  if (found === null) {
    const { text, details } = nearestIn(nearestNotes(context.vault, to));
    const message = `No note is called "${linkpath}", only links name it, so "to" has to be a note that exists, to which they will lead; "${to}" is none.${text} create_node makes one.`;
    throw new RouxError('NODE_NOT_FOUND', message, { id: to, ...details });
  }
  return async () => ({ kind: 'missing', from: linkpath, to: (await findUnderLock(context, found, to)).path });
}

function findFolder(context: OperationContext, { from, to }: GivenChange): RenameChange {
  const folder = checkDirectory(from);
  const root = rootIn(context.vault, folder);
  if (root === null) {
    checkFolderName(context, folder);
    return { kind: 'folder', from: folder, to: checkDirectory(to) };
  }
  const message = `${folder} cannot be moved: the setting ${root.setting} says that ${root.folder}/ is where its tools keep their notes. Stop the servers, move the folder by hand, and change ${root.setting} in .rouxrc.json.`;
  throw new RouxError('INVALID_PARAMS', message, { path: folder, setting: root.setting });
}

async function findFile(context: OperationContext, { from, to }: GivenChange): Promise<FoundChange> {
  const { graph } = context.vault;
  const isNote = graph.lookup(from).kind !== 'missing';
  const files = attachmentsNamed(context, from);
  const [file] = files;
  if (files.length > 1 || (file !== undefined && isNote && !isExactly(context, from))) {
    const paths = [...files, ...(isNote ? [`the note "${from}"`] : [])].slice(0, MAX_LISTED).join(', ');
    throw new RouxError('AMBIGUOUS', `"${from}" fits ${paths}; name the one that you mean by its path.`, { candidates: files });
  }
  if (file !== undefined && !isNote) return toFile(file, to);
  const found = await findNoteNamed(context, from);
  if (typeof found === 'string') return toFile(found, to);
  const destination = parseDestination(to, (title) => ({ title }));
  return async () => ({ kind: 'file', from: (await findUnderLock(context, found, from)).path, to: destination });
}

/** Returns a note, or the path of an attachment that the index only just noticed. */
async function findNoteNamed(context: OperationContext, reference: string): Promise<NoteEntry | string> {
  try {
    return await requireNote(context, reference);
  } catch (error) {
    if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND') throw error;
    const [file] = attachmentsNamed(context, reference);
    if (file !== undefined) return file;
    const isFolder = !context.vault.graph.entries({ under: reference, includeHidden: true }).next().done;
    if (!isFolder) throw error;
    const message = `There is no note "${reference}", but a folder: name it "${reference}/" to rename the folder.`;
    throw new RouxError('NODE_NOT_FOUND', message, { id: reference }, { cause: error });
  }
}

function isExactly({ vault }: OperationContext, reference: string): boolean {
  return vault.graph.get(reference) !== null || vault.graph.get(`${reference}.md`) !== null;
}

function toFile(from: string, to: string): FoundChange {
  const destination = parseDestination(to, (name) => ({ name }));
  return () => Promise.resolve({ kind: 'file', from, to: destination });
}

/** Parses a destination: `folder/` keeps the file name, a path sets both (`./name` is in the root), anything else sets the name. */
function parseDestination(to: string, named: (name: string) => Destination): Destination {
  const place = to.trim();
  if (place === '/') return { folder: '' };
  if (place.startsWith('/')) {
    throw new RouxError('INVALID_PARAMS', `The path "${to}" cannot be used: it is not relative to the vault. Leave the first slash out.`);
  }
  if (place.endsWith('/')) return { folder: checkDirectory(place) };
  return place.includes('/') || /\.md$/i.test(place) ? { path: place.replace(/^\.\//, '') } : named(to);
}

async function findPart(context: OperationContext, { from, to }: GivenChange, hash: number): Promise<FoundChange> {
  const [reference, part] = [from.slice(0, hash), from.slice(hash)];
  const found = await requireNote(context, reference);
  checkHeading(context, found, part);
  const above = from.slice(0, from.lastIndexOf('#') + 1);
  const name = to.startsWith(above) ? to.slice(above.length) : to.replace(/^#(?=[^#\s])/, '');
  return async () => ({ kind: 'part', path: (await findUnderLock(context, found, reference)).path, from: part, to: name });
}

/** The memory and ontology tools find their items by these headings. */
function checkHeading(context: OperationContext, entry: NoteEntry, part: string): void {
  const name = part.startsWith('#^') ? null : sectionNameOf(headingKey(part.slice(part.lastIndexOf('#'))));
  if (name === null || !hasToolSections(context, entry)) return;
  throw new RouxError(
    'INVALID_PARAMS',
    `The heading ${name} of ${entry.path} cannot be renamed: the memory and ontology tools find by it what stands below it. Rename the note, or another heading.`,
    { path: entry.path, heading: name },
  );
}

async function findUnderLock(context: OperationContext, found: NoteEntry, reference: string): Promise<NoteEntry> {
  const entry = await findNoteUnderLock(context, found, reference);
  if (entry !== null) return entry;
  throw new RouxError('NODE_NOT_FOUND', `${found.path} is gone: somebody removed it. Look for it with search.`, { id: reference });
}
