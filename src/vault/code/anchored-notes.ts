import type { NoteEntry } from '../../graph/view.ts';
import { APPLIES_TO, readAnchors } from '../../note/anchors/anchors.ts';
import type { Anchor, NoteAnchors } from '../../note/anchors/anchors.ts';
import { folderOf, foldersAbove, joinPath } from '../../note/path.ts';
import type { Vault } from '../vault.ts';

/** A note that says which code it is about. */
export interface AnchoredNote extends NoteAnchors {
  readonly entry: NoteEntry;
  /** Its path from the top of the repository. */
  readonly place: string;
}

/** A note, and the anchors of it that match. */
export interface NoteAbout {
  readonly note: AnchoredNote;
  readonly anchors: readonly Anchor[];
}

/** Lists the notes with `applies_to`, by path; hidden ones are not among them. */
export function listAnchoredNotes({ graph, code }: Pick<Vault, 'graph' | 'code'>): readonly AnchoredNote[] {
  const { folder } = code.place();
  return [...graph.entries()].flatMap((entry): readonly AnchoredNote[] => {
    const found = readNoteAnchors(graph, entry, folder);
    return found.anchors.length + found.invalid.length === 0 ? [] : [found];
  });
}

/** Reads which code a note is about. `folder`: the vault's, from the top of the repository. */
export function readNoteAnchors({ facets }: Pick<Vault['graph'], 'facets'>, entry: NoteEntry, folder: string): AnchoredNote {
  const place = joinPath(folder, entry.path);
  const value = facets.propertyOf(entry, APPLIES_TO);
  return { entry, place, ...readAnchors(value, folderOf(place)) };
}

/** Finds the notes about files: each file is compared with the few anchors that can match it. */
export class AnchorIndex {
  readonly #plain = new Map<string, [note: AnchoredNote, anchor: Anchor][]>();
  readonly #wild = new Map<string, [note: AnchoredNote, anchor: Anchor][]>();
  readonly #folders = new Set<string>();

  constructor(notes: readonly AnchoredNote[]) {
    for (const note of notes) for (const anchor of note.anchors) this.#add(note, anchor);
  }

  #add(note: AnchoredNote, anchor: Anchor): void {
    const lists = anchor.isPlain ? this.#plain : this.#wild;
    // A file may be called like a pattern.
    for (const home of anchor.isPlain ? [anchor.pattern] : anchor.homes) {
      const list = lists.get(home) ?? [];
      list.push([note, anchor]);
      lists.set(home, list);
      for (const folder of foldersFromTop(home)) this.#folders.add(folder);
    }
  }

  /** Returns the notes about a file, by its path from the top. */
  notesAbout(path: string): readonly NoteAbout[] {
    const found = new Map<AnchoredNote, Set<Anchor>>();
    for (const at of [...foldersFromTop(path), path]) {
      for (const [note, anchor] of [...(this.#plain.get(at) ?? []), ...(this.#wild.get(at) ?? [])]) {
        if (!anchor.isPlain && !anchor.matches(path)) continue;
        found.set(note, (found.get(note) ?? new Set<Anchor>()).add(anchor));
      }
    }
    return [...found].map(([note, anchors]) => ({ note, anchors: [...anchors] }));
  }

  /** Returns the notes about something in a folder. */
  notesBelow(folder: string): readonly NoteAbout[] {
    if (!this.#folders.has(folder)) return [];
    const below = [...this.#plain, ...this.#wild].filter(([home]) => home.startsWith(`${folder}/`));
    return below.flatMap(([, list]) => list.map(([note, anchor]) => ({ note, anchors: [anchor] })));
  }

  /** Whether a file in a folder may have notes. */
  mayMatch(folder: string): boolean {
    if (this.#folders.has(folder)) return true;
    return [...foldersFromTop(folder), folder].some((at) => this.#plain.has(at) || this.#wild.has(at));
  }

  matches(path: string): boolean {
    return this.notesAbout(path).length > 0;
  }
}

/** Returns the folders above a path, from the top (`''`) on; none for the top itself. */
function foldersFromTop(path: string): readonly string[] {
  return path === '' ? [] : ['', ...foldersAbove(path)];
}
