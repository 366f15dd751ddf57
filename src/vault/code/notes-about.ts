import { RouxError } from '../../errors.ts';
import type { Vault } from '../vault.ts';
import { AnchorIndex, listAnchoredNotes } from './anchored-notes.ts';
import type { AnchoredNote } from './anchored-notes.ts';

/** A note that is about a path, by these anchors as they are written. */
export interface NoteAboutPath {
  readonly note: AnchoredNote;
  readonly anchors: readonly string[];
}

/** A path of the repository around the vault, and the notes about it. */
export interface CodePath {
  /** From the top of the repository. */
  readonly path: string;
  /** Whether something is there in the checkout. */
  readonly isThere: boolean;
  /** By path. */
  readonly notes: readonly NoteAboutPath[];
}

/** The notes about code, in step with the graph. */
interface Known {
  readonly version: string;
  readonly notes: readonly AnchoredNote[];
  readonly index: AnchorIndex;
}

/** Longest reference that is looked up as a path. */
const MAX_REFERENCE_CHARACTERS = 4_096;

/**
 * Finds the notes about a file or folder of the repository: by anchors that match it or something in it, also by those that name a path from
 * which git renamed it. `reference`: its path from the top of the repository, from the vault with `./` or `../`, or an absolute one, with or
 * without a line (`:12`, `#L12`). Null if it can be no path of the repository.
 */
export async function findNotesAbout(vault: Vault, reference: string): Promise<CodePath | null> {
  const path = toCodePath(vault, reference);
  if (path === null) return null;
  const { index, notes } = vault.derived(openAnchors).current();
  const found = new Map<AnchoredNote, Set<string>>();
  const add = (note: AnchoredNote, anchor: string): void => void found.set(note, (found.get(note) ?? new Set()).add(anchor));
  for (const { note, anchors } of [...index.notesAbout(path), ...index.notesBelow(path)]) for (const { text } of anchors) add(note, text);
  const isThere = await isInCheckout(vault, path);
  if (isThere && notes.length > 0) {
    const moved = await vault.derived(openAnchors).moved();
    for (const note of moved.size === 0 ? [] : notes)
      for (const { pattern, text } of note.anchors) {
        const to = moved.get(pattern);
        if (to !== undefined && (to === path || path.startsWith(`${to}/`) || to.startsWith(`${path}/`))) add(note, text);
      }
  }
  const sorted = [...found].sort(([a], [b]) => (a.entry.path < b.entry.path ? -1 : 1));
  return { path, isThere, notes: sorted.map(([note, anchors]) => ({ note, anchors: [...anchors] })) };
}

/** Finds the notes about what a reference may mean: a path of the repository, else the file of the vault that was found for it. */
export async function findNotesAboutFile(vault: Vault, reference: string, file: string | null): Promise<CodePath | null> {
  const found = await findNotesAbout(vault, reference);
  return file === null || (found !== null && found.notes.length > 0) ? found : await findNotesAbout(vault, `./${file}`);
}

/** Returns the notes about a path by their anchors alone, without a look at the repository. */
export function listNotesAbout(vault: Vault, reference: string): readonly NoteAboutPath[] {
  const path = toCodePath(vault, reference);
  if (path === null) return [];
  const found = vault.derived(openAnchors).current().index.notesAbout(path);
  return found.map(({ note, anchors }) => ({ note, anchors: anchors.map(({ text }) => text) }));
}

function toCodePath({ code }: Vault, reference: string): string | null {
  if (reference.length > MAX_REFERENCE_CHARACTERS || /\p{Cc}/u.test(reference)) return null;
  const bare = reference.trim().replace(/(?::\d+){1,2}$|#L\d+(?:-L?\d+)?$/, '');
  return bare === '' ? null : code.fromTop(bare.normalize('NFC'));
}

async function isInCheckout({ code }: Vault, path: string): Promise<boolean> {
  try {
    const kind = (await code.files()).find(path);
    return kind === 'file' || kind === 'folder';
  } catch (error) {
    if (error instanceof RouxError) return false;
    throw error;
  }
}

function openAnchors(vault: Vault) {
  let known: Known | null = null;
  let moves: { readonly key: string; readonly found: Promise<ReadonlyMap<string, string>> } | null = null;
  const current = (): Known => {
    const version = `${vault.graph.version} ${vault.code.place().folder}`;
    if (known?.version === version) return known;
    const notes = listAnchoredNotes(vault);
    return (known = { version, notes, index: new AnchorIndex(notes) });
  };
  return {
    current,
    /**
     * Returns where code is that git renamed, by the patterns of anchors. Looked for again when an anchor, the index or a commit is another
     * one, and not after each change of a note: an anchor to what never was takes a walk through the whole history.
     */
    moved(): Promise<ReadonlyMap<string, string>> {
      const anchors = new Map(current().notes.flatMap((note) => note.anchors.map((anchor) => [anchor.pattern, anchor])));
      const key = [vault.code.stamp(), ...anchors.keys()].join('\n');
      if (moves?.key === key) return moves.found;
      const found = import('./find-dead-anchors.ts').then(({ findRenamedHomes }) => findRenamedHomes(vault, [...anchors.values()]));
      found.catch(() => (moves = null));
      moves = { key, found };
      return found;
    },
  };
}
