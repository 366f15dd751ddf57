import { setImmediate } from 'node:timers/promises';
import type { NotePath } from '../../note/path.ts';
import type { GraphView, NoteEntry } from '../view.ts';
import { FIELD_WEIGHTS, inverseDocumentFrequency, MAX_COUNTED, occurrenceWeight, prefixWeight, relevance, saturate } from './bm25.ts';
import { MEASURED_FIELDS, SEARCH_FIELDS } from './inverted/text-index.ts';
import type { SearchDocument, SearchField, WordRarity } from './inverted/text-index.ts';
import { namesOf, queryMatcher } from './match/matcher.ts';
import { misspeltWord } from './query/clauses.ts';
import type { SearchQuery } from './query/query.ts';
import { fieldLengths, fieldTexts } from './search-document.ts';
import { countTerms, holdsClause, toClauseScan } from './words/term-scan.ts';
import type { ClauseScan, TermScan } from './words/term-scan.ts';

/** A matching note without its snippet. */
export interface ScoredNote {
  readonly path: NotePath;
  readonly score: number;
}

/** The notes to scan. */
export interface ScanSource {
  readonly graph: GraphView;
  readText(path: NotePath): string | null;
  /** The filter that applies to every query. */
  readonly isInScope: (entry: NoteEntry) => boolean;
  /** Whether the filter excludes only hidden notes. */
  readonly isEverything: boolean;
}

/** Notes found by reading, and words of the query without matches, for which the index might have near misses. */
export interface Scanned {
  readonly notes: ScoredNote[];
  readonly rarities: readonly WordRarity[];
  readonly unknownWords: readonly string[];
}

/** Characters scanned per slice: a few milliseconds of work. */
const MAX_SLICE_CHARACTERS = 400_000;
const MAX_SLICE_MS = 15;
const UNMEASURED = { own: 0, average: 0 };

/** Answers a query by reading the notes, with the same results and scores as the index, except for near misses. */
export async function scanNotes(source: ScanSource, query: SearchQuery): Promise<Scanned> {
  const { holds } = queryMatcher(source.graph, query);
  const words = query.words.map(toClauseScan);
  const averages = await averageLengths(source.graph);
  const having = query.ranked.map(() => 0);
  const found: { path: NotePath; strengths: readonly number[]; isFull: boolean }[] = [];
  // The rarity of a word matters only if there are others.
  const isWeighed = query.ranked.length > 1;
  await eachText(source, { isWhole: isWeighed }, (entry, text, spend) => {
    const names = namesOf(entry);
    const has = remembered((word) => {
      const scan = words[word] ?? [];
      return holdsClause(text, scan) || holdsClause(names(), scan);
    });
    for (const [at, { word }] of query.ranked.entries()) if (has(word)) having[at] = (having[at] ?? 0) + 1;
    if (!source.isInScope(entry) || !holds({ entry, has, text: () => text, names, spend })) return;
    const measured = { texts: fieldTexts({ entry, text }), lengths: fieldLengths(entry), averages };
    const strengths = query.ranked.map(({ word }) => (has(word) ? strengthOf(words[word] ?? [], measured) : 0));
    found.push({ path: entry.path, strengths, isFull: query.full.every(has) });
  });
  const all = source.graph.size;
  const rarities = query.ranked.map(({ word, share }, at): WordRarity => {
    const rarity = isWeighed ? share * inverseDocumentFrequency({ having: having[at] ?? 0, all }) : share;
    return { word, rarity, near: [], isUnknown: isWeighed && having[at] === 0 };
  });
  const best = rarities.reduce((sum, { rarity }) => sum + rarity, 0);
  const notes = found.map(({ path, strengths, isFull }) => {
    const strength = rarities.reduce((sum, { rarity }, at) => sum + rarity * (strengths[at] ?? 0), 0);
    return { path, score: relevance({ strength, best, isFull }) };
  });
  const unknownWords = query.ranked.flatMap(({ word }, at) => {
    const clause = query.words[word];
    return having[at] !== 0 || clause === undefined ? [] : (misspeltWord(clause) ?? []);
  });
  return { notes, rarities, unknownWords };
}

function remembered(ask: (word: number) => boolean): (word: number) => boolean {
  const known: (boolean | undefined)[] = [];
  return (word) => (known[word] ??= ask(word));
}

interface Measured {
  readonly texts: Readonly<Record<SearchField, string>>;
  readonly lengths: SearchDocument['lengths'];
  readonly averages: SearchDocument['lengths'];
}

/** Returns the strength of a word in a note as the index computes it: the best alternative, with the mean over its terms. */
function strengthOf(clause: ClauseScan, note: Measured): number {
  let best = 0;
  for (const terms of clause) {
    const parts = terms.map((term) => saturate(weightOf(term, note)));
    if (parts.length === 0 || parts.includes(0)) continue;
    best = Math.max(best, parts.reduce((sum, part) => sum + part, 0) / parts.length);
  }
  return best;
}

