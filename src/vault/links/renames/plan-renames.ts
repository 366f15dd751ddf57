import { RouxError } from '../../../errors.ts';
import { foldKey } from '../../../note/path.ts';
import type { NotePath } from '../../../note/path.ts';
import type { Plan } from '../../plan/plan.ts';
import { folderAfter } from '../file-lookup.ts';
import { planMoves } from '../move.ts';
import type { InnerEdits, Move, TextEdit } from '../move.ts';
import { partRenames } from '../part-links.ts';
import type { PartLinks } from '../part-links.ts';
import { checkNewPath, planDestination, trimSlashes } from '../rename.ts';
import type { Destination, RenameContext } from '../rename.ts';
import { planNoteParts } from './note-parts.ts';
import type { PartRename } from './note-parts.ts';
import { planTags } from './tag-rename.ts';

/** One change of a rename call. Paths are those before the call. */
export type RenameChange =
  /** A note, attachment, canvas or base. */
  | { readonly kind: 'file'; readonly from: string; readonly to: Destination }
  /** A folder with its content. */
  | { readonly kind: 'folder'; readonly from: string; readonly to: string }
  /** A heading (`#Parent#Heading`) or block (`#^id`) of a note. */
  | { readonly kind: 'part'; readonly path: NotePath; readonly from: string; readonly to: string }
  /** A tag with those nested below it; names without `#`. */
  | { readonly kind: 'tag'; readonly from: string; readonly to: string };

/** The result of one change, in the callers' notation: paths, `a/`, `Note.md#Heading`, `#tag`. */
export interface RenameResult {
  readonly from: string;
  readonly to: string;
  /** For a folder, the number of moved files; for a tag, of notes that have it. */
  readonly files?: number;
}

/** A plan of renames, with the result of each change in order. */
export interface RenamesPlan extends Plan {
  readonly renamed: readonly RenameResult[];
}

/**
 * Plans any mix of renames as one step (E-14): files, folders, parts of notes and tags, all or none, with every link rewritten. Chains and
 * swaps work, since every change uses the paths from before (E-16). A folder moves its files; a change to one of those files takes
 * precedence: a title renames it in its new folder, a path moves it elsewhere. Throws when any change is impossible.
 */
export function planRenames(
  context: RenameContext,
  changes: readonly RenameChange[],
  { merge = false }: { readonly merge?: boolean } = {},
): RenamesPlan {
  const folders = readFolders(changes);
  const moved = planFolders(context, folders);
  const moves = new Map<string, Move>([...moved].map(([from, to]) => [from, { from, to }]));
  const warnings: string[] = [];
  for (const change of changes) {
    if (change.kind !== 'file') continue;
    const { from } = change;
    if (moves.get(from)?.changes !== undefined)
      throw new RouxError('INVALID_PARAMS', `${from} is renamed twice in one call. Name it once.`);
    const planned = planDestination(context, { from, place: moved.get(from) ?? from }, change.to);
    const { to, changes: own = [] } = planned.move;
    if (to === from && own.length === 0)
      throw new RouxError('INVALID_PARAMS', `${from} is called that already. Give another name, or leave it out.`, { path: from });
    // A new title is a change of properties, so the note's revision counts it.
    const isTitled = 'title' in change.to && own.length > 0;
    moves.set(from, { from, to, changes: isTitled ? [...own, { op: 'touch', at: context.at }] : own });
    warnings.push(...planned.warnings);
  }
  checkTargets(context, { moves, folders, merge });
  const { inner, parts, tagCounts } = planInnerEdits(context, changes, folders);
  const plan = planMoves(context, [...moves.values()], inner);
  checkPartLinks(parts);
  return {
    files: plan.files,
    ...(plan.linked === undefined ? {} : { linked: plan.linked }),
    emptied: [...folders.keys()],
    ...(plan.vacated === undefined ? {} : { vacated: plan.vacated }),
    warnings: [...(plan.warnings ?? []), ...warnings],
    renamed: changes.map((change) => describe(change, { moves, moved, tagCounts })),
  };
}

/** Returns the folders that move, by their old paths. */
function readFolders(changes: readonly RenameChange[]): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const change of changes) {
    if (change.kind !== 'folder') continue;
    const [from, to] = [trimSlashes(change.from), trimSlashes(change.to)];
    if (from === '' || to === '' || from === to) {
      const message = `The folder "${change.from}" cannot be moved to "${change.to}". Name two different folders.`;
      throw new RouxError('INVALID_PARAMS', message, { path: from });
    }
    checkNewPath(to);
    if (foldKey(from) === foldKey(to)) {
      const message = `The folder ${from} cannot become ${to} in one step: many disks take the two for one name. Give it another name first, then this one.`;
      throw new RouxError('INVALID_PARAMS', message, { path: from });
    }
    if (to.startsWith(`${from}/`)) {
      const message = `The folder ${from} cannot be moved into itself (${to}). Choose a folder outside of it.`;
      throw new RouxError('INVALID_PARAMS', message, { path: from });
    }
    if (folders.has(from)) throw new RouxError('INVALID_PARAMS', `The folder ${from} is renamed twice in one call. Name it once.`);
    folders.set(from, to);
  }
  return folders;
}

