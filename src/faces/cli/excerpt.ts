import { visibleLine } from '../../terminal-text.ts';
import type { Painter } from './terminal.ts';
import { graphemesOf, widthOf } from './terminal.ts';

/** A range of a text, in UTF-16 units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

const ELLIPSIS = '…';
/** How far the start of a window may move, in graphemes, to begin with a whole word. */
const MAX_WORD_SHIFT_GRAPHEMES = 12;

/** Formats a text as one line of at most `columns`, cut around the first hit, with all hits in bold if colors are on. */
export function excerptLine(
  text: string,
  { hits, columns, paint }: { hits: readonly TextRange[]; columns: number; paint: Painter },
): string {
  const { start, end } = chooseWindow(text, { start: hits[0]?.start ?? 0, end: hits[0]?.end ?? 0 }, columns);
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

/**
 * Returns the part of a text that fits into `columns` and shows the hit, with a third of the room before the hit if both sides must be cut.
 */
function chooseWindow(text: string, hit: TextRange, columns: number): TextRange {
  const parts = [...graphemesOf(text)].map(({ segment, index }) => ({ index, width: widthOf(visibleLine(segment)) }));
  const total = parts.reduce((sum, { width }) => sum + width, 0);
  if (total <= columns) return { start: 0, end: text.length };
  const room = columns - 2 * ELLIPSIS.length;
  let first = parts.findLastIndex(({ index }) => index <= hit.start);
  let [before, behind] = [0, 0];
  for (let at = first; at < parts.length; at += 1) behind += parts[at]?.width ?? 0;
  // Room that is not needed after the hit is used before it.
  const lead = Math.max(Math.floor(room / 3), room - behind);
  while (first > 0 && before + (parts[first - 1]?.width ?? 0) <= lead) {
    first -= 1;
    before += parts[first]?.width ?? 0;
  }
  first = first === 0 ? 0 : findWordStart(text, parts, first, hit.start);
  let [last, left] = [first, room];
  while (last < parts.length && (parts[last]?.width ?? 0) <= left) {
    left -= parts[last]?.width ?? 0;
    last += 1;
  }
  return { start: parts[first]?.index ?? 0, end: parts[last]?.index ?? text.length };
}

function findWordStart(text: string, parts: readonly { readonly index: number }[], from: number, hit: number): number {
  for (let at = from; at < from + MAX_WORD_SHIFT_GRAPHEMES && (parts[at]?.index ?? hit) < hit; at += 1) {
    const { index } = parts[at]!;
    if (/\s/.test(text.charAt(index - 1)) && !/\s/.test(text.charAt(index))) return at;
  }
  return from;
}

const QUERY_PART = /(-?)(?:(tag|path|type|file|line|section):\S+|\[[^[\]]*\]|"([^"]*)"|(\S+))/giu;
/** Scripts written without spaces, where any part of a run may be the word. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}$/u;

/**
 * Returns where the words and phrases of a query occur in a text, in order and without overlap. Only for highlighting; the search itself
 * decides what matches.
 */
export function findHits(text: string, query: string, { isExact }: { readonly isExact: boolean }): readonly TextRange[] {
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

/** Finds the whole word, or, in a script without spaces, its pairs of adjacent characters. */
function find(text: string, word: string, isExact: boolean): readonly TextRange[] {
  const whole = [...occurrences(text, word, isExact)];
  if (whole.length > 0 || isExact || !UNSPACED.test(word)) return whole;
  const letters = Array.from(word);
  return letters.slice(1).flatMap((letter, at) => [...occurrences(text, `${letters[at] ?? ''}${letter}`, true)]);
}

const MAX_HITS = 50;

function* occurrences(text: string, word: string, isAnywhere: boolean): Generator<TextRange> {
  let found = 0;
  for (let at = word === '' ? -1 : text.indexOf(word); at >= 0 && found < MAX_HITS; at = text.indexOf(word, at + word.length)) {
    // As in the search, a match must start at the beginning of a word; in a script without spaces, every character does.
    const isWithin = !isAnywhere && /[\p{L}\p{N}]$/u.test(text.slice(0, at)) && /^[\p{L}\p{N}]/u.test(word) && !UNSPACED.test(word);
    if (isWithin) continue;
    found += 1;
    yield { start: at, end: at + word.length };
  }
}

/** Removes case and accents. `places` maps each unit of the folded text, and its end, to an offset in the text. */
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
