import { setImmediate } from 'node:timers/promises';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import { bestFirst } from './best-first.ts';
import { namesOf, queryMatcher, READS_NOTES } from './match/matcher.ts';
import type { SearchQuery } from './query/query.ts';
import { sliced } from './scan.ts';
import type { ScanSource, ScoredNote } from './scan.ts';
import type { RankedNotes } from './worker/search-feed.ts';

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
  let read: { readonly path: NotePath; readonly text: string } | null = null;
  const textOf = (path: NotePath): string => {
    if (read?.path !== path) {
      read = { path, text: source.readText(path) ?? '' };
      slice.spend(read.text.length + 1000);
    }
    return read.text;
  };
  const matcherOf =
    (ranked: RankedNotes) =>
    (at: number): boolean => {
      const path = ranked.pathAt(at);
      const entry = source.graph.get(path);
      if (entry === null || !source.isInScope(entry)) return false;
      return holds({ entry, has: (word) => ranked.has(at, word), text: () => textOf(path), names: namesOf(entry), spend: slice.spend });
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
    ranked = ranked.only(kept);
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
