import { foldWords, partOf, splitWords } from '../../site/words.ts';
import { fetchJson, fetchList, fetchPage } from './site-files.ts';
import type { SiteNote } from './site-files.ts';

/** A note that a query finds. */
export interface SiteHit {
  readonly note: SiteNote;
  readonly score: number;
}

/** A part of a page with the words of a query marked. */
export interface Snippet {
  readonly text: string;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** Notes by number, with their score. */
type Scores = Map<number, number>;
type Part = Readonly<Record<string, readonly number[]>>;

/** A whole word counts more than the beginning of one, and a title that begins with the query most. */
const WHOLE_WORD_FACTOR = 3;
const TITLE_SCORE = 40;
const TITLE_START_SCORE = 80;
const SNIPPET_CHARACTERS = 200;
const loaded = new Map<string, Promise<Part>>();

/** Finds the notes that have every word of a query, or one that begins with it, best first. */
export async function searchSite(query: string): Promise<readonly SiteHit[]> {
  const { notes, parts } = await fetchList();
  const words = [...new Set(splitWords(query))];
  if (words.length === 0) return [];
  const found = await Promise.all(words.map((word) => scoreWord(word, parts)));
  const folded = foldWords(query.trim());
  const hits: SiteHit[] = [];
  for (const [number, note] of notes.entries()) {
    const title = foldWords(note.title);
    const titleScore = title.startsWith(folded) ? TITLE_START_SCORE : title.includes(folded) ? TITLE_SCORE : 0;
    const scores = found.map((each) => each.get(number) ?? 0);
    const hasAll = scores.every((score) => score > 0);
    if (!hasAll && titleScore === 0) continue;
    hits.push({ note, score: titleScore + scores.reduce((sum, score) => sum + score, 0) });
  }
  return hits.sort((a, b) => b.score - a.score || a.note.title.localeCompare(b.note.title));
}

async function scoreWord(word: string, parts: ReadonlySet<string>): Promise<Scores> {
  const scores: Scores = new Map();
  if (!parts.has(partOf(word))) return scores;
  for (const [known, steps] of Object.entries(await fetchPart(partOf(word)))) {
    if (!known.startsWith(word)) continue;
    let number = 0;
    for (let at = 0; at < steps.length; at += 2) {
      number += steps[at] ?? 0;
      const score = (steps[at + 1] ?? 0) * (known === word ? WHOLE_WORD_FACTOR : 1);
      scores.set(number, Math.max(scores.get(number) ?? 0, score));
    }
  }
  return scores;
}

/** Fetches a part of the index, once. */
function fetchPart(name: string): Promise<Part> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const part = fetchJson<Part>(`data/words/${name}.json`);
  loaded.set(name, part);
  part.catch(() => loaded.delete(name));
  return part;
}

/** Returns the place of a page that has the first words of a query, and its beginning if it has none. */
export async function fetchSnippet({ file }: SiteNote, query: string): Promise<Snippet> {
  const prose = (await fetchPage(file)).querySelector('.prose');
  // A heading that repeats the title is not shown on the page either.
  const text = [...(prose?.querySelectorAll(':scope > :not(.without-title > h1:first-child)') ?? [])]
    .map((block) => block.textContent ?? '')
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const words = splitWords(query);
  const folded = foldWords(text);
  // Folding may change lengths; the place is then found in the text as it is.
  const searched = folded.length === text.length ? folded : text.toLowerCase();
  const first = Math.min(...words.map((word) => searched.indexOf(word)).filter((at) => at !== -1));
  const start = Number.isFinite(first) ? Math.max(0, first - SNIPPET_CHARACTERS / 4) : 0;
  const shown = text.slice(start, start + SNIPPET_CHARACTERS);
  const lead = start > 0 ? '…' : '';
  const marks = marksOf(searched.slice(start, start + SNIPPET_CHARACTERS), words).map(
    ([from, to]) => [from + lead.length, to + lead.length] as const,
  );
  return { text: `${lead}${shown}${start + SNIPPET_CHARACTERS < text.length ? '…' : ''}`, marks };
}

/** Returns the ranges of a text that are words of a query, in order and apart from one another. */
export function marksOf(text: string, words: readonly string[]): readonly (readonly [start: number, end: number])[] {
  const marks: [number, number][] = [];
  for (const word of words)
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) marks.push([at, at + word.length]);
  let end = 0;
  return marks
    .sort(([a], [b]) => a - b)
    .filter(([from, to]) => {
      const isApart = from >= end;
      if (isApart) end = to;
      return isApart;
    });
}
