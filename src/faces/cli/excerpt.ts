import { visibleLine } from '../../terminal-text.ts';
import type { Painter } from './terminal.ts';
import { graphemesOf, widthOf } from './terminal.ts';

/** A stretch of a text, in UTF-16 units. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

const ELLIPSIS = '…';
/** So many characters are passed over to begin with a whole word. */
const WORD = 12;

/** One line of a text in so many columns, around the first of its hits, with the hits in bold where there are colours. */
export function excerptLine(text: string, { hits, columns, paint }: { hits: readonly Stretch[]; columns: number; paint: Painter }): string {
  const { start, end } = windowOf(text, { start: hits[0]?.start ?? 0, end: hits[0]?.end ?? 0 }, columns);
  let line = start === 0 ? '' : ELLIPSIS;
  let at = start;
  for (const hit of hits.filter((each) => each.end > start && each.start < end)) {
    const [from, to] = [Math.max(hit.start, at), Math.min(hit.end, end)];
    if (from >= to) continue;
    line += visibleLine(text.slice(at, from)) + paint.bold(paint.yellow(visibleLine(text.slice(from, to))));
    at = to;
  }
  return line + visibleLine(text.slice(at, end)) + (end === text.length ? '' : ELLIPSIS);
}

/** The part of a text that fits into so many columns and shows a hit, a third of the way in where there is much on both sides. */
function windowOf(text: string, hit: Stretch, columns: number): Stretch {
  const parts = [...graphemesOf(text)].map(({ segment, index }) => ({ index, width: widthOf(visibleLine(segment)) }));
  const total = parts.reduce((sum, { width }) => sum + width, 0);
  if (total <= columns) return { start: 0, end: text.length };
  const room = columns - 2 * ELLIPSIS.length;
  let first = parts.findLastIndex(({ index }) => index <= hit.start);
  let [before, behind] = [0, 0];
  for (let at = first; at < parts.length; at += 1) behind += parts[at]?.width ?? 0;
  // What is not needed behind the hit is had before it.
  const lead = Math.max(Math.floor(room / 3), room - behind);
  while (first > 0 && before + (parts[first - 1]?.width ?? 0) <= lead) {
    first -= 1;
    before += parts[first]?.width ?? 0;
  }
  first = first === 0 ? 0 : wordFrom(text, parts, first, hit.start);
  let [last, left] = [first, room];
  while (last < parts.length && (parts[last]?.width ?? 0) <= left) {
    left -= parts[last]?.width ?? 0;
    last += 1;
  }
  return { start: parts[first]?.index ?? 0, end: parts[last]?.index ?? text.length };
}

function wordFrom(text: string, parts: readonly { readonly index: number }[], from: number, hit: number): number {
  for (let at = from; at < from + WORD && (parts[at]?.index ?? hit) < hit; at += 1) {
    const { index } = parts[at]!;
    if (/\s/.test(text.charAt(index - 1)) && !/\s/.test(text.charAt(index))) return at;
  }
  return from;
}

const QUERY_PART = /(-?)(?:(tag|path|type|file|line|section):\S+|\[[^[\]]*\]|"([^"]*)"|(\S+))/giu;
/** Scripts that are written without spaces: any part of a run may be the word. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}$/u;

/** Where the words and phrases of a query stand in a text, first to last and none within another. For showing: what is found is for the search to say. */
export function hitsOf(text: string, query: string, { isExact }: { readonly isExact: boolean }): readonly Stretch[] {
  const wanted = isExact ? [query.trim()] : wordsOf(query);
  const { folded, places } = fold(text);
  const hits = wanted
    .flatMap((word) => find(folded, fold(word).folded, isExact))
    .map(({ start, end }) => ({ start: places[start]!, end: places[end]! }));
  hits.sort((a, b) => a.start - b.start || b.end - a.end);
  return hits.filter((hit, index) => index === 0 || hit.start >= Math.max(...hits.slice(0, index).map(({ end }) => end)));
}

function wordsOf(query: string): readonly string[] {
  const words: string[] = [];
  for (const [, not, , phrase, word] of query.matchAll(QUERY_PART)) {
    const text = (phrase ?? word ?? '').trim();
    if (not === '' && text !== '' && !/^(OR|AND)$/.test(text)) words.push(text);
  }
  return words;
}

/** Whole, else the pairs of characters in it where a script has no spaces between words. */
function find(text: string, word: string, isExact: boolean): readonly Stretch[] {
  const whole = [...occurrences(text, word, isExact)];
  if (whole.length > 0 || isExact || !UNSPACED.test(word)) return whole;
  const letters = Array.from(word);
  return letters.slice(1).flatMap((letter, at) => [...occurrences(text, `${letters[at] ?? ''}${letter}`, true)]);
}

/** Most hits that a line is searched for. */
const MAX_HITS = 50;

function* occurrences(text: string, word: string, isAnywhere: boolean): Generator<Stretch> {
  let found = 0;
  for (let at = word === '' ? -1 : text.indexOf(word); at >= 0 && found < MAX_HITS; at = text.indexOf(word, at + word.length)) {
    // A word counts from its beginning on, as the search has it; without spaces every character is one.
    const isWithin = !isAnywhere && /[\p{L}\p{N}]$/u.test(text.slice(0, at)) && /^[\p{L}\p{N}]/u.test(word) && !UNSPACED.test(word);
    if (isWithin) continue;
    found += 1;
    yield { start: at, end: at + word.length };
  }
}

/** A text without case and accents, with the place in the text of each of its units, and of its end. */
function fold(text: string): { folded: string; places: readonly number[] } {
  let folded = '';
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const plain = character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    for (let unit = 0; unit < plain.length; unit += 1) places.push(at);
    folded += plain;
    at += character.length;
  }
  places.push(text.length);
  return { folded, places };
}
