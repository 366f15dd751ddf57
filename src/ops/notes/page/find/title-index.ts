import { setImmediate } from 'node:timers/promises';
import { foldText } from '../../../../graph/search/words/fold-text.ts';
import type { GraphView, NoteEntry } from '../../../../graph/view.ts';
import { baseName } from '../../../../note/path.ts';
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
  /** The folded names of each note, one a line. */
  readonly names: readonly string[];
  /** The characters of the names, as bits. They rule out most notes without a comparison of names. */
  readonly characters: Int32Array;
  /** When each file was changed, in milliseconds. */
  readonly changed: Float64Array;
}

/** The names of a large vault are read again at most this often, even if notes change in between. */
const MIN_REREAD_MS = 2_000;
/** The names of a vault with fewer notes are read again after each change. */
const MAX_QUICK_NOTES = 20_000;
/** Notes read between two turns of the event loop. */
const SLICE_NOTES = 4_000;

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

  /** Finds the notes with a name that fits, best first. `rank`: what is added to the score of a note. */
  async find(query: string, limit: number, rank: (path: string) => number): Promise<readonly NamedNote[]> {
    const folded = foldText(query).replace(/\s+/g, ' ').trim();
    if (folded === '') return [];
    const { paths, names, characters } = await this.#read();
    const wanted = charactersOf(folded);
    const found: NamedNote[] = [];
    for (const [at, path] of paths.entries()) {
      if ((wanted & ~(characters[at] ?? 0)) !== 0) continue;
      const best = this.#bestOf(names[at]!.split('\n'), folded);
      if (best !== null) found.push({ ...best, path, name: '', score: best.score + rank(path) });
    }
    found.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
    return found.slice(0, limit).flatMap((each) => this.#withName(each, folded));
  }

  /** Returns the notes that were changed last. */
  async changedLast(limit: number, isWanted: (path: string) => boolean): Promise<readonly string[]> {
    const { paths, changed } = await this.#read();
    const order = [...paths.keys()].filter((at) => isWanted(paths[at]!)).sort((a, b) => (changed[b] ?? 0) - (changed[a] ?? 0));
    return order.slice(0, limit).map((at) => paths[at]!);
  }

  #bestOf(names: readonly string[], folded: string): TitleMatch | null {
    let best: TitleMatch | null = null;
    for (const name of names) {
      const match = matchTitle(name, folded);
      if (match !== null && (best === null || match.score > best.score)) best = match;
    }
    return best;
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
    const [paths, names, characters, changed]: [string[], string[], number[], number[]] = [[], [], [], []];
    for (const entry of this.#graph.entries()) {
      const folded = [...new Set(namesOf(entry).map((name) => foldText(name).replace(/\s+/g, ' ').trim()))].join('\n');
      paths.push(entry.path);
      names.push(folded);
      characters.push(charactersOf(folded));
      changed.push(Number(entry.stamp.mtimeNs / 1_000_000n));
      if (paths.length % SLICE_NOTES === 0) await setImmediate();
    }
    this.#index = { paths, names, characters: Int32Array.from(characters), changed: Float64Array.from(changed) };
    this.#readAt = performance.now();
    return this.#index;
  }
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
