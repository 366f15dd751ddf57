import { RouxError } from '../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import { composeNote } from '../../../note/compose.ts';
import { applyChanges } from '../../../note/edit.ts';
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
  needsSafeName,
  numberedPath,
  toNotePath,
} from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import type { Origin } from '../../../note/origin.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import { ORIGIN, originToWrite, statedOrigin } from '../../call/origin.ts';
import { currentTime } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { isToolType } from '../../vault-ontology.ts';
import { storeContent } from '../../typed-content.ts';
import { composeWithBlock } from './content-block.ts';
import { divideProperties, separateTags } from './given-properties.ts';
import { cleanTags, listOrNothing } from './shapes.ts';
import type { GivenProperties } from './shapes.ts';

/** Returns the path of a new note with this title. Throws `INVALID_PARAMS` for an invalid title or folder. */
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

/** Validates and normalizes a folder of the vault; `''` is its root. Clients on Windows write `a\\b`, which no folder can be named. */
export function checkDirectory(given: string): string {
  const directory = given.replaceAll('\\', '/');
  const folder = directory.replace(/(?<!\/)\/+$/, '').normalize('NFC');
  if (folder === '' && !directory.startsWith('/')) return '';
  const problem = directory.startsWith('/') ? 'it is not relative to the vault' : checkPath(folder);
  if (problem === null) return folder;
  throw new RouxError('INVALID_PARAMS', `directory: ${JSON.stringify(directory)} cannot be used: ${problem}. Name a folder of the vault.`, {
    field: 'directory',
  });
}

/** Finds the note at a path, or one whose path differs only by case or Unicode form. */
export function findAtSamePath(graph: GraphView, path: NotePath): NoteEntry | null {
  const exact = graph.get(path);
  if (exact !== null) return exact;
  const found = graph.lookup(path);
  const candidates = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  return candidates.find((entry) => foldKey(entry.path) === foldKey(path)) ?? null;
}

/** Where a title leads in a folder. */
export interface Place {
  /** The path of `existing`, else a free one: a file name taken by another title gets a number. */
  readonly path: NotePath;
  /** The note that already has this title, or null. */
  readonly existing: NoteEntry | null;
  /** Whether `existing` has only its file name as a title, so it may be meant differently and must not be updated under this title. */
  readonly isGuess: boolean;
  /** A note at the default path with an easily confused title, or null. */
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
    const existing = findAtSamePath(graph, path);
    if (existing === null) free = path;
    else if (query.title.trim() === '' || isSameTitle(existing.title, query.title))
      return { existing, path: existing.path, isGuess: false, similar: null };
    else if (isUntitled(existing) && isNamedAfter(existing.title, query.title))
      return { existing, path: existing.path, isGuess: true, similar: null };
    else if (isSimilarTitle(existing.title, query.title)) similar = existing;
    path = toNotePath(numberedPath(first, number + 1, query.filenames));
  }
  // Its number may be higher than the first free one.
  const found = graph.lookup(query.title);
  const sameTitled = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
  const later = sameTitled.find((entry) => isNumbered(entry.path, first) && isSameTitle(entry.title, query.title));
  return later === undefined
    ? { existing: null, path: free ?? first, isGuess: false, similar }
    : { existing: later, path: later.path, isGuess: false, similar: null };
}

/**
 * Returns whether a person named this note by its file only. A note that a tool created without a title has exactly the title of its file.
 */
function isUntitled({ title, path, properties }: NoteEntry): boolean {
  return title === baseName(path) && properties['title'] === undefined && properties['created_by'] === undefined;
}

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
  readonly origin?: Origin | undefined;
}

/** Plans the files of a new note: the note, and the attachment that holds binary content. */
export function newNoteFiles(context: OperationContext, given: NewNote): readonly FileChange[] {
  const note = separateTags(given);
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
    // With a title of only spaces, the file name is the title.
    title: title.trim() === '' || title === baseName(path) ? undefined : title,
    tags: listOrNothing(cleanTags(note.tags ?? [])),
    rev: 1,
    ...own,
    properties: Object.keys(map).length === 0 ? undefined : map,
    created_at: at,
    updated_at: at,
    created_by: context.agent,
    [ORIGIN]: originToWrite(context, note.origin, statedOrigin({ properties: { ...own, created_by: context.agent } })) ?? undefined,
    format,
    encoding,
  };
  // Notes of tools have their content exactly as given.
  const isExact = isTyped || isToolType(context, note.type ?? null);
  const text = isExact ? composeNote({ properties, body }) : composeWithBlock(context, { path, title, properties, content });
  return [{ kind: 'create', path, text }, ...(attachment === null ? [] : [attachment])];
}

/** Adds a title that no file can have as its name to the aliases of a new note: by them Obsidian finds it, not by `title`. */
export function withTitleAlias(files: readonly FileChange[], { path, title }: Pick<NewNote, 'path' | 'title'>): readonly FileChange[] {
  if (title.trim() === '' || !needsSafeName(title)) return files;
  const alias: NoteChange = { op: 'append', key: ['aliases'], value: title, unique: true };
  return files.map((file) =>
    file.kind === 'create' && file.path === path ? { ...file, text: applyChanges(path, file.text, [alias]).text } : file,
  );
}
