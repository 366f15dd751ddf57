import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import type { Span } from '../../note/note.ts';
import { findHits, wholePoint } from './find-hits.ts';
import type { Hit, SnippetQuery } from './find-hits.ts';
import type { WordRarity } from './inverted/text-index.ts';
import type { SearchQuery } from './query/query.ts';
import { placeInNote } from './place-in-note.ts';
import type { SearchHit } from './search.ts';
import { parseSearchQuery } from './query/parse-query.ts';

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

const ELLIPSIS = '…';
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
  const most = new Map<number, number>();
  for (const hit of hits) most.set(hit.of, Math.max(hit.weight, most.get(hit.of) ?? 0));
  for (const [from, { start }] of hits.entries()) {
    const words = new Map<number, number>();
    let [weight, end, to] = [0, start, from];
    // What has all words whole has no more to gain.
    for (let [next, whole] = [from, 0]; next < hits.length && whole < most.size; next += 1) {
      const hit = hits[next]!;
      if (next > from && hit.end - start > length) break;
      const more = hit.weight - (words.get(hit.of) ?? 0);
      if (more <= 0) continue;
      words.set(hit.of, hit.weight);
      if (hit.weight === most.get(hit.of)) whole += 1;
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

/** Returns a function that finds the ranges to highlight for a query in texts, sorted and disjoint. The query is parsed once. */
export function markerOf(query: string): (text: string) => readonly Span[] {
  const wanted = toSnippetQuery(parseSearchQuery(query));
  return (text) => {
    const marks: Span[] = [];
    for (const { start, end } of findHits(text, { start: 0, end: text.length }, wanted)) {
      const last = marks.at(-1);
      if (last !== undefined && start <= last.end) marks[marks.length - 1] = { start: last.start, end: Math.max(last.end, end) };
      else marks.push({ start, end });
    }
    return marks;
  };
}