function weightOf(scan: TermScan, { texts, lengths, averages }: Measured): number {
  let weight = 0;
  for (const field of SEARCH_FIELDS) {
    const counts = countTerms(texts[field], scan);
    if (counts.size === 0) continue;
    const isMeasured = field === 'title' || field === 'aliases' || field === 'body';
    const one = occurrenceWeight(field, isMeasured ? { own: lengths[field], average: averages[field] } : UNMEASURED);
    for (const [found, count] of counts) {
      const share = found === scan.term ? 1 : prefixWeight({ asked: scan.term.length, found: found.length });
      weight += share * Math.min(MAX_COUNTED, count) * one;
    }
  }
  return weight;
}

/** Cost of reading the lengths of a note, in characters searched in the same time. */
const LENGTHS_COST = 100;

/** Cached by graph and version, since computing them examines all notes. */
const knownAverages = new WeakMap<GraphView, { readonly version: number; readonly averages: SearchDocument['lengths'] }>();

/** Returns the mean length of each field over the notes that have it. Yields between slices. */
async function averageLengths(graph: GraphView): Promise<SearchDocument['lengths']> {
  const known = knownAverages.get(graph);
  const { version } = graph;
  if (known?.version === version) return known.averages;
  const slice = sliced();
  const sums = { title: 0, aliases: 0, body: 0 };
  const counts = { title: 0, aliases: 0, body: 0 };
  // Chosen first: the graph may change while others run.
  const entries = Array.from(graph.entries({ includeHidden: true }));
  for (const entry of entries) {
    slice.spend(LENGTHS_COST);
    if (slice.isOver()) await setImmediate();
    const lengths = fieldLengths(entry);
    for (const field of MEASURED_FIELDS) {
      sums[field] += lengths[field];
      counts[field] += lengths[field] > 0 ? 1 : 0;
    }
  }
  const mean = (field: (typeof MEASURED_FIELDS)[number]): number => (counts[field] === 0 ? 0 : sums[field] / counts[field]);
  const averages = { title: mean('title'), aliases: mean('aliases'), body: mean('body') };
  knownAverages.set(graph, { version: graph.version, averages });
  return averages;
}

/** Finds a literal text, ignoring case, in titles and files. */
export async function scanExactly(source: ScanSource, literal: string): Promise<ScoredNote[]> {
  const wanted = literal.toLowerCase();
  const found: ScoredNote[] = [];
  await eachText(source, { isWhole: false }, (entry, text) => {
    const inTitle = entry.title.toLowerCase().includes(wanted) ? FIELD_WEIGHTS.title.boost : 0;
    const count = inTitle + countLiteral(text.toLowerCase(), wanted);
    if (count > 0) found.push({ path: entry.path, score: relevance({ strength: saturate(count), best: 1, isFull: true }) });
  });
  return found;
}

/** Counts occurrences up to a limit. */
function countLiteral(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0 && count < 20; at = text.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

/** Calls `visit` with every note, or every note in scope, and its text. Yields between slices. */
async function eachText(
  source: ScanSource,
  { isWhole }: { readonly isWhole: boolean },
  visit: (entry: NoteEntry, text: string, spend: (characters: number) => void) => void,
): Promise<void> {
  const slice = sliced();
  // Chosen first: the graph may change while others run.
  const entries = Array.from(source.graph.entries({ includeHidden: true })).filter((entry) => isWhole || source.isInScope(entry));
  for (const entry of entries) {
    const text = source.readText(entry.path);
    if (text === null) continue;
    slice.spend(text.length + 1000);
    visit(entry, text, slice.spend);
    if (slice.isOver()) await setImmediate();
  }
}

/** Returns a function that reads the text of a note, `''` if it was removed, and caches it until another one is read. */
export function lastTextOf(source: Pick<ScanSource, 'readText'>, spend: (characters: number) => void): (path: NotePath) => string {
  let last: { readonly path: NotePath; readonly text: string } | null = null;
  return (path) => {
    if (last?.path !== path) {
      last = { path, text: source.readText(path) ?? '' };
      spend(last.text.length + 1000);
    }
    return last.text;
  };
}

/** Counts work, and tells when to yield: after enough of it, or after some milliseconds on a busy machine. */
export function sliced(): { readonly spend: (characters: number) => void; readonly isOver: () => boolean } {
  let characters = 0;
  let end = performance.now() + MAX_SLICE_MS;
  return {
    spend: (more) => {
      characters += more;
    },
    isOver: () => {
      if (characters < MAX_SLICE_CHARACTERS && performance.now() < end) return false;
      characters = 0;
      end = performance.now() + MAX_SLICE_MS;
      return true;
    },
  };
}
