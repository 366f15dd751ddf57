import type { Span } from '../../note/note.ts';
import type { Clause } from './query/clauses.ts';
import { CharacterClass, classAt } from './words/character-class.ts';
import { foldInPlace, foldText } from './words/fold-text.ts';
import { nextRun, termsOfRun } from './words/tokenize.ts';
import type { Run } from './words/tokenize.ts';

/** What a snippet shows: words as in the index, and literal texts. */
export interface SnippetQuery {
  readonly clauses: readonly Clause[];
  readonly literals: readonly string[];
  /** How much each clause tells, 0 to 1; 1 where it is not given. */
  readonly weights?: readonly number[];
}

/** A match of a word or literal. */
export interface Hit {
  readonly start: number;
  readonly end: number;
  /** Index of the word or literal in the query. */
  readonly of: number;
  /** How much of the word it is: 1, less where it only begins with it, or is a part of a compound. */
  readonly weight: number;
}

interface WantedWords {
  readonly query: SnippetQuery;
  readonly terms: readonly string[];
  /** Where a term may be, sorted; null where only looking at every word tells. */
  readonly places: readonly number[] | null;
}

/** Characters folded at a time, so that a long note costs nothing after its first matches. */
const CHUNK_CHARACTERS = 1 << 15;
/** Matches that a window is chosen from. */
const MAX_HITS = 256;
/** Minimum number of characters that are tokenized at once. */
const MIN_PIECE_CHARACTERS = 160;
/** Places of terms that are worth being listed. */
const MAX_PLACES = 2_000;
/** Apostrophes inside a word are not part of its term. */
const APOSTROPHES = /['\u2019]/g;
/** A longer word that begins with the one that is wanted. */
const PREFIX_WEIGHT = 0.9;

/** Finds words and literals of a query in a range of a text, in order; of many the first. */
export function findHits(text: string, body: Span, query: SnippetQuery): Hit[] {
  const hits: Hit[] = [];
  const terms = [...new Set(query.clauses.flatMap(({ alternatives }) => alternatives.flat()))];
  const literals = query.literals.map((literal) => foldText(literal));
  for (let at = body.start; at < body.end && hits.length < MAX_HITS;) {
    const chunk = { start: at, end: chunkEnd(text, at, body.end) };
    at = chunk.end;
    const plain = text.slice(chunk.start, chunk.end);
    const inPlace = foldInPlace(plain);
    const folded = inPlace ?? foldText(plain);
    if (terms.some((term) => folded.includes(term))) {
      const places = inPlace === null ? null : placesOfTerms(inPlace, terms, chunk.start);
      pushWordHits(hits, text, chunk, { query, terms, places });
    }
    for (const [index, wanted] of literals.entries()) {
      const found = wanted === '' ? -1 : folded.indexOf(wanted);
      if (found < 0) continue;
      const start = wholePoint(text, chunk.start + (inPlace === null ? unfold(plain, found) : found));
      const end = Math.min(chunk.end, start + (query.literals[index]?.length ?? 0));
      hits.push({ start, end, of: query.clauses.length + index, weight: 1 });
    }
  }
  return hits.sort((a, b) => a.start - b.start);
}

/** Returns the end of a chunk, at which no word is split unless it is as long as the chunk. */
function chunkEnd(text: string, start: number, end: number): number {
  if (start + CHUNK_CHARACTERS >= end) return end;
  const chunk = text.slice(start, start + CHUNK_CHARACTERS);
  const last = chunk.lastIndexOf('\n') + 1 || chunk.lastIndexOf(' ') + 1;
  return start + (last === 0 ? CHUNK_CHARACTERS : last);
}

/** Returns the offset in a text of an offset in its folded form. */
function unfold(text: string, folded: number): number {
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (foldText(text.slice(0, middle)).length <= folded) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Returns where terms stand in a folded text, and its apostrophes, which terms leave out; offsets from `start` on. Null if they are so many that
 * they save nothing.
 */
function placesOfTerms(folded: string, terms: readonly string[], start: number): readonly number[] | null {
  const places: number[] = [];
  for (const wanted of [...terms, "'", '\u2019']) {
    if (wanted === '') continue;
    for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
      if (places.length === MAX_PLACES) return null;
      places.push(start + at);
    }
  }
  return places.sort((a, b) => a - b);
}

/** Only words that may be a term are tokenized, which is the most expensive part of a snippet. */
function pushWordHits(hits: Hit[], text: string, chunk: Span, wanted: WantedWords): void {
  if (wanted.places !== null) return pushRunsAt(hits, text, chunk, { ...wanted, places: wanted.places });
  for (let start = chunk.start; start < chunk.end && hits.length < MAX_HITS;) {
    const piece = { start, end: pieceEnd(text, start, chunk.end) };
    if (mayHaveTerm(text, piece, wanted)) {
      for (let run = nextRun(text, start); run !== null && run.start < piece.end && hits.length < MAX_HITS; run = nextRun(text, run.end))
        pushRun(hits, text, run, wanted);
    }
    start = piece.end;
  }
}

/** Tokenizes the runs in which one of the places is. */
function pushRunsAt(hits: Hit[], text: string, chunk: Span, wanted: WantedWords & { readonly places: readonly number[] }): void {
  let done = chunk.start;
  for (const place of wanted.places) {
    if (place < done) continue;
    let run = nextRun(text, breakBefore(text, place, done));
    while (run !== null && run.end <= place) run = nextRun(text, run.end);
    if (run === null || hits.length >= MAX_HITS) return;
    if (run.start <= place) pushRun(hits, text, run, wanted);
    done = run.start <= place ? run.end : run.start;
  }
}

/** Returns where to begin so that the run at a place is cut out as it is when the whole text is: behind white space or punctuation, or `from`. */
function breakBefore(text: string, place: number, from: number): number {
  let at = place;
  while (at > from && (classAt(text, at - 1) !== CharacterClass.Break || isLowSurrogate(text, at - 1))) at -= 1;
  return at;
}

/** Whether a unit is the second half of a character. */
function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function mayHaveTerm(text: string, { start, end }: Span, { terms }: WantedWords): boolean {
  const folded = foldText(text.slice(start, end)).replaceAll(APOSTROPHES, '');
  return terms.some((term) => folded.includes(term));
}

/** Returns the end of a piece of some lines at which no word is split. */
function pieceEnd(text: string, start: number, end: number): number {
  const found = text.indexOf('\n', start + MIN_PIECE_CHARACTERS);
  return found < 0 || found >= end ? end : found + 1;
}

function pushRun(hits: Hit[], text: string, run: Run, { query: { clauses, weights = [] } }: WantedWords): void {
  const terms = termsOfRun(text, run);
  for (const [index, clause] of clauses.entries()) {
    const found = clause.alternatives.flatMap((all) => weighTerms(all, terms, clause.isPrefix));
    if (found.length === 0) continue;
    const weight = (weights[index] ?? 1) * Math.max(...found.map((each) => each.weight));
    const places = placesIn(
      text,
      run,
      found.map(({ term }) => term),
    );
    for (const { start, end } of places) hits.push({ start, end, of: index, weight });
  }
}

/** Returns the terms of one alternative that a run has, and how much of the word each is. */
function weighTerms(
  alternative: readonly string[],
  own: readonly string[],
  isPrefix: boolean,
): readonly { readonly term: string; readonly weight: number }[] {
  const share = 1 / alternative.length;
  return alternative.flatMap((term) => {
    if (term === '') return [];
    if (own.includes(term)) return [{ term, weight: share }];
    return isPrefix && own.some((each) => each.startsWith(term)) ? [{ term, weight: share * PREFIX_WEIGHT }] : [];
  });
}

/** Returns the positions of terms in a run: a word is one whole, while in text without spaces each term has its own. */
function placesIn(text: string, run: Run, terms: readonly string[]): readonly Span[] {
  const folded = run.kind === 'dense' ? foldText(text.slice(run.start, run.end)) : '';
  // Folding rarely changes lengths in these scripts; if it does, positions are unknown.
  if (folded.length !== run.end - run.start) return [run];
  const places = terms.flatMap((term) => {
    const own: Span[] = [];
    for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + term.length))
      own.push({ start: run.start + at, end: run.start + at + term.length });
    return own;
  });
  return places.length === 0 ? [run] : places;
}

/** Returns the offset, moved out of a surrogate pair. */
export function wholePoint(text: string, at: number, step = -1): number {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? at + step : at;
}
