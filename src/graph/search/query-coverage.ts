import type { WordRarity } from './inverted/text-index.ts';
import type { SearchQuery } from './query/query.ts';
import { holdsClause, placesOfClause, toClauseScan } from './words/term-scan.ts';
import type { ClauseScan } from './words/term-scan.ts';

/** How much of a query one note has, as shares from 0 to 1 of its words, each weighed by its rarity. */
export interface NoteCoverage {
  /** In the title or one alias alone. */
  readonly title: number;
  /** In the passage that has most of them, its title included. */
  readonly passage: number;
  /** The offset at which that passage begins in the text, in UTF-16 units; null where no word is in the text. */
  readonly at: number | null;
  /** Whether the title or an alias is the query, and whether the text has it as it is written, apart from case. */
  readonly isNamed: boolean;
  readonly isQuoted: boolean;
  /** The words that it has, by their index in the query's list. */
  readonly words: ReadonlySet<number>;
  /** In the range of the text, its title included. */
  within(range: { readonly start: number; readonly end: number }): number;
}

/** Words that are this far apart, in UTF-16 units, are not of one passage. */
const PASSAGE_CHARACTERS = 800;
/** The parts of one word, such as `choose-vault`, that are this far apart may stand for it. */
const NEAR_CHARACTERS = 100;
/** Places of one word in one text that are looked at. */
const MAX_PLACES = 200;
/** Indexed words that are tried for a misspelt one. */
const MAX_NEAR_WORDS = 16;
/** A shorter query is part of too many words. */
const MIN_QUOTED_CHARACTERS = 4;

interface CountedWord {
  readonly word: number;
  readonly scan: ClauseScan;
  readonly share: number;
}

/** Where one of the counted words is in a text. */
interface Place {
  readonly at: number;
  readonly of: number;
}

/** Tells how much of a query notes have. A misspelt word counts where one of the words is that were taken for it. */
export class QueryCoverage {
  readonly #counted: readonly CountedWord[];
  readonly #written: string;

  constructor(query: Pick<SearchQuery, 'words' | 'plainTexts'>, rarities: readonly WordRarity[]) {
    const all = rarities.reduce((sum, { rarity }) => sum + rarity, 0);
    this.#written = query.plainTexts.trim().toLowerCase();
    this.#counted = rarities.flatMap(({ word, rarity, near }) => {
      const clause = query.words[word];
      if (clause === undefined || rarity <= 0) return [];
      const alternatives = near.length > 0 ? near.slice(0, MAX_NEAR_WORDS).map((term) => [term]) : clause.alternatives;
      return [{ word, scan: toClauseScan({ alternatives, isPrefix: clause.isPrefix && near.length === 0 }), share: rarity / all }];
    });
  }

  of({ names, text }: { readonly names: readonly string[]; readonly text: string }): NoteCoverage {
    const held = names.map((name) => this.#counted.map(({ scan }) => holdsClause(name, scan)));
    const isNamed = this.#counted.map((_, of) => held.some((words) => words[of]));
    const inNames = this.#sum((of) => isNamed[of] === true);
    const placesOf = ({ scan }: CountedWord, of: number): Place[] =>
      isNamed[of] === true ? [] : placesOfClause(text, scan, { most: MAX_PLACES, width: NEAR_CHARACTERS }).map((at) => ({ at, of }));
    const places = this.#counted.flatMap(placesOf).sort((a, b) => a.at - b.at);
    const best = this.#bestPassage(places);
    const found = new Set(places.map(({ of }) => of));
    return {
      title: Math.max(0, ...held.map((words) => this.#sum((of) => words[of] === true))),
      passage: Math.min(1, inNames + best.share),
      at: best.at,
      isNamed: names.some((name) => name.toLowerCase() === this.#written),
      isQuoted: this.#written.length >= MIN_QUOTED_CHARACTERS && text.toLowerCase().includes(this.#written),
      words: new Set(this.#counted.flatMap(({ word }, of) => (isNamed[of] === true || found.has(of) ? [word] : []))),
      within: ({ start, end }) => {
        const words = new Set(places.flatMap(({ at, of }) => (at >= start && at < end ? [of] : [])));
        return Math.min(1, inNames + this.#sum((of) => words.has(of)));
      },
    };
  }

  /** Slides over the places, which are in order. */
  #bestPassage(places: readonly Place[]): { readonly share: number; readonly at: number | null } {
    const counts = this.#counted.map(() => 0);
    const shareOf = (of: number): number => this.#counted[of]?.share ?? 0;
    let best: { share: number; at: number | null } = { share: 0, at: null };
    let [share, first] = [0, 0];
    for (const { at, of } of places) {
      counts[of]! += 1;
      if (counts[of] === 1) share += shareOf(of);
      for (let begin = places[first]!; at - begin.at > PASSAGE_CHARACTERS; begin = places[first]!) {
        counts[begin.of]! -= 1;
        if (counts[begin.of] === 0) share -= shareOf(begin.of);
        first += 1;
      }
      // Sums in another order differ in their last digits.
      if (share > best.share + 1e-9) best = { share, at: places[first]!.at };
    }
    return best;
  }

  #sum(isIn: (of: number) => boolean): number {
    return this.#counted.reduce((sum, { share }, of) => sum + (isIn(of) ? share : 0), 0);
  }
}
