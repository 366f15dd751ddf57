import { openInvertedIndex } from '../../../graph/search/inverted/inverted-index.ts';
import { clausesOf } from '../../../graph/search/query/clauses.ts';
import { isStopWord } from '../../../graph/search/words/stop-words.ts';

/** The words of the facts of one group: what is in other groups changes no rank of it (S3-04). */
export interface FactWords {
  put(key: string, fact: FactText): void;
  delete(key: string): void;
  /** Facts that have any word of a text, best first, ties by key; as many as `accept` lets pass, `limit` at most (S3-45). */
  find(query: string, options: { readonly limit: number; readonly accept: (key: string) => boolean }): readonly string[];
}

/** What of a fact is looked at. */
export interface FactText {
  readonly fact: string;
  readonly relation: string;
  /** Names of both ends. */
  readonly ends: string;
}

/** Most words of a query that are looked for: a pasted conversation is searched by its first ones. */
const MAX_WORDS = 64;

/** They are looked for in so many characters: enough for them in any script, and a megabyte is not cut into words while others wait. */
const MAX_TEXT_CHARACTERS = 20_000;

/** An empty index. The same facts give the same ranks, in whatever order they came and went (S3-48). */
export function openFactWords(): FactWords {
  const index = openInvertedIndex();
  const numbers = new Map<string, number>();
  const keys = new Map<number, string>();
  let next = 0;
  const tidy = (): void => {
    if (index.isUntidy) for (const _ of index.tidy());
  };
  return {
    put(key, { fact, relation, ends }) {
      const number = numbers.get(key) ?? next++;
      numbers.set(key, number);
      keys.set(number, key);
      const text = { title: ends, aliases: '', headings: relation.replaceAll('_', ' '), tags: '', properties: '', body: fact };
      index.put({ key: number, lengths: { title: ends.length, aliases: 0, body: fact.length }, ...text });
      tidy();
    },
    delete(key) {
      const number = numbers.get(key);
      if (number === undefined) return;
      index.remove(number);
      numbers.delete(key);
      keys.delete(number);
      tidy();
    },
    find(query, { limit, accept }) {
      const words = tellingWords(query);
      if (words.length === 0) return [];
      const all = words.map((_, word) => word);
      const hits = index.rank({
        words,
        ranked: all.map((word) => ({ word, share: 1 })),
        full: all,
        test: { kind: 'any', of: all.map((word) => ({ kind: 'word', word })) },
      });
      const best: string[] = [];
      for (const key of byRank(hits, keys)) {
        if (best.length === limit) break;
        if (accept(key)) best.push(key);
      }
      return best;
    },
  };
}

/** So many hits are put in order at first, and each time so many times more: mostly few are wanted of many. */
const FIRST_SORTED = 256;
const MORE_SORTED = 8;

/** The keys of hits, those of the highest score first, ties by key. */
function* byRank(
  { keys: numbers, scores }: { readonly keys: ArrayLike<number>; readonly scores: ArrayLike<number> },
  keys: ReadonlyMap<number, string>,
): Generator<string> {
  const sorted = Float64Array.from(scores).sort();
  let above = Infinity;
  for (let count = FIRST_SORTED; above > (sorted[0] ?? Infinity); count *= MORE_SORTED) {
    const least = sorted[Math.max(0, sorted.length - count)] ?? 0;
    const found: { readonly key: string; readonly score: number }[] = [];
    for (let at = 0; at < numbers.length; at += 1) {
      const score = scores[at] ?? 0;
      const key = score >= least && score < above ? keys.get(numbers[at] ?? -1) : undefined;
      if (key !== undefined) found.push({ key, score });
    }
    found.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
    for (const { key } of found) yield key;
    above = least;
  }
}

/** The words of a query, each once; those that say nothing only where there are no others. */
function tellingWords(query: string): ReturnType<typeof clausesOf> {
  const all = clausesOf(query.slice(0, MAX_TEXT_CHARACTERS), { isPrefix: true });
  const telling = all.filter(({ alternatives }) => !isStopWord(alternatives[0]?.[0] ?? ''));
  const distinct = new Map((telling.length > 0 ? telling : all).map((clause) => [JSON.stringify(clause), clause]));
  return [...distinct.values()].slice(0, MAX_WORDS);
}
