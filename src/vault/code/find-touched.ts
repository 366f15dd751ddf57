import { RouxError } from '../../errors.ts';
import { findBase } from '../../git/branches.ts';
import type { Vault } from '../vault.ts';
import { AnchorIndex, listAnchoredNotes } from './anchored-notes.ts';
import type { AnchoredNote } from './anchored-notes.ts';
import { CodeChanges } from './code-changes.ts';
import type { CodeChange } from './code-changes.ts';
import { describeBarred } from './find-dead-anchors.ts';
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
  /** The commit that was compared with: where the branch left `since`. Null if that is not known. */
  readonly since: string | null;
}

/**
 * Finds the notes about code that was changed since this branch left a commit, a branch or a tag, with what is not committed. Renames
 * alone touch nothing. Throws `NODE_NOT_FOUND` for a name that git does not know; `incomplete` says if the histories do not meet.
 */
export async function findTouched(vault: Pick<Vault, 'graph' | 'code'>, since: string, notes = listAnchoredNotes(vault)): Promise<Touched> {
  const place = vault.code.place();
  if (place.kind === 'barred') return { findings: [], incomplete: [describeBarred(place.reason)], objectsRead: 0, since: null };
  const files = await vault.code.files();
  return await vault.code.withHistory(async (history) => {
    const { commits, head } = history;
    const named = await history.findRevision(since);
    if (named === null)
      throw new RouxError(
        'NODE_NOT_FOUND',
        `The repository has no commit, branch or tag ${JSON.stringify(since)}. If this is a shallow clone, as in CI, fetch its history first (fetch-depth: 0).`,
        { commit: since },
      );
    const base = await findBase(commits, head, named);
    if (base === null) {
      const text = `Where this branch left ${JSON.stringify(since)} is not in the history that is here, so that what it changed is not known. In a shallow clone, fetch the history (fetch-depth: 0).`;
      return { findings: [], incomplete: [text], objectsRead: commits.objectsRead, since: null };
    }
    const index = new AnchorIndex(notes);
    const places = new Set(notes.map(({ place: path }) => path));
    const folders = new Set([...places].flatMap((path) => path.split('/').map((_, depth, names) => names.slice(0, depth).join('/'))));
    const scope = {
      mayMatch: (folder: string) => index.mayMatch(folder) || folders.has(folder),
      matches: (path: string) => index.matches(path) || places.has(path),
    };
    const changes = await (await CodeChanges.open(history, files, scope)).since(base, scope);
    return {
      findings: collect(index, changes, (path) => files.idOf(path) === null),
      incomplete: [],
      objectsRead: commits.objectsRead,
      since: base.id,
    };
  });
}

function collect(index: AnchorIndex, changes: readonly CodeChange[], isUntracked: (path: string) => boolean): readonly TouchedNote[] {
  const changed = new Set(changes.map(({ path }) => path));
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
  return [...found]
    .filter(([, each]) => each.changes.some(({ kind }) => kind !== 'renamed'))
    .map(([note, { anchors, changes: own }]) => {
      const isNoteChanged = changed.has(note.place) || isUntracked(note.place);
      return { note, anchors: [...anchors], changes: own, isNoteChanged };
    })
    .sort((a, b) => (a.note.entry.path < b.note.entry.path ? -1 : 1));
}
