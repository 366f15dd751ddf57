import { setImmediate } from 'node:timers/promises';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { Candidates } from '../search/candidates.ts';
import { namesOf, queryMatcher, READS_NOTES } from '../search/match/matcher.ts';
import type { SearchQuery, Test } from '../search/query/query.ts';
import { lastTextOf, sliced } from '../search/scan.ts';
import type { ScanSource } from '../search/scan.ts';
import { holdsClause, toClauseScan } from '../search/words/term-scan.ts';
import type { ClauseScan } from '../search/words/term-scan.ts';

/** A note with a score from 0 to 1 and the index of its matching passage; null where only its words matched. */
export interface ScoredPassage {
  readonly path: NotePath;
  readonly score: number;
  readonly at: number | null;
  /** In a fused order: whether it has words of the query, and the share of the score that words gave. */
  readonly isWorded?: boolean;
  readonly byWords?: number;
}

/** Candidates with their own order, filtered by everything in the query except its words. */
export interface SemanticCandidates extends Candidates {
  noteAt(at: number): ScoredPassage;
  passageAt(at: number): number | null;
}

/**
 * Filters a list of notes by scope and by what the query demands, in the order of the list. Conditions on what the graph knows are
 * evaluated now; those that need the note's text, when a page gets to it.
 */
export async function createSemanticCandidates(
  source: ScanSource,
  from: { readonly notes: readonly ScoredPassage[]; readonly query: Pick<SearchQuery, 'must' | 'words'>; readonly version: string },
): Promise<SemanticCandidates> {
  const test = withoutKeys(from.query.must);
  const { holds, cost } = queryMatcher(source.graph, { test, words: from.query.words });
  const areCertain = cost < READS_NOTES && !testsWords(test);
  const slice = sliced();
  const scans = new Map<number, ClauseScan>();
  const scanOf = (word: number): ClauseScan => {
    const scan = scans.get(word) ?? toClauseScan(from.query.words[word] ?? { alternatives: [], isPrefix: false });
    scans.set(word, scan);
    return scan;
  };
  const textOf = lastTextOf(source, slice.spend);
  const isWanted = ({ path }: ScoredPassage): boolean => {
    const entry = source.graph.get(path);
    if (entry === null || entry.isHidden || !source.isInScope(entry)) return false;
    const names = namesOf(entry);
    const has = (word: number): boolean => holdsClause(textOf(path), scanOf(word)) || holdsClause(names(), scanOf(word));
    return holds({ entry, has, text: () => textOf(path), names, spend: slice.spend });
  };
  let { notes } = from;
  if (areCertain) {
    const kept: ScoredPassage[] = [];
    for (const note of notes) {
      if (slice.isOver()) await setImmediate();
      if (isWanted(note)) kept.push(note);
    }
    notes = kept;
  }
  let places: Map<NotePath, number> | null = null;
  return {
    size: notes.length,
    areCertain,
    version: from.version,
    inOrder: () => notes.keys(),
    noteAt: (at) => notes[at]!,
    passageAt: (at) => notes[at]?.at ?? null,
    find(path) {
      places ??= new Map(notes.map((note, at) => [note.path, at]));
      return places.get(path) ?? null;
    },
    matches: (at) => isWanted(notes[at]!),
    textAt: (at) => textOf(notes[at]!.path),
    rest: () => (slice.isOver() ? setImmediate() : null),
  };
}

/** Sorts by score, best first, ties by path. */
export function sortByScore(notes: readonly ScoredPassage[]): ScoredPassage[] {
  return notes.toSorted((a, b) => b.score - a.score || compareText(a.path, b.path));
}

/** Drops the words of property keys from a test: whether a note has a property is known without them. */
function withoutKeys(test: Test): Test {
  switch (test.kind) {
    case 'all':
    case 'any':
      return { ...test, of: test.of.map(withoutKeys) };
    case 'not':
      return { ...test, of: withoutKeys(test.of) };
    case 'property':
      return { ...test, words: [] };
    default:
      return test;
  }
}

/** Whether a test has to read notes to know which words they contain. */
function testsWords(test: Test): boolean {
  if (test.kind === 'all' || test.kind === 'any') return test.of.some(testsWords);
  return test.kind === 'not' ? testsWords(test.of) : test.kind === 'word';
}