/** Returns the new path of every file in a moving folder, by the innermost such folder. */
function planFolders({ graph }: RenameContext, folders: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const moved = new Map<string, string>();
  if (folders.size === 0) return moved;
  const full = new Set<string>();
  const take = (path: string): void => {
    const to = folderAfter(folders, path);
    if (to !== null) moved.set(path, to);
    for (const folder of folders.keys()) if (path.startsWith(`${folder}/`)) full.add(folder);
  };
  for (const folder of folders.keys()) for (const entry of graph.entries({ under: folder, includeHidden: true })) take(entry.path);
  for (const path of graph.attachments()) take(path);
  const empty = [...folders.keys()].find((folder) => !full.has(folder));
  if (empty === undefined) return new Map([...moved].sort(([a], [b]) => (a < b ? -1 : 1)));
  throw new RouxError(
    'NODE_NOT_FOUND',
    `There is no folder ${empty} with files in it. A note is moved by its name, without "/" at the end.`,
    { path: empty },
  );
}

/** Throws when two files would get the same path, and when a folder would be merged into another without `merge`. */
function checkTargets(
  { graph }: RenameContext,
  {
    moves,
    folders,
    merge,
  }: { readonly moves: ReadonlyMap<string, Move>; readonly folders: ReadonlyMap<string, string>; readonly merge: boolean },
): void {
  const wanted = new Map<string, string>();
  for (const { from, to } of moves.values()) {
    const other = wanted.get(foldKey(to));
    if (other !== undefined)
      throw new RouxError('INVALID_PARAMS', `${other} and ${from} cannot both become ${to}. Give each another name.`, { path: to });
    wanted.set(foldKey(to), from);
  }
  if (merge) return;
  const existing = [...folders].find(([from, to]) => isFolderThere(graph, { from, to, moves }));
  if (existing === undefined) return;
  const [from, to] = existing;
  const message = `The folder ${from} cannot become ${to}: that folder is there already. Pass merge: true to put the files of both together; none is overwritten.`;
  throw new RouxError('NODE_EXISTS', message, { path: to, existing: to });
}

function isFolderThere(
  graph: RenameContext['graph'],
  { from, to, moves }: { readonly from: string; readonly to: string; readonly moves: ReadonlyMap<string, Move> },
): boolean {
  const remains = (path: string): boolean => path.startsWith(`${to}/`) && !path.startsWith(`${from}/`) && !moves.has(path);
  for (const { path } of graph.entries({ under: to, includeHidden: true })) if (remains(path)) return true;
  for (const path of graph.attachments()) if (remains(path)) return true;
  return false;
}

/** Plans the changes inside notes: headings, blocks and tags. */
function planInnerEdits(context: RenameContext, changes: readonly RenameChange[], folders: ReadonlyMap<string, string>) {
  const renames = new Map<NotePath, PartRename[]>();
  for (const change of changes) {
    if (change.kind === 'part') renames.set(change.path, [...(renames.get(change.path) ?? []), change]);
  }
  const edits = new Map<string, TextEdit>();
  const parts = new Map<string, PartLinks>();
  const tags = changes.filter((change) => change.kind === 'tag').map(({ from, to }) => ({ from, to }));
  const tagged = tags.length === 0 ? null : planTags(context.graph, tags);
  for (const [path, links] of tagged?.parts ?? []) parts.set(path, links);
  for (const [path, list] of renames) {
    const { edit, links } = planNoteParts(context, path, list);
    edits.set(path, edit);
    parts.set(path, links);
  }
  for (const { path } of tagged?.notes ?? []) edits.set(path, { ...edits.get(path), after: [{ op: 'retag', tags }] });
  const inner: InnerEdits = {
    folders,
    edits,
    ...(parts.size === 0 ? {} : { parts: partRenames(parts) }),
    ...(tagged === null ? {} : { tags: tagged.renames }),
  };
  return { inner, parts, tagCounts: tagged?.counts ?? new Map<string, number>() };
}

/** Throws when links could not lead to their headings under the new names. */
function checkPartLinks(parts: ReadonlyMap<string, PartLinks>): void {
  for (const [path, { stuck }] of parts) {
    const [subpath] = stuck;
    if (subpath === undefined) continue;
    const message = `Links to ${path}${subpath} could not lead there any more: another heading has that name. Choose another one.`;
    throw new RouxError('NODE_EXISTS', message, { path });
  }
}

function describe(
  change: RenameChange,
  {
    moves,
    moved,
    tagCounts,
  }: {
    readonly moves: ReadonlyMap<string, Move>;
    readonly moved: ReadonlyMap<string, string>;
    readonly tagCounts: ReadonlyMap<string, number>;
  },
): RenameResult {
  const placeOf = (path: string): string => moves.get(path)?.to ?? path;
  switch (change.kind) {
    case 'file':
      return { from: change.from, to: placeOf(change.from) };
    case 'folder': {
      const from = trimSlashes(change.from);
      const files = [...moved.keys()].filter((path) => path.startsWith(`${from}/`)).length;
      return { from: `${from}/`, to: `${trimSlashes(change.to)}/`, files };
    }
    case 'part': {
      const above = change.from.slice(0, change.from.lastIndexOf('#'));
      const to = change.from.startsWith('#^') ? `^${change.to.replace(/^\^/, '')}` : change.to.trim();
      return { from: change.path + change.from, to: `${placeOf(change.path)}${above}#${to}` };
    }
    case 'tag':
      return { from: `#${change.from}`, to: `#${change.to}`, files: tagCounts.get(change.from) ?? 0 };
  }
}
