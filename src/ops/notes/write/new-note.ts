import { RouxError } from '../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import { composeNote } from '../../../note/compose.ts';
import {
  baseName,
  checkPath,
  checkTitle,
  fileNameFor,
  foldKey,
  isNamedAfter,
  isNumbered,
  isSameTitle,
  isSimilarTitle,
  joinPath,
  numberedPath,
  toNotePath,
} from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { currentTime } from '../../operation.ts';
import { isToolType } from '../../vault-ontology.ts';
import type { OperationContext } from '../../operation.ts';
import { storeContent } from '../../typed-content.ts';
import { composeWithBlock } from './content-block.ts';
import { divideProperties, takeTags } from './given-properties.ts';
import { cleanTags, listOrNothing } from './shapes.ts';
import type { GivenProperties } from './shapes.ts';

/** Where a new note of this title goes. `INVALID_PARAMS` says what is wrong with the title or the folder. */
export function newNotePath(query: {
  readonly title: string;
  readonly directory: string | undefined;
  readonly filenames: 'slug' | 'title';
}): NotePath {
  const folder = checkDirectory(query.directory ?? '');
  const problem = query.title.trim() === '' ? null : checkTitle(query.title);
  if (problem !== null) {
    throw new RouxError('INVALID_PARAMS', `title: ${JSON.stringify(query.title)} cannot be used: ${problem}. Choose another title.`, {
      field: 'title',
    });
  }
  const name = fileNameFor(query.title, query.filenames);
  const path = toNotePath(joinPath(folder, name));
  if (path === null)
    throw new RouxError('INVALID_PARAMS', `title: no file can be named after ${JSON.stringify(query.title)} in that folder.`, {
      field: 'title',
    });
  return path;
}

/** A folder of the vault as a caller names it, `''` for its root. */
export function checkDirectory(directory: string): string {
  const folder = directory.replace(/(?<!\/)\/+$/, '').normalize('NFC');
  if (folder === '' && !directory.startsWith('/')) return '';
  const problem = directory.startsWith('/') ? 'it is not relative to the vault' : checkPath(folder);
  if (problem === null) return folder;
  throw new RouxError('INVALID_PARAMS', `directory: ${JSON.stringify(directory)} cannot be used: ${problem}. Name a folder of the vault.`, {
    field: 'directory',
  });
}

/** The note at a path, or one that differs from it by case or Unicode form only. */
export function findTwin(graph: GraphView, path: NotePath): NoteEntry | null {
  const exact = graph.get(path);
  if (exact !== null) return exact;
  const found = graph.lookup(path);
  const candidates = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  return candidates.find((entry) => foldKey(entry.path) === foldKey(path)) ?? null;
}

/** Where a title leads in a folder. */
export interface Place {
  /** The path of `twin`, else a free one: a file name that another title has taken gets a number. */
  readonly path: NotePath;
  /** The note of this title that is there already, or null. */
  readonly twin: NoteEntry | null;
  /** Whether `twin` has no title but its file name, which somebody may have meant differently: it is not to be changed under this title. */
  readonly isGuess: boolean;
  /** A note in the way whose title is easily mistaken for this one, or null. */
  readonly similar: NoteEntry | null;
}

/** Finds the note of this title in a folder, or the path for a new one. Titles that differ by more than case are different notes (H-17). */
export function findPlace(
  graph: GraphView,
  query: { readonly title: string; readonly directory: string | undefined; readonly filenames: 'slug' | 'title' },
): Place {
  const first = newNotePath(query);
  let free: NotePath | null = null;
  let similar: NoteEntry | null = null;
  for (let number = 1, path: NotePath | null = first; path !== null && free === null; number += 1) {
    const twin = findTwin(graph, path);
    if (twin === null) free = path;
    else if (query.title.trim() === '' || isSameTitle(twin.title, query.title))
      return { twin, path: twin.path, isGuess: false, similar: null };
    else if (isUntitled(twin) && isNamedAfter(twin.title, query.title)) return { twin, path: twin.path, isGuess: true, similar: null };
    else if (isSimilarTitle(twin.title, query.title)) similar = twin;
    path = toNotePath(numberedPath(first, number + 1, query.filenames));
  }
  // It may have a higher number than is free by now.
  const found = graph.lookup(query.title);
  const titled = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  const later = titled.find((entry) => isNumbered(entry.path, first) && isSameTitle(entry.title, query.title));
  return later === undefined
    ? { twin: null, path: free ?? first, isGuess: false, similar }
    : { twin: later, path: later.path, isGuess: false, similar: null };
}

/** Whether a person named this note by its file alone. A note that a tool made without a title has exactly the title of its file. */
function isUntitled({ title, path, properties }: NoteEntry): boolean {
  return title === baseName(path) && properties['title'] === undefined && properties['created_by'] === undefined;
}

/** A note that a tool makes. */
export interface NewNote {
  readonly path: string;
  readonly title: string;
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly properties?: GivenProperties | undefined;
  readonly content: string;
  readonly format?: string | undefined;
  readonly encoding?: 'utf-8' | 'base64' | undefined;
}

/** The files of a new note: the note, and the file beside it that holds binary content. */
export function newNoteFiles(context: OperationContext, given: NewNote): readonly FileChange[] {
  const note = takeTags(given);
  const { path, title, format, encoding, content } = note;
  const { own, map } = divideProperties(context, { path, type: note.type ?? null, properties: note.properties ?? {} });
  const isTyped = format !== undefined || encoding !== undefined;
  const { body, attachment } = isTyped
    ? storeContent(context.vault, { content, encoding: encoding ?? 'utf-8', format: format ?? 'markdown' }, { path, title })
    : { body: content, attachment: null };
  const at = currentTime(context);
  const properties = {
    id: note.id,
    type: note.type,
    // A title of nothing but spaces names nothing: then the file name is the title.
    title: title.trim() === '' || title === baseName(path) ? undefined : title,
    tags: listOrNothing(cleanTags(note.tags ?? [])),
    rev: 1,
    ...own,
    properties: Object.keys(map).length === 0 ? undefined : map,
    created_at: at,
    updated_at: at,
    created_by: context.agent,
    format,
    encoding,
  };
  // What tools make holds its content exactly as it was given.
  const isExact = isTyped || isToolType(context, note.type ?? null);
  const text = isExact ? composeNote({ properties, body }) : composeWithBlock(context, { path, title, properties, content });
  return [{ kind: 'create', path, text }, ...(attachment === null ? [] : [attachment])];
}
