import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import type { Span } from '../../note/note.ts';
import type { WordRarity } from './inverted/text-index.ts';
import type { Clause } from './query/clauses.ts';
import type { SearchQuery } from './query/query.ts';
import { placeInNote } from './place-in-note.ts';
import type { SearchHit } from './search.ts';
import { foldText } from './words/fold-text.ts';
import { nextRun, termsOfRun } from './words/tokenize.ts';
import type { Run } from './words/tokenize.ts';

/** What a snippet shows: words as in the index, and literal texts. */
export interface SnippetQuery {
  readonly clauses: readonly Clause[];
  readonly literals: readonly string[];
  /** How much each clause tells, 0 to 1; 1 where it is not given. */
  readonly weights?: readonly number[];
}

/** Least weight of a word: a frequent one still counts beside equal ones. */
const MIN_WEIGHT = 0.05;

/** Returns what snippets show of a query: its phrases and words, rare ones before frequent ones. */
export function toSnippetQuery({ words, shown }: SearchQuery, rarities: readonly WordRarity[] = []): SnippetQuery {
  const most = Math.max(...rarities.map(({ rarity }) => rarity), Number.MIN_VALUE);
  const known = new Map(rarities.map(({ word, rarity }) => [word, Math.max(MIN_WEIGHT, rarity / most)]));
  const present = shown.words.filter((word) => words[word] !== undefined);
  return {
    clauses: present.flatMap((word) => words[word] ?? []),
    literals: shown.literals,
    weights: present.map((word) => known.get(word) ?? 1),
  };
}

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
}

