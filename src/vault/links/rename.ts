import { RouxError } from '../../errors.ts';
import {
  linkKey,
  extensionOf,
  baseName,
  checkPath,
  checkTitle,
  fileName,
  fileNameFor,
  folderOf,
  foldKey,
  isNamedAfter,
  isSameTitle,
  joinPath,
  needsSafeName,
  numberedPath,
} from '../../note/path.ts';
import type { NoteEntry } from '../../graph/view.ts';
import type { NoteChange } from '../../note/change.ts';
import { isLinkable } from '../../note/markdown/link-text.ts';
import { MEDIA_EXTENSIONS } from '../../note/media.ts';
import type { Plan } from '../plan/plan.ts';
import { isTooLargeToRewrite, planMoves } from './move.ts';
import type { InnerEdits, Move, MoveContext } from './move.ts';

/**
 * New place of a file: a new title (which names a note's file), optionally in another folder; a new name for another kind of file; another
 * folder; or a whole path.
 */
export type Destination =
  | { readonly title: string; readonly folder?: string }
  | { readonly name: string }
  | { readonly folder: string }
  | { readonly path: string };

/** What renaming needs besides moving: how titles become file names, and whether the old title becomes an alias. */
export interface RenameContext extends MoveContext {
  readonly filenames: 'slug' | 'title';
  readonly renameAlias: 'add' | 'off';
}

/** A plan that gives one file a new path. */
export interface RenamePlan extends Plan {
  readonly from: string;
  readonly to: string;
}

/** Extensions of files that roux parses. */
const OWN_KINDS: ReadonlySet<string> = new Set(['md', 'canvas', 'base']);

/**
 * Plans the rename or move of a note or attachment, rewriting every link that would lead elsewhere. `inner`: further changes in the same
 * step.
 */
export function planRename(context: RenameContext, from: string, destination: Destination, inner: InnerEdits = {}): RenamePlan {
  const { move, warnings } = planDestination(context, { from, place: from }, destination);
  const plan = planMoves(context, [move], inner);
  return { ...plan, warnings: [...(plan.warnings ?? []), ...warnings], from, to: move.to };
}

/**
 * Returns the new path of a file and the changes to its own text. `place`: the path that it gets without this change, if its folder moves
 * in the same step.
 */
export function planDestination(
  context: RenameContext,
  { from, place }: { readonly from: string; readonly place: string },
  destination: Destination,
): { readonly move: Move; readonly warnings: readonly string[] } {
  const entry = context.graph.get(from);
  if (entry === null && !context.graph.isAttachment(from)) {
    throw new RouxError('NODE_NOT_FOUND', `There is no file ${from}. Look it up again: it may have been moved.`, { path: from });
  }
  const to = destinationPath(context, place, destination);
  if (to !== from && !isLinkable(to.slice(folderOf(to).length))) {
    throw new RouxError('INVALID_PARAMS', `The name "${baseName(to)}" cannot be used: links cannot hold it. Choose another one.`, {
      path: to,
    });
  }
  const changes = entry === null ? [] : titleChanges(context, entry, { to, destination });
  // It can still be moved; the answer says what stays unchanged.
  if (to !== from && isTooLargeToRewrite(context.graph, from)) return { move: { from, to }, warnings: [] };
  if (entry === null || changes.length === 0 || isEditable(entry)) return { move: { from, to, changes }, warnings: [] };
  // The links matter more than the alias: the file is moved, and the answer says what could not be written.
  const warning = `${to}: its frontmatter cannot be read, so title and aliases stay as they were. Correct it by hand.`;
  return { move: { from, to }, warnings: [warning] };
}

function isEditable(entry: NoteEntry): boolean {
  return entry.problems.every(({ code }) => !code.startsWith('frontmatter-') || code === 'frontmatter-dropped-key');
}

