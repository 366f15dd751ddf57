import { RouxError } from '../../errors.ts';
import type { NoteEntry } from '../../graph/view.ts';
import type { NoteChange } from '../../note/change.ts';
import { isLinkable } from '../../note/markdown/link-text.ts';
import { baseName, checkPath, checkTitle, fileName, fileNameFor, folderOf, foldKey, joinPath } from '../../note/path.ts';
import type { Plan } from '../plan/plan.ts';
import { planMoves } from './move.ts';
import type { MoveContext } from './move.ts';

/** Where a file is to go: a new title (which names the file), another folder, or a whole path. */
export type Destination = { readonly title: string } | { readonly folder: string } | { readonly path: string };

/** What renaming needs besides moving: how titles become file names, and whether the old title stays as an alias. */
export interface RenameContext extends MoveContext {
  readonly filenames: 'slug' | 'title';
  readonly renameAlias: 'add' | 'off';
}

/** A plan that gives one file a new path. */
export interface RenamePlan extends Plan {
  readonly from: string;
  readonly to: string;
}

/** Renames or moves a note or an attachment; every link that would lead elsewhere then is rewritten. */
export function planRename(context: RenameContext, from: string, destination: Destination): RenamePlan {
  const entry = context.graph.get(from);
  if (entry === null && !context.graph.isAttachment(from)) {
    throw new RouxError('NODE_NOT_FOUND', `There is no file ${from}. Look it up again: it may have been moved.`, { path: from });
  }
  const to = destinationPath(context, from, destination);
  if (to !== from && !isLinkable(to.slice(folderOf(to).length))) {
    throw new RouxError('INVALID_PARAMS', `The name "${baseName(to)}" cannot be used: links cannot hold it. Choose another one.`, {
      path: to,
    });
  }
  const changes = entry === null ? [] : titleChanges(context, entry, { to, destination });
  if (entry === null || changes.length === 0 || isEditable(entry)) return { ...planMoves(context, [{ from, to, changes }]), from, to };
  // The links are worth more than the alias: the move goes on, and its answer says what could not be written.
  const plan = planMoves(context, [{ from, to }]);
  const warning = `${to}: its frontmatter cannot be read, so title and aliases stay as they were. Correct it by hand.`;
  return { ...plan, warnings: [...(plan.warnings ?? []), warning], from, to };
}

/** Moves a folder with everything in it. */
export function planFolderMove(context: MoveContext, from: string, to: string): Plan {
  const [source, target] = [trimSlashes(from), trimSlashes(to)];
  mustBeUsable(target);
  if (source === '' || target === source)
    throw new RouxError('INVALID_PARAMS', `The folder "${from}" cannot be moved to "${to}". Name two different folders.`);
  if (`${target}/`.startsWith(`${source}/`)) {
    throw new RouxError('INVALID_PARAMS', `The folder ${source} cannot be moved into itself (${target}). Choose a folder outside of it.`);
  }
  const inside = (path: string): boolean => path.startsWith(`${source}/`);
  const paths = [
    ...[...context.graph.entries({ includeHidden: true })].map((entry): string => entry.path),
    ...context.graph.attachments(),
  ].filter(inside);
  if (paths.length === 0)
    throw new RouxError(
      'NODE_NOT_FOUND',
      `There is no folder ${source} with files in it. A note is moved by its name, without "/" at the end.`,
      { path: source },
    );
  const moves = paths.sort().map((path) => ({ from: path, to: target + path.slice(source.length) }));
  return { ...planMoves(context, moves), emptied: [source] };
}

function isEditable(entry: NoteEntry): boolean {
  return entry.problems.every(({ code }) => !code.startsWith('frontmatter-') || code === 'frontmatter-dropped-key');
}

function destinationPath(context: RenameContext, from: string, destination: Destination): string {
  if ('path' in destination) {
    const path = extensionKept(from, trimSlashes(destination.path));
    mustBeUsable(path);
    return path;
  }
  if ('folder' in destination) {
    const folder = trimSlashes(destination.folder);
    if (folder !== '') mustBeUsable(folder);
    return joinPath(folder, fileName(from));
  }
  const problem = checkTitle(destination.title);
  if (problem !== null) {
    throw new RouxError('INVALID_PARAMS', `The title "${destination.title}" cannot be used: ${problem}. Choose another title.`, {
      field: 'title',
    });
  }
  return joinPath(folderOf(from), fileNameFor(destination.title, context.filenames));
}

/** A note stays a note and an image an image, also when the new path leaves the extension away. */
function extensionKept(from: string, to: string): string {
  const extension = /\.[^./]+$/.exec(from)?.[0] ?? '';
  return extension === '' || to.toLowerCase().endsWith(extension.toLowerCase()) ? to : to + extension;
}

function titleChanges(
  context: RenameContext,
  entry: NoteEntry,
  { to, destination }: { to: string; destination: Destination },
): NoteChange[] {
  const own = entry.properties['title'];
  const before = entry.title;
  const isNamed = 'title' in destination;
  // Without a title asked for, the title follows only where it is the file name anyway.
  const after = isNamed ? destination.title : own === undefined || own === baseName(entry.path) ? baseName(to) : before;
  const changes: NoteChange[] = [];
  if (own === undefined ? isNamed && baseName(to) !== after : own !== after) changes.push({ op: 'set', key: ['title'], value: after });
  if (
    context.renameAlias === 'add' &&
    foldKey(before) !== foldKey(after) &&
    !entry.aliases.some((alias) => foldKey(alias) === foldKey(before))
  ) {
    changes.push({ op: 'append', key: ['aliases'], value: before, unique: true });
  }
  return changes;
}

function mustBeUsable(path: string): void {
  const problem = checkPath(path);
  if (problem === null) return;
  throw new RouxError('INVALID_PARAMS', `The path "${path}" cannot be used: ${problem}. Choose another path.`, { path });
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
