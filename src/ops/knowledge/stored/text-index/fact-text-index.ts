import { compareScoredKeys } from '../../../../graph/semantic/best-keys.ts';
import type { ScoredKey } from '../../../../graph/semantic/embeddings.ts';
import { ByteWriter } from '../../../../graph/search/inverted/byte-stream.ts';
import { openInvertedIndex } from '../../../../graph/search/inverted/inverted-index.ts';
import { clausesOf } from '../../../../graph/search/query/clauses.ts';
import type { Clause } from '../../../../graph/search/query/clauses.ts';
import { isStopWord } from '../../../../graph/search/words/stop-words.ts';
import { ContextScores } from './context-scores.ts';
import type { Neighbors } from './context-scores.ts';
import { relatedWords } from './related-words.ts';

/** What is asked, and what was said before. */
export interface Question {
  readonly question: string;
  readonly earlier: string;
}

/** Full-text index of the facts of one group, so that other groups do not affect its ranks (S3-04). */
export interface FactTextIndex {
  has(key: string): boolean;
  put(key: string, fact: FactText): void;
  delete(key: string): void;
  /**
   * Returns up to `limit` facts that contain any word of a text and that `accept` admits, best first, ties by key (S3-45). The
   * `neighbors` of a fact count for it, and can bring in a fact that has none of the words itself.
   */
  find(query: Question, options: FindOptions): readonly ScoredKey[];
  /** Packs the index, in steps between which it must not change. */
  save(): Generator<void, SavedTextIndex>;
  /** Replaces the content by what `save` gave, at the last step. Throws a RangeError for invalid bytes. */
  load(saved: SavedTextIndex): Generator<void, void>;
}

/** An index as bytes. */
export interface SavedTextIndex {
  /** In an order that belongs to `bytes`. */
  readonly keys: readonly string[];
  readonly bytes: Uint8Array;
}

export interface FindOptions {
  readonly limit: number;
  readonly accept: (key: string) => boolean;
  readonly neighbors: (key: string) => readonly Neighbors[];
}

/** The indexed text of a fact. */
export interface FactText {
  readonly fact: string;
  readonly relation: string;
  /** Names of source and target. */
  readonly ends: string;
  /** Summaries and attributes of source and target. */
  readonly about: string;
}

/** Words of a question that are searched for, and of what was said before it. */
const MAX_WORDS = 64;
/** Weights of the words before a question: of all together, as a share of the question's own words, and of each at most. */
const EARLIER_SHARE = 0.3;
const MAX_EARLIER_SHARE = 0.2;

/** The share of a word's stem, so that "painted" finds "paint" and "paints". */
const STEM_SHARE = 0.8;
const MIN_STEM_CHARACTERS = 3;
/** The share of words that are related to a word: "moved" where the question has "live". */
const RELATED_SHARE = 0.4;
const ENDINGS = ['ings', 'ing', 'ies', 'ied', 'ed', 'es', 's', 'e', 'y'];

/** Creates an empty index. Ranks do not depend on the order of insertions and deletions (S3-48). */
export function createFactTextIndex(): FactTextIndex {
  const index = openInvertedIndex();
  let numbers = new Map<string, number>();
  /** By number; undefined where a key was deleted. */
  let keys: (string | undefined)[] = [];
  const tidy = (): void => {
    if (index.isUntidy) for (const _ of index.tidy());
  };
  return {
    has: (key) => numbers.has(key),
    put(key, { fact, relation, ends, about }) {
      const number = numbers.get(key) ?? keys.length;
      numbers.set(key, number);
      keys[number] = key;
      const text = { title: ends, aliases: '', headings: relation.replaceAll('_', ' '), tags: '', properties: about, body: fact };
      index.put({ key: number, lengths: { title: ends.length, aliases: 0, body: fact.length }, ...text });
      tidy();
    },
    delete(key) {
      const number = numbers.get(key);
      if (number === undefined) return;
      index.remove(number);
      numbers.delete(key);
      keys[number] = undefined;
      tidy();
    },
    *save() {
      const writer = new ByteWriter();
      yield* index.save(writer);
      return { keys: keys.map((key) => key ?? ''), bytes: Buffer.from(writer.take()) };
    },
    *load(saved) {
      yield* index.load(saved.bytes);
      keys = saved.keys.map((key) => (key === '' ? undefined : key));
      numbers = new Map();
      for (let number = 0; number < keys.length; number += 1) {
        const key = keys[number];
        if (key !== undefined) numbers.set(key, number);
      }
    },
    find({ question, earlier }, { limit, accept, neighbors }) {
      const asked = significantWords(question);
      const known = new Set(asked.map((clause) => JSON.stringify(clause)));
      const before = significantWords(earlier).filter((clause) => !known.has(JSON.stringify(clause)));
      const weighed = [
        ...asked.map((clause) => ({ clause, share: 1 })),
        ...asked.flatMap(stemOf).map((clause) => ({ clause, share: STEM_SHARE })),
        ...asked.flatMap(relatedTo).map((clause) => ({ clause, share: RELATED_SHARE })),
        ...before.map((clause) => ({ clause, share: Math.min(MAX_EARLIER_SHARE, (EARLIER_SHARE * asked.length) / before.length) })),
      ];
      if (weighed.length === 0) return [];
      const words = weighed.map(({ clause }) => clause);
      const all = words.map((_, word) => word);
      const hits = index.rank({
        words,
        ranked: weighed.map(({ share }, word) => ({ word, share })),
        full: [],
        test: { kind: 'any', of: all.map((word) => ({ kind: 'word', word })) },
      });
      const scores = new ContextScores(hits, { documents: keys.length, numberOf: (key) => numbers.get(key) });
      const best: ScoredKey[] = [];
      for (const each of inContext(byRank(hits, keys), scores, neighbors)) {
        if (best.length === limit) break;
        if (accept(each.key)) best.push(each);
      }
      return best;
    },
  };
}

