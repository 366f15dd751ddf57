import { setImmediate } from 'node:timers/promises';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { NoteEntry } from '../view.ts';
import { queryMatcher, READS_NOTES } from './match/matcher.ts';
import type { NoteFacts } from './match/matcher.ts';
import type { SearchQuery } from './query/query.ts';
import { allNames } from './search-document.ts';
import { lastTextOf, sliced } from './scan.ts';
import type { ScanSource, ScoredNote } from './scan.ts';
import type { RankedNotes } from './worker/ranked-notes.ts';

/** The notes that may be in an answer, by number, evaluated lazily. */
export interface Candidates {
  readonly size: number;
  /** Whether all of them are known to match. */
  readonly areCertain: boolean;
  /** Identifies the state of the notes and how they were found. */
  readonly version: string;
  /** Iterates all in result order: by score, then path. */
  inOrder(): Iterator<number>;
  noteAt(at: number): ScoredNote;
  find(path: NotePath): number | null;
  /** Returns whether it matches the query; may read the note. */
  matches(at: number): boolean;
  /** Returns the text of a note, cached from `matches`; `''` when it was removed. */
  textAt(at: number): string;
  /** Returns a promise to yield to other work if enough was done; null otherwise. */
  rest(): Promise<void> | null;
}

/** Creates candidates from matches found by reading notes. */
export function candidatesFrom(source: ScanSource, notes: readonly ScoredNote[], version: string): Candidates {
  const ranked = rankedFrom(notes);
  return {
    ...inOrder(ranked),
    areCertain: true,
    version,
    matches: () => true,
    textAt: (at) => source.readText(ranked.pathAt(at)) ?? '',
    rest: () => null,
  };
}

/**
 * Creates candidates from the notes that the index found. The index only knows words, not phrases, parts or conditions. Conditions on what
 * the graph knows are evaluated for all of them, so that the count is exact; those that require reading are not.
 */
export async function candidatesOf(
  source: ScanSource,
  from: { ranked: RankedNotes; query: SearchQuery; version: string },
): Promise<Candidates> {
  const { holds, cost } = queryMatcher(source.graph, from.query);
  const slice = sliced();
  const textOf = lastTextOf(source, slice.spend);
  const matcherOf = (ranked: RankedNotes): ((at: number) => boolean) => {
    const hit = new Hit(ranked, textOf, slice.spend);
    return (at) => {
      const entry = source.graph.get(ranked.pathAt(at));
      return entry !== null && source.isInScope(entry) && holds(hit.turnTo(at, entry));
    };
  };
  let { ranked } = from;
  const areCertain = cost < READS_NOTES;
  if (areCertain && (cost > 0 || !source.isEverything)) {
    const matches = matcherOf(ranked);
    const kept: number[] = [];
    for (let at = 0; at < ranked.count; at += 1) {
      if (slice.isOver()) await setImmediate();
      if (matches(at)) kept.push(at);
    }
    if (kept.length < ranked.count) ranked = ranked.only(kept);
  }
  return {
    ...inOrder(ranked),
    areCertain,
    version: from.version,
    matches: matcherOf(ranked),
    textAt: (at) => textOf(ranked.pathAt(at)),
    rest: () => (slice.isOver() ? setImmediate() : null),
  };
}

/** One hit after the other as a query sees it: an object for each of ten thousand would cost more than their tests. */
class Hit implements NoteFacts {
  readonly #ranked: RankedNotes;
  readonly #textOf: (path: NotePath) => string;
  readonly spend: (characters: number) => void;
  #at = 0;
  #entry: NoteEntry | null = null;

  constructor(ranked: RankedNotes, textOf: (path: NotePath) => string, spend: (characters: number) => void) {
    this.#ranked = ranked;
    this.#textOf = textOf;
    this.spend = spend;
  }

  turnTo(at: number, entry: NoteEntry): this {
    this.#at = at;
    this.#entry = entry;
    return this;
  }

  get entry(): NoteEntry {
    return this.#entry!;
  }

  has(word: number): boolean {
    return this.#ranked.has(this.#at, word);
  }

  text(): string {
    return this.#textOf(this.entry.path);
  }

  names(): string {
    return allNames(this.entry);
  }
}

function inOrder({
  count,
  scores,
  pathAt,
}: Pick<RankedNotes, 'count' | 'scores' | 'pathAt'>): Pick<Candidates, 'size' | 'inOrder' | 'noteAt' | 'find'> {
  let places: Map<NotePath, number> | null = null;
  return {
    size: count,
    inOrder: () => bestFirst(scores, (a, b) => compareText(pathAt(a), pathAt(b))),
    noteAt: (at) => ({ path: pathAt(at), score: scores[at] ?? 0 }),
    find(path) {
      places ??= new Map(Array.from({ length: count }, (_, at) => [pathAt(at), at]));
      return places.get(path) ?? null;
    },
  };
}

function rankedFrom(notes: readonly ScoredNote[]): Pick<RankedNotes, 'count' | 'scores' | 'pathAt'> {
  return { count: notes.length, scores: Float64Array.from(notes, ({ score }) => score), pathAt: (at) => notes[at]!.path };
}

/** Buckets for scores from 0 to 1, sorted only when needed. */
const BUCKETS = 2048;

/** Yields the indexes of scores from 0 to 1, best first, equal ones by `compare`. Sorts lazily: a page needs ten of ten thousand. */
export function* bestFirst(scores: Float64Array, compare: (a: number, b: number) => number): Generator<number> {
  const bucketOf = (at: number): number => Math.min(BUCKETS - 1, Math.floor((scores[at] ?? 0) * BUCKETS));
  // Start of each bucket's members, followed by the end of the last.
  const starts = new Uint32Array(BUCKETS + 1);
  for (let at = 0; at < scores.length; at += 1) starts[bucketOf(at) + 1]! += 1;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) starts[bucket + 1]! += starts[bucket]!;
  const places = new Uint32Array(scores.length);
  const next = starts.slice();
  for (let at = 0; at < scores.length; at += 1) {
    const bucket = bucketOf(at);
    places[next[bucket]!] = at;
    next[bucket]! += 1;
  }
  for (let bucket = BUCKETS - 1; bucket >= 0; bucket -= 1) {
    const [begin, end] = [starts[bucket]!, starts[bucket + 1]!];
    if (begin < end) yield* Array.from(places.subarray(begin, end)).sort((a, b) => scores[b]! - scores[a]! || compare(a, b));
  }
}
