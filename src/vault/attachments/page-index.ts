import { setImmediate } from 'node:timers/promises';
import { bestFirst } from '../../graph/search/candidates.ts';
import { openInvertedIndex } from '../../graph/search/inverted/inverted-index.ts';
import { heldWidth, holdsWord, SCORE_UNITS } from '../../graph/search/inverted/text-index.ts';
import { possible } from '../../graph/search/match/matcher.ts';
import type { SearchQuery } from '../../graph/search/query/query.ts';
import { fileName } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';

/** A page that a query may mean. */
export interface RankedPage {
  readonly path: string;
  /** From 1. */
  readonly page: number;
  /** From 0 to 1, as the scores of notes. */
  readonly score: number;
  /** Whether it has a word of the query. */
  has(word: number): boolean;
}

/** What is indexed: the texts of files by path, and where their pages are. */
export interface PageSource {
  /** Returns the key of the text of each file. */
  texts(): ReadonlyMap<string, string>;
  pages(key: string): readonly string[] | null;
}

interface IndexedFile {
  readonly text: string;
  /** The number of its first page, and how many it has. */
  readonly first: number;
  readonly count: number;
  /** How much of it is indexed. */
  characters: number;
}

/** Work between two pauses, in characters: a few milliseconds. */
const SLICE_CHARACTERS = 20_000;
/** More text than this is not indexed. */
export const MAX_INDEXED_CHARACTERS = 200_000_000;

/** An index of the pages of some files, brought up to date when it is asked: most vaults are never asked. */
export class PageIndex {
  readonly #source: PageSource;
  readonly #index = openInvertedIndex();
  readonly #files = new Map<string, IndexedFile>();
  /** The file of each page, by number. */
  readonly #pages: (readonly [path: string, page: number] | undefined)[] = [];
  #characters = 0;
  #updating: Promise<void> | null = null;

  constructor(source: PageSource) {
    this.#source = source;
  }

  /** Indexes what is new and drops what is gone. One update at a time; what changes during it is found by the next one. */
  update(): Promise<void> {
    this.#updating ??= this.#update().finally(() => (this.#updating = null));
    return this.#updating;
  }

  async #update(): Promise<void> {
    const wanted = this.#source.texts();
    for (const [path, { text }] of this.#files) if (wanted.get(path) !== text) this.#remove(path);
    let work = 0;
    for (const [path, text] of wanted) {
      if (this.#files.has(path)) continue;
      const pages = this.#source.pages(text) ?? [];
      const first = this.#pages.length;
      const file = { text, first, count: pages.length, characters: 0 };
      this.#files.set(path, file);
      for (const [at, body] of pages.entries()) {
        if (this.#characters > MAX_INDEXED_CHARACTERS) return;
        this.#add(path, at + 1, body);
        file.characters += body.length;
        this.#characters += body.length;
        work += body.length + 100;
        if (work < SLICE_CHARACTERS) continue;
        work = 0;
        await setImmediate();
      }
    }
    if (!this.#index.isUntidy) return;
    for (const _ of this.#index.tidy()) await setImmediate();
  }

  #add(path: string, page: number, body: string): void {
    const title = fileName(path).replace(/\.[^.]*$/, '');
    const key = this.#pages.push([path, page]) - 1;
    this.#index.put({
      key,
      title,
      aliases: '',
      headings: '',
      tags: '',
      properties: '',
      body,
      lengths: { title: title.length, aliases: 0, body: body.length },
    });
  }

  #remove(path: string): void {
    const file = this.#files.get(path);
    if (file === undefined) return;
    this.#files.delete(path);
    this.#characters -= file.characters;
    for (let key = file.first; key < file.first + file.count; key += 1) {
      this.#index.remove(key);
      this.#pages[key] = undefined;
    }
  }

  /** Yields the pages that may match, best first: with the words of the query, but phrases and paths are not looked at. */
  *rank({ words, ranked, full, test }: SearchQuery): Generator<RankedPage> {
    const { keys, scores, held } = this.#index.rank({ words, ranked, full, test: possible(test) });
    const width = heldWidth(words.length);
    const placeOf = (at: number) => this.#pages[keys[at] ?? -1] ?? ['', 0];
    const compare = (a: number, b: number): number => compareText(placeOf(a)[0], placeOf(b)[0]) || placeOf(a)[1] - placeOf(b)[1];
    for (const at of bestFirst(scores, compare)) {
      const [path, page] = placeOf(at);
      const has = (word: number): boolean => holdsWord(held, width, { hit: at, word });
      yield { path, page, score: (scores[at] ?? 0) / SCORE_UNITS, has };
    }
  }
}
