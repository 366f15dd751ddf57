import { foldText } from '../../../../graph/search/words/fold-text.ts';
import type { GraphView, NoteEntry } from '../../../../graph/view.ts';
import { baseName } from '../../../../note/path.ts';
import { createSlice, runInSlices } from '../../../../store/slices.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { matchTitle } from './title-match.ts';
import type { TitleMatch } from './title-match.ts';

/** A note whose name fits. */
export interface NamedNote extends TitleMatch {
  readonly path: string;
  /** The name that fits: the title, an alias, or the name of the file. */
  readonly name: string;
}

/** The names of all notes, for a search as the user types. */
interface TitleIndex {
  readonly paths: readonly string[];
  /** When each file was changed, in milliseconds. */
  readonly changed: Float64Array;
  /** The folded names of all notes, those of each note in a row, and which of the notes each belongs to. */
  readonly names: readonly string[];
  readonly noteOf: Int32Array;
  /** The characters of each name, as bits. They rule out most names without a comparison. */
  readonly characters: Int32Array;
}

/** The names of a large vault are read again at most this often, even if notes change in between. */
const MIN_REREAD_MS = 2_000;
/** The names of a vault with fewer notes are read again after each change. */
const MAX_QUICK_NOTES = 20_000;
const STEP_NAMES = 256;

/** Finds notes by their names. */
export class Titles {
  readonly #graph: GraphView;
  #index: TitleIndex | null = null;
  #version = -1;
  #readAt = 0;
  #reading: Promise<TitleIndex> | null = null;

  constructor({ graph }: Vault) {
    this.#graph = graph;
  }

  /**
   * Finds the notes with a name that fits, best first. `rank`: what is added to the score of a note, at most 0. Stops with the signal:
   * nobody waits for the rest.
   */
  async find(
    query: string,
    { limit, rank, signal }: { readonly limit: number; readonly rank: (path: string) => number; readonly signal: AbortSignal },
  ): Promise<readonly NamedNote[]> {
    const folded = foldText(query).replace(/\s+/g, ' ').trim();
    if (folded === '') return [];
    const index = await this.#read();
    const best = await runInSlices(createSlice(), findBest(index, folded, { limit, rank, signal }));
    return best.flatMap((each) => this.#withName(each, folded));
  }

  /** Returns the notes that were changed last. */
  async changedLast(limit: number, isWanted: (path: string) => boolean): Promise<readonly string[]> {
    const { paths, changed } = await this.#read();
    const best: number[] = [];
    const isNewer = (one: number, other: number): boolean => (changed[one] ?? 0) > (changed[other] ?? 0);
    for (let at = 0; at < paths.length; at += 1) {
      const last = best.length < limit ? undefined : best.at(-1);
      if (last !== undefined && !isNewer(at, last)) continue;
      if (isWanted(paths[at]!)) insertBest(best, at, { limit, isBefore: isNewer });
    }
    return best.map((at) => paths[at]!);
  }

  /** Adds the name as it is written. Its marks are those of the folded name, where folding left all characters in place. */
  #withName(found: NamedNote, folded: string): readonly NamedNote[] {
    const entry = this.#graph.get(found.path);
    if (entry === null || entry.isHidden) return [];
    let best: NamedNote | null = null;
    for (const name of namesOf(entry)) {
      const key = foldText(name);
      const match = matchTitle(key, folded);
      if (match === null || (best !== null && match.score <= best.score)) continue;
      best = { ...found, ...match, name, marks: key.length === name.length ? match.marks : [] };
    }
    return best === null ? [] : [{ ...best, score: found.score }];
  }

  async #read(): Promise<TitleIndex> {
    const graph = this.#graph;
    const isCurrent = this.#index !== null && this.#version === graph.version;
    const isRecent = performance.now() - this.#readAt < MIN_REREAD_MS && graph.size > MAX_QUICK_NOTES;
    if (this.#index !== null && (isCurrent || isRecent)) return this.#index;
    this.#reading ??= this.#readNames().finally(() => (this.#reading = null));
    return this.#reading;
  }

  async #readNames(): Promise<TitleIndex> {
    this.#version = this.#graph.version;
    this.#index = await runInSlices(createSlice(), readNames(this.#graph));
    this.#readAt = performance.now();
    return this.#index;
  }
}

function* readNames(graph: GraphView): Generator<void, TitleIndex> {
  const [paths, changed, names, noteOf, characters]: [string[], number[], string[], number[], number[]] = [[], [], [], [], []];
  for (const entry of graph.entries()) {
    for (const name of new Set(namesOf(entry).map((each) => foldText(each).replace(/\s+/g, ' ').trim()))) {
      names.push(name);
      noteOf.push(paths.length);
      characters.push(charactersOf(name));
    }
    paths.push(entry.path);
    changed.push(Number(entry.stamp.mtimeNs / 1_000_000n));
    if (paths.length % STEP_NAMES === 0) yield;
  }
  return {
    paths,
    changed: Float64Array.from(changed),
    names,
    noteOf: Int32Array.from(noteOf),
    characters: Int32Array.from(characters),
  };
}

/** Finds the best notes. A name is compared only as far as it could still be among them. */
function* findBest(
  { paths, names, noteOf, characters }: TitleIndex,
  query: string,
  { limit, rank, signal }: { readonly limit: number; readonly rank: (path: string) => number; readonly signal: AbortSignal },
): Generator<void, readonly NamedNote[]> {
  const wanted = charactersOf(query);
  const best: NamedNote[] = [];
  const isBefore = (a: NamedNote, b: NamedNote): boolean => a.score > b.score || (a.score === b.score && a.path < b.path);
  for (let at = 0; at < names.length; at += 1) {
    if (at % STEP_NAMES === 0) yield;
    if (signal.aborted) return [];
    if ((wanted & ~(characters[at] ?? 0)) !== 0) continue;
    const match = matchTitle(names[at]!, query, best.length < limit ? 0 : best.at(-1)!.score);
    if (match === null) continue;
    const path = paths[noteOf[at]!]!;
    const found: NamedNote = { ...match, path, name: '', score: match.score + rank(path) };
    // Another name of the same note, which is the last one that may be there already.
    const known = best.findIndex((each) => each.path === path);
    if (known !== -1 && !isBefore(found, best[known]!)) continue;
    if (known !== -1) best.splice(known, 1);
    insertBest(best, found, { limit, isBefore });
  }
  return best;
}

/** Inserts an item into a list that is in order, and drops what is beyond the limit. */
function insertBest<T>(
  best: T[],
  item: T,
  { limit, isBefore }: { readonly limit: number; readonly isBefore: (a: T, b: T) => boolean },
): void {
  const at = best.findIndex((each) => isBefore(item, each));
  if (at === -1 && best.length >= limit) return;
  best.splice(at === -1 ? best.length : at, 0, item);
  if (best.length > limit) best.pop();
}

/** Opens the names of a vault; for `vault.derived`. */
export function openTitles(vault: Vault): Titles {
  return new Titles(vault);
}

function namesOf(entry: NoteEntry): readonly string[] {
  return [entry.title, ...entry.aliases, baseName(entry.path)].filter((name) => name.trim() !== '');
}

/** Returns the letters and digits of a text as bits, several to a bit. */
function charactersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 32) bits |= 1 << (code & 31);
  }
  return bits;
}
