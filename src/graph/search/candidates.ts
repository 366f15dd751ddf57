import { setImmediate } from 'node:timers/promises';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { GraphView, NoteEntry } from '../view.ts';
import { SCORE_UNITS } from './inverted/text-index.ts';
import { recall } from './match/known-answers.ts';
import type { Answers } from './match/known-answers.ts';
import { queryMatcher, READS_NOTES, RECALLED } from './match/matcher.ts';
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
  from: { ranked: RankedNotes; query: SearchQuery; version: string; answersOf: (test: string) => Answers },
): Promise<Candidates> {
  const { holds, cost } = queryMatcher(source.graph, from.query, from.answersOf);
  const slice = sliced();
  const textOf = lastTextOf(source, slice.spend);
  const hitOf = (ranked: RankedNotes): Hit => new Hit({ ranked, textOf, graph: source.graph, spend: slice.spend });
  const matcherOf = (ranked: RankedNotes): ((at: number) => boolean) => {
    const hit = hitOf(ranked);
    return (at) => {
      const entry = hit.turnTo(at).present();
      return entry !== null && source.isInScope(entry) && holds(hit);
    };
  };
  /** Visible notes, of which most are known: a note that was removed meanwhile is left out when a page gets to it. */
  const recallerOf = (ranked: RankedNotes): ((at: number) => boolean) => {
    const hit = hitOf(ranked);
    return (at) => holds(hit.turnTo(at));
  };
  let { ranked } = from;
  const areCertain = cost < READS_NOTES;
  if (areCertain && (cost > 0 || !source.isEverything)) {
    const matches = cost <= RECALLED && source.isEverything ? recallerOf(ranked) : matcherOf(ranked);
    const kept = new Uint32Array(ranked.count);
    let count = 0;
    for (let at = 0; at < ranked.count; at += 1) {
      if (at % HITS_BETWEEN_LOOKS === 0 && slice.isOver()) await setImmediate();
      if (matches(at)) kept[count++] = at;
    }
    if (count < ranked.count) ranked = ranked.only(kept.subarray(0, count));
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

interface HitsFrom {
  readonly ranked: RankedNotes;
  readonly graph: GraphView;
  readonly textOf: (path: NotePath) => string;
  readonly spend: (characters: number) => void;
}

/** Hits that are tested before the time is looked at. */
const HITS_BETWEEN_LOOKS = 64;

/** One hit after the other as a query sees it: an object for each of ten thousand would cost more than their tests. */
class Hit implements NoteFacts {
  readonly #from: HitsFrom;
  readonly spend: (characters: number) => void;
  #at = 0;
  /** Undefined until it is asked for. */
  #entry: NoteEntry | null | undefined = undefined;

  constructor(from: HitsFrom) {
    this.#from = from;
    this.spend = from.spend;
  }

  turnTo(at: number): this {
    this.#at = at;
    this.#entry = undefined;
    return this;
  }

  /** Returns the note as the graph has it now; null if it is gone. */
  present(): NoteEntry | null {
    if (this.#entry === undefined) this.#entry = this.#from.graph.get(this.#from.ranked.pathAt(this.#at));
    return this.#entry;
  }

  get entry(): NoteEntry {
    return this.present()!;
  }

  recall(answers: Answers, test: (entry: NoteEntry) => boolean): boolean {
    return recall(answers, this.#from.ranked.keyAt(this.#at), () => {
      const entry = this.present();
      return entry !== null && test(entry);
    });
  }

  has(word: number): boolean {
    return this.#from.ranked.has(this.#at, word);
  }

  text(): string {
    return this.#from.textOf(this.entry.path);
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
    noteAt: (at) => ({ path: pathAt(at), score: (scores[at] ?? 0) / SCORE_UNITS }),
    find(path) {
      places ??= new Map(Array.from({ length: count }, (_, at) => [pathAt(at), at]));
      return places.get(path) ?? null;
    },
  };
}

function rankedFrom(notes: readonly ScoredNote[]): Pick<RankedNotes, 'count' | 'scores' | 'pathAt'> {
  return {
    count: notes.length,
    scores: Uint32Array.from(notes, ({ score }) => Math.round(score * SCORE_UNITS)),
    pathAt: (at) => notes[at]!.path,
  };
}

/** Buckets for scores, which tell how far to look for the next best. */
const BUCKETS = 2048;
const BUCKETS_PER_UNIT = BUCKETS / SCORE_UNITS;
/** Hits that are put in order first; each time more are wanted, so many times more. */
const FIRST_ORDERED = 64;
const MORE_ORDERED = 8;

/** Yields the indexes of scores in millionths, best first, equal ones by `compare`. Sorts lazily: a page needs ten of ten thousand. */
export function* bestFirst(scores: Uint32Array, compare: (a: number, b: number) => number): Generator<number> {
  const counts = new Uint32Array(BUCKETS + 1);
  for (let at = 0; at < scores.length; at += 1) counts[Math.floor(scores[at]! * BUCKETS_PER_UNIT)]! += 1;
  for (let [end, most] = [BUCKETS + 1, FIRST_ORDERED]; end > 0; most *= MORE_ORDERED) {
    let [begin, count] = [end, 0];
    while (begin > 0 && count < most) count += counts[(begin -= 1)]!;
    const places = new Uint32Array(count);
    for (let [at, next] = [0, 0]; next < count; at += 1) {
      const place = scores[at]! * BUCKETS_PER_UNIT;
      if (place >= begin && place < end) places[next++] = at;
    }
    yield* places.sort((a, b) => scores[b]! - scores[a]! || compare(a, b));
    end = begin;
  }
}
