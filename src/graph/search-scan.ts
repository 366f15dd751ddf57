import type { NotePath } from '../note/path.ts';
import { phraseMatcher } from './phrase.ts';
import { FIELD_WEIGHTS, occurrenceWeight, rarity, relevance, strength } from './relevance.ts';
import type { NoteFilter } from './search-filter.ts';
import { phraseClauses } from './search-query.ts';
import type { Clause, SearchQuery } from './search-query.ts';
import { otherNames } from './search-document.ts';
import { countClause, toScanText } from './term-scan.ts';
import type { GraphView, NoteEntry } from './view.ts';

/** A note that matched, before its snippet is cut. */
export interface ScoredNote {
  readonly path: NotePath;
  readonly score: number;
}

/** What is looked through, and how to make room for others between two notes. */
export interface ScanSource {
  readonly graph: GraphView;
  readText(path: NotePath): string | null;
  readonly filter: NoteFilter;
}

/** Letters that are looked through at one go: some milliseconds of work. */
const SLICE = 400_000;

/**
 * Answers a query by reading the notes: the same words, phrases and operators as the index. Two things only the index does:
 * it takes near misses for a word that is found nowhere, and knows the exact length of every field, so that scores differ a little.
 */
export async function scanNotes(source: ScanSource, query: SearchQuery): Promise<ScoredNote[]> {
  const clauses = [...query.clauses, ...query.phrases.flatMap(phraseClauses)];
  const phrases = query.phrases.map(phraseMatcher);
  const unwanted = query.without.phrases.map(phraseMatcher);
  const found: { path: NotePath; weights: Float64Array }[] = [];
  const having = new Float64Array(clauses.length);
  const sizes = { letters: 0, notes: 0 };
  await eachText(source, (entry, text) => {
    sizes.letters += text.length;
    sizes.notes += 1;
    const scan = toScanText(text);
    const names = toScanText([entry.title, ...otherNames(entry)].join('\n'));
    const has = (clause: Clause): boolean => countClause(scan, clause) > 0 || countClause(names, clause) > 0;
    const counts = clauses.map((clause) => countClause(scan, clause));
    const weights = Float64Array.from(clauses, (clause, at) => weigh(entry, clause, counts[at] ?? 0));
    for (const [at, weight] of weights.entries()) if (weight > 0) having[at] = (having[at] ?? 0) + 1;
    if (clauses.length > 0 && !weights.some((weight) => weight > 0)) return;
    if (query.without.clauses.some(has)) return;
    const matches = (phrase: (text: string) => boolean): boolean => phrase(text) || phrase(names.text);
    if (!phrases.every(matches) || unwanted.some(matches)) return;
    found.push({ path: entry.path, weights });
  });
  const rarities = Array.from(having, (count) => rarity({ having: count, all: sizes.notes }));
  const best = rarities.reduce((sum, value) => sum + value, 0);
  return found.map(({ path, weights }) => {
    const sum = rarities.reduce((total, value, at) => total + value * strength(weights[at] ?? 0), 0);
    const isFull = clauses.every((clause, at) => !clause.isRequired || (weights[at] ?? 0) > 0);
    return { path, score: relevance({ strength: sum, best, isFull }) };
  });
}

/** Finds a text as it stands, in any case, in the title or the file. */
export async function scanExactly(source: ScanSource, literal: string): Promise<ScoredNote[]> {
  const wanted = literal.toLowerCase();
  const found: ScoredNote[] = [];
  await eachText(source, (entry, text) => {
    const inTitle = entry.title.toLowerCase().includes(wanted) ? FIELD_WEIGHTS.title.boost : 0;
    const count = inTitle + countLiteral(text.toLowerCase(), wanted);
    if (count > 0) found.push({ path: entry.path, score: relevance({ strength: strength(count), best: 1, isFull: true }) });
  });
  return found;
}

/** Occurrences side by side, up to a number that says enough. */
function countLiteral(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0 && count < 20; at = text.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

/** The weighted occurrences of a clause in a note; what stands in a heading or tag is counted again for that. */
function weigh(entry: NoteEntry, clause: Clause, count: number): number {
  const inField = (text: string): number => (text === '' ? 0 : countClause(toScanText(text), clause));
  const even = { own: 1, average: 1 };
  let sum =
    inField(entry.title) * occurrenceWeight('title', even) + inField(otherNames(entry).join('\n')) * occurrenceWeight('aliases', even);
  if (count === 0) return sum;
  sum += count * occurrenceWeight('body', even);
  sum += inField(entry.headings.map((heading) => heading.text).join('\n')) * occurrenceWeight('headings', even);
  return sum + inField(entry.tags.join('\n')) * occurrenceWeight('tags', even);
}

/** Calls with every note that passes the filter, its text read on the spot, and lets others run between slices. */
async function eachText(source: ScanSource, visit: (entry: NoteEntry, text: string) => void): Promise<void> {
  let letters = 0;
  // A list of its own: the graph may change while others run.
  for (const entry of [...source.graph.entries()]) {
    if (!source.filter(entry)) continue;
    const text = source.readText(entry.path);
    if (text === null) continue;
    visit(entry, text);
    letters += text.length + 1000;
    if (letters < SLICE) continue;
    letters = 0;
    await nextTurn();
  }
}

/** Lets everything else that waits run first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