function destinationPath(context: RenameContext, from: string, destination: Destination): string {
  if ('path' in destination) {
    const path = withExtensionOf(from, trimSlashes(destination.path));
    checkNewPath(path);
    return path;
  }
  if ('name' in destination) {
    const path = joinPath(folderOf(from), withExtensionOf(from, destination.name));
    checkNewPath(path);
    return path;
  }
  const folder = 'folder' in destination && destination.folder !== undefined ? trimSlashes(destination.folder) : folderOf(from);
  if (folder !== '' && folder !== folderOf(from)) checkNewPath(folder);
  if (!('title' in destination)) return joinPath(folder, fileName(from));
  const problem = checkTitle(destination.title);
  if (problem !== null) {
    throw new RouxError('INVALID_PARAMS', `The title "${destination.title}" cannot be used: ${problem}. Choose another title.`, {
      field: 'title',
    });
  }
  return freePath(context, from, joinPath(folder, fileNameFor(destination.title, context.filenames)), destination.title);
}

/** Returns the path for a title: of a file name that another title has too, the first numbered one that is free (`C`, `C#`). */
function freePath({ graph, filenames }: RenameContext, from: string, first: string, title: string): string {
  for (let number = 1, path = first; ; number += 1, path = numberedPath(first, number, filenames)) {
    const holder = graph.byKey(linkKey(path)).find((other) => foldKey(other) === foldKey(path));
    const taken = holder === undefined || holder === from ? null : graph.get(holder);
    if (taken === null || isSameTitle(taken.title, title) || isNamedAfter(taken.title, title)) return path;
  }
}

/** Keeps the kind of a file, also when the new path has no extension. */
function withExtensionOf(from: string, to: string): string {
  const [before, after] = [extensionOf(from), extensionOf(to)];
  const isOtherKind = [before, after].some((extension) => OWN_KINDS.has(extension)) && before !== after;
  if (OWN_KINDS.has(after) && isOtherKind) {
    throw new RouxError(
      'INVALID_PARAMS',
      `${from} cannot become ${to}: a file keeps its kind. Name it with .${before}, or without extension.`,
      {
        path: from,
      },
    );
  }
  if (before === '' || before === after) return to;
  // One media extension may replace another: `jpg` and `jpeg`.
  return MEDIA_EXTENSIONS.has(before) && MEDIA_EXTENSIONS.has(after) ? to : `${to}${from.slice(-before.length - 1)}`;
}

function titleChanges(
  context: RenameContext,
  entry: NoteEntry,
  { to, destination }: { to: string; destination: Destination },
): NoteChange[] {
  const own = entry.properties['title'];
  const before = entry.title;
  const isNamed = 'title' in destination;
  // Without a new title, the title follows only if it equals the file name.
  const after = isNamed ? destination.title.trim() : own === undefined || own === baseName(entry.path) ? baseName(to) : before;
  const changes: NoteChange[] = [];
  if (own === undefined ? isNamed && baseName(to) !== after : own !== after) changes.push({ op: 'set', key: ['title'], value: after });
  const isRenamed = foldKey(before) !== foldKey(after);
  const names = [...(isRenamed && context.renameAlias === 'add' ? [before] : []), ...(isNamed && needsSafeName(after) ? [after] : [])];
  for (const name of names) {
    if (entry.aliases.some((alias) => foldKey(alias) === foldKey(name))) continue;
    changes.push({ op: 'append', key: ['aliases'], value: name, unique: true });
  }
  return changes;
}

/** Throws `INVALID_PARAMS` for a path that cannot be used for a new file. */
export function checkNewPath(path: string): void {
  const problem = checkPath(path);
  if (problem === null) return;
  throw new RouxError('INVALID_PARAMS', `The path "${path}" cannot be used: ${problem}. Choose another path.`, { path });
}

/** Removes the slashes at both ends of a path. */
export function trimSlashes(path: string): string {
  return path.replace(/^\/+|(?<!\/)\/+$/g, '');
}
