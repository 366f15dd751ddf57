import { setImmediate } from 'node:timers/promises';
import type { NotePath } from '../../note/path.ts';
import type { GraphView, NoteEntry } from '../view.ts';
import { FIELD_WEIGHTS, inverseDocumentFrequency, occurrenceWeight, relevance, saturate } from './bm25.ts';
import { PROPERTIES_COST } from './filter.ts';
import type { NoteFilter } from './filter.ts';
import type { SearchField } from './inverted/text-index.ts';
import { phraseClauses } from './query.ts';
import type { SearchQuery } from './query.ts';
import { allNames, otherNames } from './search-document.ts';
import { foldText } from './words/fold-text.ts';
import { letterPattern, mayHold } from './words/letter-pattern.ts';
import { phraseMatcher } from './words/phrase.ts';
import { countClause, toClauseScan } from './words/term-scan.ts';
import type { ClauseScan } from './words/term-scan.ts';

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

/** Characters that are looked through at one go: some milliseconds of work. */
const SLICE = 400_000;

/**
 * Answers a query by reading the notes: the same words, phrases and operators as the index. Two things only the index does:
 * it takes near misses for a word that is found nowhere, and knows the exact length of every field, so that scores differ a little.
 */
export async function scanNotes(source: ScanSource, query: SearchQuery): Promise<ScoredNote[]> {
  const clauses = [...query.clauses, ...query.phrases.flatMap(phraseClauses)].map(toClauseScan);
  const without = query.without.clauses.map(toClauseScan);
  const phrases = query.phrases.map(phraseMatcher);
  const unwanted = query.without.phrases.map(phraseMatcher);
  const found: { path: NotePath; weights: readonly number[] }[] = [];
  const having = clauses.map(() => 0);
  const average = averageLength(source.graph);
  const keys = query.conditions.flatMap((condition) => (condition.kind === 'property' ? [letterPattern(foldText(condition.key))] : []));
  let all = 0;
  await eachText(source, (entry, text) => {
    all += 1;
    // Parsing properties costs more than looking for their names.
    if (!keys.every((key) => mayHold(text, key))) return;
    const names = allNames(entry);
    const texts = { text, names, average };
    const weights = clauses.map((clause) => weigh(entry, clause, texts));
    for (const [at, weight] of weights.entries()) if (weight > 0) having[at] = (having[at] ?? 0) + 1;
    if (clauses.length > 0 && !weights.some((weight) => weight > 0)) return;
    if (without.some((clause) => countClause(text, clause) + countClause(names, clause) > 0)) return;
    const matches = (phrase: (text: string) => boolean): boolean => phrase(text) || phrase(names);
    if (!phrases.every(matches) || unwanted.some(matches)) return;
    if (source.filter.byProperties?.(entry) === false) return;
    found.push({ path: entry.path, weights });
  });
  const rarities = having.map((count) => inverseDocumentFrequency({ having: count, all }));
  const best = rarities.reduce((sum, value) => sum + value, 0);
  return found.map(({ path, weights }) => {
    const sum = rarities.reduce((total, value, at) => total + value * saturate(weights[at] ?? 0), 0);
    return { path, score: relevance({ strength: sum, best, isFull: weights.every((weight) => weight > 0) }) };
  });
}

function averageLength(graph: GraphView): number {
  let sum = 0;
  let count = 0;
  for (const entry of graph.entries()) {
    sum += entry.stamp.size;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** Of ranked notes those that pass the filter and hold the phrases, whose words are known to be there but not that they stand in a row. */
export async function keepMatching(
  source: ScanSource,
  from: { ranked: readonly ScoredNote[]; mayHoldUnwanted: ReadonlySet<string>; query: SearchQuery },
): Promise<ScoredNote[]> {
  const phrases = from.query.phrases.map(phraseMatcher);
  const unwanted = from.query.without.phrases.map(phraseMatcher);
  const { byCatalog, byProperties } = source.filter;
  const kept: ScoredNote[] = [];
  let characters = 0;
  for (const note of from.ranked) {
    if (characters >= SLICE) {
      characters = 0;
      await setImmediate();
    }
    const entry = source.graph.get(note.path);
    if (entry === null || !byCatalog(entry)) continue;
    if (phrases.length > 0 || from.mayHoldUnwanted.has(note.path)) {
      const text = source.readText(note.path) ?? '';
      const matches = (phrase: (text: string) => boolean): boolean => phrase(text) || phrase(allNames(entry));
      characters += text.length + 1000;
      if (!phrases.every(matches) || unwanted.some(matches)) continue;
    }
    if (byProperties !== null) characters += PROPERTIES_COST;
    if (byProperties === null || byProperties(entry)) kept.push(note);
  }
  return kept;
}

/** Finds a text as it stands, in any case, in the title or the file. */
export async function scanExactly(source: ScanSource, literal: string): Promise<ScoredNote[]> {
  const wanted = literal.toLowerCase();
  const found: ScoredNote[] = [];
  await eachText(source, (entry, text) => {
    const inTitle = entry.title.toLowerCase().includes(wanted) ? FIELD_WEIGHTS.title.boost : 0;
    const count = inTitle + countLiteral(text.toLowerCase(), wanted);
    if (count > 0) found.push({ path: entry.path, score: relevance({ strength: saturate(count), best: 1, isFull: true }) });
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
function weigh(entry: NoteEntry, clause: ClauseScan, texts: { text: string; names: string; average: number }): number {
  const even = { own: 1, average: 1 };
  const inField = (field: SearchField, lines: readonly string[]): number =>
    lines.length === 0 ? 0 : countClause(lines.join('\n'), clause) * occurrenceWeight(field, even);
  let sum = 0;
  if (countClause(texts.names, clause) > 0) sum += inField('title', [entry.title]) + inField('aliases', otherNames(entry));
  const count = countClause(texts.text, clause);
  if (count === 0) return sum;
  const headings = entry.headings.map((heading) => heading.text);
  const lengths = { own: texts.text.length, average: texts.average };
  return sum + count * occurrenceWeight('body', lengths) + inField('headings', headings) + inField('tags', entry.tags);
}

/** Calls with every note that passes the filter, its text read on the spot, and lets others run between slices. */
async function eachText(source: ScanSource, visit: (entry: NoteEntry, text: string) => void): Promise<void> {
  let characters = 0;
  // Chosen first: the graph may change while others run.
  const entries = Array.from(source.graph.entries()).filter(source.filter.byCatalog);
  for (const entry of entries) {
    const text = source.readText(entry.path);
    if (text === null) continue;
    visit(entry, text);
    characters += text.length + 1000 + (source.filter.byProperties === null ? 0 : PROPERTIES_COST);
    if (characters < SLICE) continue;
    characters = 0;
    await setImmediate();
  }
}
