import { RouxError } from '../../errors.ts';
import { findBase } from '../../git/branches.ts';
import type { CheckoutFiles } from '../../git/checkout-files.ts';
import { folderOf, foldersAbove, joinPath, normalizeId } from '../../note/path.ts';
import type { Vault } from '../vault.ts';
import { AnchorIndex, listAnchoredNotes } from './anchored-notes.ts';
import type { AnchoredNote } from './anchored-notes.ts';
import { CodeChanges } from './code-changes.ts';
import type { CodeChange } from './code-changes.ts';
import type { CodeHistory } from './code.ts';
import { describeBarred, describeUnread } from './find-dead-anchors.ts';
import type { Found } from './find-dead-anchors.ts';

/** A note about code that a branch changed. */
export interface TouchedNote {
  readonly note: AnchoredNote;
  /** The anchors that match, as they are written. */
  readonly anchors: readonly string[];
  readonly changes: readonly CodeChange[];
  /** Whether the note was changed too. */
  readonly isNoteChanged: boolean;
}

export interface Touched extends Found<TouchedNote> {
  /** All notes about code that was changed or only renamed, so that their anchors may be dead. */
  readonly aboutChanges: ReadonlySet<string>;
  /** All notes that were changed themselves, or are not in git yet. */
  readonly changedNotes: ReadonlySet<string>;
  /** The paths that notes had before and have no longer. */
  readonly goneNotes: readonly string[];
  /** The commit that was compared with: where the branch left `since`. Null if that is not known. */
  readonly since: string | null;
}

/** Commits that are searched for the one where a branch left another. */
const MAX_COMMITS = 20_000;

/**
 * Finds the notes about code that was changed since this branch left a commit, a branch or a tag, with what is not committed. `main...` is
 * `main`. Renames alone touch nothing. Throws `NODE_NOT_FOUND` for a name that git does not know; `incomplete` says if the histories do not meet.
 */
export async function findTouched(vault: Pick<Vault, 'graph' | 'code'>, since: string, notes = listAnchoredNotes(vault)): Promise<Touched> {
  const place = vault.code.place();
  const nothing = { findings: [], aboutChanges: new Set<string>(), changedNotes: new Set<string>(), goneNotes: [], since: null };
  if (place.kind === 'barred') return { ...nothing, incomplete: [describeBarred(place.reason)], objectsRead: 0 };
  const find = async (history: CodeHistory, files: CheckoutFiles): Promise<Touched> => {
    const { commits, head } = history;
    const named = await history.findRevision(since.replace(/\.{2,3}(?:HEAD)?$/, ''));
    if (named === null)
      throw new RouxError(
        'NODE_NOT_FOUND',
        `The repository has no commit, branch or tag ${JSON.stringify(since)}. If this is a shallow clone, as in CI, fetch its history first (fetch-depth: 0).`,
        { commit: since },
      );
    const base = await findBase(commits, head, named, MAX_COMMITS);
    if (base === null) {
      const text = `Where this branch left ${JSON.stringify(since)} is not in the history that is here, or more than ${MAX_COMMITS} commits back, so that what it changed is not known. In a shallow clone, fetch the history (fetch-depth: 0).`;
      return { ...nothing, incomplete: [text], objectsRead: commits.objectsRead };
    }
    const index = new AnchorIndex(notes);
    const { isNote, mayHaveNotes } = findNoteFolders(vault, place.folder);
    const scope = {
      mayMatch: (folder: string) => index.mayMatch(folder) || mayHaveNotes(folder),
      matches: (path: string) => index.matches(path) || isNote(path),
    };
    const changes = await (await CodeChanges.open(history, files, scope)).since(base, scope);
    const ownChanges = describeNotes(vault, place.folder, {
      changes: changes.filter(({ path, from = path }) => isNote(path) || isNote(from)),
      tracked: new Set(files.paths),
    });
    return {
      ...collect(index, changes, ownChanges.changedNotes),
      ...ownChanges,
      incomplete: [],
      objectsRead: commits.objectsRead,
      since: base.id,
    };
  };
  try {
    const files = await vault.code.files();
    return await vault.code.withHistory((history) => find(history, files));
  } catch (error) {
    return { ...nothing, incomplete: [describeUnread(error)], objectsRead: 0 };
  }
}

/** Finds the folders that have notes, from the top of the repository: what is below them or above is not looked at as a whole. */
function findNoteFolders({ graph }: Pick<Vault, 'graph'>, folder: string) {
  const own = new Set<string>();
  const above = new Set<string>();
  for (const { path } of graph.entries()) {
    const place = toPlace(folder, path);
    const at = folderOf(place);
    if (own.has(at)) continue;
    own.add(at);
    for (const each of ['', ...foldersAbove(place)]) above.add(each);
  }
  return {
    mayHaveNotes: (path: string) => above.has(path),
    isNote: (path: string) => path.endsWith('.md') && own.has(folderOf(path)),
  };
}

function toPlace(folder: string, path: string): string {
  return normalizeId(joinPath(folder, path));
}

/** Says which notes were changed, and which paths have none any more. */
function describeNotes(
  { graph }: Pick<Vault, 'graph'>,
  folder: string,
  { changes, tracked }: { readonly changes: readonly CodeChange[]; readonly tracked: ReadonlySet<string> },
): Pick<Touched, 'changedNotes' | 'goneNotes'> {
  const changed = new Set(changes.filter(({ kind }) => kind !== 'removed').map(({ path }) => path));
  const notes = [...graph.entries()].filter(({ path }) => changed.has(toPlace(folder, path)) || !tracked.has(toPlace(folder, path)));
  const start = folder === '' ? 0 : folder.length + 1;
  const gone = changes.flatMap(({ path, kind, from }) => (kind === 'removed' ? [path] : (from ?? [])));
  return { changedNotes: new Set(notes.map(({ path }) => path)), goneNotes: gone.map((path) => path.slice(start)) };
}

function collect(
  index: AnchorIndex,
  changes: readonly CodeChange[],
  changedNotes: ReadonlySet<string>,
): Pick<Touched, 'findings' | 'aboutChanges'> {
  const found = new Map<AnchoredNote, { readonly anchors: Set<string>; readonly changes: CodeChange[] }>();
  for (const change of changes) {
    const paths = change.from === undefined ? [change.path] : [change.path, change.from];
    for (const { note, anchors } of paths.flatMap((path) => index.notesAbout(path))) {
      const known = found.get(note) ?? { anchors: new Set<string>(), changes: [] };
      found.set(note, known);
      for (const { text } of anchors) known.anchors.add(text);
      if (!known.changes.includes(change)) known.changes.push(change);
    }
  }
  const findings = [...found]
    .filter(([, each]) => each.changes.some(({ kind }) => kind !== 'renamed'))
    .map(([note, { anchors, changes: own }]) => {
      const isNoteChanged = changedNotes.has(note.entry.path);
      return { note, anchors: [...anchors], changes: own, isNoteChanged };
    })
    .sort((a, b) => (a.note.entry.path < b.note.entry.path ? -1 : 1));
  return { findings, aboutChanges: new Set([...found.keys()].map(({ entry }) => entry.path)) };
}