/** Hits whose neighbors are looked at. */
const MAX_SEEDS = 500;

/** Yields the first hits and their neighbors by their scores in context, then the other hits in their own order. */
function* inContext(ranked: Iterable<string>, scores: ContextScores, neighbors: FindOptions['neighbors']): Generator<ScoredKey> {
  const candidates = new Map<string, number>();
  const near = new Set<string>();
  const others = ranked[Symbol.iterator]();
  for (let taken = 0; taken < MAX_SEEDS; taken += 1) {
    const { value: key, done } = others.next();
    if (done === true) break;
    const around = neighbors(key);
    candidates.set(key, scores.of(key, around));
    for (const { keys } of around) for (const each of keys) near.add(each);
  }
  for (const key of near) if (!candidates.has(key)) candidates.set(key, scores.of(key, neighbors(key)));
  yield* Array.from(candidates, ([key, score]) => ({ key, score })).sort(compareScoredKeys);
  for (let each = others.next(); each.done !== true; each = others.next())
    if (!candidates.has(each.value)) yield { key: each.value, score: 0 };
}

/** Size of the first sorted chunk of hits, and the factor by which chunks grow: usually few of many are needed. */
const FIRST_CHUNK_SIZE = 256;
const CHUNK_GROWTH = 8;

/** Scores lie between 0 and 1 and have six digits (`relevance`): counting them is quicker than sorting them. */
const MILLION = 1_000_000;

/** Yields the keys of hits by descending score, ties by key. */
function* byRank(
  { keys: numbers, scores }: { readonly keys: ArrayLike<number>; readonly scores: ArrayLike<number> },
  keys: readonly (string | undefined)[],
): Generator<string> {
  const counts = new Uint32Array(MILLION + 1);
  for (let at = 0; at < scores.length; at += 1) counts[Math.round(scores[at]! * MILLION)]! += 1;
  let above = Infinity;
  let [rank, millionths] = [0, MILLION + 1];
  for (let count = FIRST_CHUNK_SIZE; rank < scores.length; count *= CHUNK_GROWTH) {
    while (rank < Math.min(count, scores.length)) {
      millionths -= 1;
      rank += counts[millionths]!;
    }
    const least = millionths / MILLION;
    const found: { readonly key: string; readonly score: number }[] = [];
    for (let at = 0; at < numbers.length; at += 1) {
      const score = scores[at] ?? 0;
      const key = score >= least && score < above ? keys[numbers[at] ?? -1] : undefined;
      if (key !== undefined) found.push({ key, score });
    }
    found.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
    for (const { key } of found) yield key;
    above = least;
  }
}

/** Returns the distinct words of a text, the last ones of a long text; stop words only if there are no others. */
function significantWords(text: string): readonly Clause[] {
  const all = clausesOf(text, { isPrefix: true });
  const significant = all.filter(({ alternatives }) => !isStopWord(alternatives[0]?.[0] ?? ''));
  const distinct = new Map((significant.length > 0 ? significant : all).map((clause) => [JSON.stringify(clause), clause]));
  return [...distinct.values()].slice(-MAX_WORDS);
}

/** Returns the start of an English word that its other forms share; nothing where it has no ending. */
function stemOf({ alternatives }: Clause): readonly Clause[] {
  const word = alternatives[0]?.[0] ?? '';
  const ending = ENDINGS.find(
    (each) => word.endsWith(each) && word.length - each.length >= MIN_STEM_CHARACTERS + (each.length === 1 ? 1 : 0),
  );
  if (ending === undefined) return [];
  const stem = word.slice(0, -ending.length).replace(/([bdgmnprt])\1$/, '$1');
  return stem.length < MIN_STEM_CHARACTERS ? [] : [{ alternatives: [[stem]], isPrefix: true }];
}

/** Returns one clause of all words that are related to a word. */
function relatedTo({ alternatives }: Clause): readonly Clause[] {
  const related = relatedWords(alternatives[0]?.[0] ?? '');
  return related.length === 0 ? [] : [{ alternatives: related.map((word) => [word]), isPrefix: false }];
}