/** Characters folded at a time, so that a long note costs nothing after its first matches. */
const CHUNK_CHARACTERS = 1 << 15;
/** Matches that a window is chosen from. */
const MAX_HITS = 256;
/** Minimum number of characters that are tokenized at once. */
const MIN_PIECE_CHARACTERS = 160;
/** Apostrophes inside a word are not part of its term. */
const APOSTROPHES = /['\u2019]/g;
const ELLIPSIS = '…';
/** A longer word that begins with the one that is wanted. */
const PREFIX_WEIGHT = 0.9;

/** Returns the excerpt of a note: its whole body of at most `whole` UTF-16 units, else a snippet of at most `length`; and where its matches are. */
export function excerptFor(
  text: string,
  query: SnippetQuery,
  { length, whole }: { readonly length: number; readonly whole: number },
): Pick<SearchHit, 'snippet' | 'isWhole' | 'place'> {
  const body = bodyOf(text);
  const window = bestWindow(text, findHits(text, body, query), length - 2 * ELLIPSIS.length);
  const place = window === null ? {} : { place: placeInNote(text, window.at) };
  const from = bodyStartOf(text);
  if (text.length - from <= whole) return { snippet: text.slice(from), isWhole: true, ...place };
  return { snippet: cut(text, body, { window, length }), isWhole: false, ...place };
}

/**
 * Returns the part of the body, at most `length` UTF-16 units including ellipses, with most words of the query; without matches, the start.
 * Cut between words if possible, never inside a code point.
 */
export function snippetOf(text: string, query: SnippetQuery, length: number): string {
  const body = bodyOf(text);
  return cut(text, body, { window: bestWindow(text, findHits(text, body, query), length - 2 * ELLIPSIS.length), length });
}

/** Returns where the body of a note is, without the space around it. */
function bodyOf(text: string): Span {
  const from = bodyStartOf(text);
  const end = text.trimEnd().length;
  return { start: Math.min(end, from + (/^\s*/.exec(text.slice(from, from + 1000))?.[0].length ?? 0)), end };
}

/** The stretch of a text that a snippet shows around. */
interface Window extends Span {
  /** Start of the first match on the line with most of the words. */
  readonly at: number;
}

/** Returns the window that has most different words, whole ones before their parts; of equal ones the shortest, then the earliest. */
function bestWindow(text: string, hits: readonly Hit[], length: number): Window | null {
  let best: (Span & { readonly weight: number; readonly from: number; readonly to: number }) | null = null;
  for (const [from, { start }] of hits.entries()) {
    const words = new Map<number, number>();
    let [weight, end, to] = [0, start, from];
    for (let next = from; next < hits.length; next += 1) {
      const hit = hits[next]!;
      if (next > from && hit.end - start > length) break;
      const more = hit.weight - (words.get(hit.of) ?? 0);
      if (more <= 0) continue;
      words.set(hit.of, hit.weight);
      [weight, end, to] = [weight + more, hit.end, next];
    }
    if (best === null || weight > best.weight || (weight === best.weight && end - start < best.end - best.start))
      best = { start, end, weight, from, to };
  }
  return best === null ? null : { start: best.start, end: best.end, at: bestLine(text, hits.slice(best.from, best.to + 1)) };
}

/** Returns the start of the first match on the line that has most of the words. */
function bestLine(text: string, hits: readonly Hit[]): number {
  let best = { at: 0, weight: 0 };
  for (let from = 0; from < hits.length;) {
    const at = hits[from]!.start;
    const end = text.indexOf('\n', at);
    const words = new Map<number, number>();
    for (; from < hits.length && (end < 0 || hits[from]!.start < end); from += 1) {
      const { of, weight } = hits[from]!;
      words.set(of, Math.max(weight, words.get(of) ?? 0));
    }
    const weight = [...words.values()].reduce((sum, each) => sum + each, 0);
    if (weight > best.weight) best = { at, weight };
  }
  return best.at;
}

function cut(text: string, body: Span, fit: { window: Span | null; length: number }): string {
  const { window, length } = fit;
  if (body.end - body.start <= length) return text.slice(body.start, body.end);
  if (length < 4) return text.slice(body.start, wholePoint(text, body.start + Math.max(0, length)));
  if (window === null || window.end - body.start <= length - ELLIPSIS.length) {
    const end = wordEndBefore(text, { from: body.start, to: body.start + length - ELLIPSIS.length });
    return text.slice(body.start, end).trimEnd() + ELLIPSIS;
  }
  const budget = length - 2 * ELLIPSIS.length;
  const slack = Math.max(0, budget - (window.end - window.start));
  const isTail = body.end - window.start <= budget - Math.floor(slack / 3);
  const lead = isTail ? body.end - budget - ELLIPSIS.length : window.start - Math.floor(slack / 3);
  const start = wordStartAfter(text, { from: Math.max(body.start, lead), to: window.start });
  if (body.end - start <= length - ELLIPSIS.length) return ELLIPSIS + text.slice(start, body.end);
  const end = wordEndBefore(text, { from: Math.min(window.end, start + budget), to: start + budget });
  return ELLIPSIS + text.slice(start, end).trimEnd() + ELLIPSIS;
}

/** Returns the start of the next word before `to`. */
function wordStartAfter(text: string, range: { from: number; to: number }): number {
  for (let at = range.from; at < range.to && at < range.from + 40; at += 1) {
    if (/\s/.test(text.charAt(at - 1)) && !/\s/.test(text.charAt(at))) return at;
  }
  return wholePoint(text, range.from, 1);
}

function wordEndBefore(text: string, range: { from: number; to: number }): number {
  for (let at = range.to; at > range.from && at > range.to - 40; at -= 1) {
    if (/\s/.test(text.charAt(at)) && !/\s/.test(text.charAt(at - 1))) return at;
  }
  return wholePoint(text, range.to);
}

/** Returns the offset, moved out of a surrogate pair. */
function wholePoint(text: string, at: number, step = -1): number {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff ? at + step : at;
}

/** Finds words and literals of a query in a range of a text, in order; of many the first. */
export function findHits(text: string, body: Span, query: SnippetQuery): Hit[] {
  const hits: Hit[] = [];
  const terms = [...new Set(query.clauses.flatMap(({ alternatives }) => alternatives.flat()))];
  const literals = query.literals.map((literal) => foldText(literal));
  for (let at = body.start; at < body.end && hits.length < MAX_HITS;) {
    const chunk = { start: at, end: chunkEnd(text, at, body.end) };
    at = chunk.end;
    const plain = text.slice(chunk.start, chunk.end);
    const folded = foldText(plain);
    if (terms.some((term) => folded.includes(term))) pushWordHits(hits, text, chunk, { query, terms });
    for (const [index, wanted] of literals.entries()) {
      const found = wanted === '' ? -1 : folded.indexOf(wanted);
      if (found < 0) continue;
      const start = wholePoint(text, chunk.start + (folded.length === plain.length ? found : unfold(plain, found)));
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

/** Only lines with a term are tokenized, which is the most expensive part of a snippet. */
function pushWordHits(hits: Hit[], text: string, chunk: { start: number; end: number }, wanted: WantedWords): void {
  for (let start = chunk.start; start < chunk.end && hits.length < MAX_HITS;) {
    const piece = { start, end: pieceEnd(text, start, chunk.end) };
    const folded = foldText(text.slice(piece.start, piece.end)).replaceAll(APOSTROPHES, '');
    if (wanted.terms.some((term) => folded.includes(term))) pushRuns(hits, text, piece, wanted.query);
    start = piece.end;
  }
}

/** Returns the end of a piece of some lines at which no word is split. */
function pieceEnd(text: string, start: number, end: number): number {
  const found = text.indexOf('\n', start + MIN_PIECE_CHARACTERS);
  return found < 0 || found >= end ? end : found + 1;
}

function pushRuns(hits: Hit[], text: string, piece: { start: number; end: number }, { clauses, weights = [] }: SnippetQuery): void {
  for (
    let run = nextRun(text, piece.start);
    run !== null && run.start < piece.end && hits.length < MAX_HITS;
    run = nextRun(text, run.end)
  ) {
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
