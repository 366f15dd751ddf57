import { setImmediate } from 'node:timers/promises';
import { RouxError } from '../../errors.ts';
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
  /** Ends the scan with `CANCELLED`: nobody waits for its result. */
  readonly signal?: AbortSignal | undefined;
  /** Calls `visit` with each note that is not in the graph yet; its text is null where it is not wanted. Absent when all are in it. */
  readonly unread?: (visit: (entry: NoteEntry, text: string | null) => void) => Promise<void>;
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
  const words = query.words.map(toClauseScan);
  const lengths = await sumLengths(source.graph);
  // It knows the tags that the graph has now, as the notes in it are chosen now.
  const { holds } = queryMatcher(source.graph, query);
  // The lengths of unread notes are known at the end.
  const averages = source.unread === undefined ? lengths.averages() : null;
  const having = query.ranked.map(() => 0);
  const found: { path: NotePath; counted: Counted; strengths: readonly number[] | null; isFull: boolean }[] = [];
  // The rarity of a word matters only if there are others.
  const isWeighed = query.ranked.length > 1;
  await eachText(source, { isWhole: isWeighed, lengths }, (entry, text, spend) => {
    const names = namesOf(entry);
    const has = remembered((word) => {
      const scan = words[word] ?? [];
      return holdsClause(text, scan) || holdsClause(names(), scan);
    });
    for (const [at, { word }] of query.ranked.entries()) if (has(word)) having[at] = (having[at] ?? 0) + 1;
    if (!source.isInScope(entry) || !holds({ entry, has, text: () => text, names, spend })) return;
    const texts = fieldTexts({ entry, text });
    const counted: Counted = {
      words: query.ranked.map(({ word }) => (has(word) ? countWord(words[word] ?? [], texts) : [])),
      lengths: fieldLengths(entry),
    };
    found.push({
      path: entry.path,
      isFull: query.full.every(has),
      ...(averages === null ? { counted, strengths: null } : { counted: NOTHING_COUNTED, strengths: strengthsOf(counted, averages) }),
    });
  });
  const all = lengths.notes;
  const rarities = query.ranked.map(({ word, share }, at): WordRarity => {
    const rarity = isWeighed ? share * inverseDocumentFrequency({ having: having[at] ?? 0, all }) : share;
    return { word, rarity, near: [], isUnknown: isWeighed && having[at] === 0 };
  });
  const best = rarities.reduce((sum, { rarity }) => sum + rarity, 0);
  const mean = averages ?? lengths.averages();
  const notes = found.map(({ path, counted, strengths, isFull }) => {
    const own = strengths ?? strengthsOf(counted, mean);
    const strength = rarities.reduce((sum, { rarity }, at) => sum + rarity * (own[at] ?? 0), 0);
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

/** How often a note has the words of a query: for each word and alternative, each term. */
interface Counted {
  readonly words: readonly (readonly (readonly TermCounts[])[])[];
  readonly lengths: SearchDocument['lengths'];
}

/** Occurrences of a term by the fields whose length counts, those of parts of words less, and the weight of all others. */
type TermCounts = SearchDocument['lengths'] & { readonly others: number };

const NOTHING_COUNTED: Counted = { words: [], lengths: { title: 0, aliases: 0, body: 0 } };

function countWord(clause: ClauseScan, texts: Readonly<Record<SearchField, string>>): readonly (readonly TermCounts[])[] {
  return clause.map((terms) => terms.map((term) => countsOf(term, texts)));
}

function countsOf(scan: TermScan, texts: Readonly<Record<SearchField, string>>): TermCounts {
  const counts = { title: 0, aliases: 0, body: 0, others: 0 };
  for (const field of SEARCH_FIELDS) {
    let weight = 0;
    for (const [found, count] of countTerms(texts[field], scan)) {
      const share = found === scan.term ? 1 : prefixWeight({ asked: scan.term.length, found: found.length });
      weight += share * Math.min(MAX_COUNTED, count);
    }
    if (field === 'title' || field === 'aliases' || field === 'body') counts[field] = weight;
    else if (weight > 0) counts.others += weight * occurrenceWeight(field, UNMEASURED);
  }
  return counts;
}

function strengthsOf({ words, lengths }: Counted, averages: SearchDocument['lengths']): readonly number[] {
  return words.map((word) => strengthOf(word, lengths, averages));
}

/** Returns the strength of a word in a note as the index computes it: the best alternative, with the mean over its terms. */
function strengthOf(word: Counted['words'][number], lengths: SearchDocument['lengths'], averages: SearchDocument['lengths']): number {
  let best = 0;
  for (const terms of word) {
    const parts = terms.map((counts) => saturate(weightOf(counts, lengths, averages)));
    if (parts.length === 0 || parts.includes(0)) continue;
    best = Math.max(best, parts.reduce((sum, part) => sum + part, 0) / parts.length);
  }
  return best;
}

function weightOf(counts: TermCounts, lengths: SearchDocument['lengths'], averages: SearchDocument['lengths']): number {
  let weight = counts.others;
  for (const field of MEASURED_FIELDS) {
    if (counts[field] > 0) weight += counts[field] * occurrenceWeight(field, { own: lengths[field], average: averages[field] });
  }
  return weight;
}

/** Cost of reading the lengths of a note, in characters searched in the same time. */
const LENGTHS_COST = 100;

/** Cached by graph and version, since computing them examines all notes. */
const knownLengths = new WeakMap<GraphView, { readonly version: number; readonly lengths: Lengths }>();

/** The lengths of the measured fields of notes, together. */
class Lengths {
  notes = 0;
  readonly #sums: Record<(typeof MEASURED_FIELDS)[number], number>;
  readonly #counts: Record<(typeof MEASURED_FIELDS)[number], number>;

  constructor(from: Lengths | null = null) {
    this.notes = from?.notes ?? 0;
    this.#sums = from === null ? { title: 0, aliases: 0, body: 0 } : { ...from.#sums };
    this.#counts = from === null ? { title: 0, aliases: 0, body: 0 } : { ...from.#counts };
  }

  add(entry: NoteEntry): void {
    const lengths = fieldLengths(entry);
    this.notes += 1;
    for (const field of MEASURED_FIELDS) {
      this.#sums[field] += lengths[field];
      this.#counts[field] += lengths[field] > 0 ? 1 : 0;
    }
  }

  /** Returns the mean length of each field over the notes that have it. */
  averages(): SearchDocument['lengths'] {
    const mean = (field: (typeof MEASURED_FIELDS)[number]): number =>
      this.#counts[field] === 0 ? 0 : this.#sums[field] / this.#counts[field];
    return { title: mean('title'), aliases: mean('aliases'), body: mean('body') };
  }
}

/** Returns the lengths of the notes in a graph, to which others may be added. Yields between slices. */
async function sumLengths(graph: GraphView): Promise<Lengths> {
  const known = knownLengths.get(graph);
  const { version } = graph;
  if (known?.version === version) return new Lengths(known.lengths);
  const slice = sliced();
  const lengths = new Lengths();
  // Chosen first: the graph may change while others run.
  const entries = Array.from(graph.entries({ includeHidden: true }));
  for (const entry of entries) {
    slice.spend(LENGTHS_COST);
    if (slice.isOver()) await setImmediate();
    lengths.add(entry);
  }
  knownLengths.set(graph, { version: graph.version, lengths });
  return new Lengths(lengths);
}

/** Finds a literal text, ignoring case, in titles and files. */
export async function scanExactly(source: ScanSource, literal: string): Promise<ScoredNote[]> {
  const wanted = literal.toLowerCase();
  const found: ScoredNote[] = [];
  await eachText(source, { isWhole: false, lengths: null }, (entry, text) => {
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
  { isWhole, lengths }: { readonly isWhole: boolean; readonly lengths: Lengths | null },
  visit: (entry: NoteEntry, text: string, spend: (characters: number) => void) => void,
): Promise<void> {
  const slice = sliced();
  // Chosen first: the graph may change while others run.
  const entries = Array.from(source.graph.entries({ includeHidden: true })).filter((entry) => isWhole || source.isInScope(entry));
  // The first scan may put unread notes into the graph meanwhile: none is visited twice, and none is left out.
  await source.unread?.((entry, text) => {
    refuseCancelled(source);
    lengths?.add(entry);
    if (text !== null && (isWhole || source.isInScope(entry))) visit(entry, text, slice.spend);
  });
  for (const entry of entries) {
    const text = source.readText(entry.path);
    if (text === null) continue;
    slice.spend(text.length + 1000);
    visit(entry, text, slice.spend);
    if (!slice.isOver()) continue;
    await setImmediate();
    refuseCancelled(source);
  }
}

function refuseCancelled({ signal }: ScanSource): void {
  if (signal?.aborted === true) throw new RouxError('CANCELLED', 'The search was cancelled.');
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
