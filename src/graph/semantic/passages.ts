import { readOuterBlocks } from '../../note/body/outer-blocks.ts';
import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import { headingPathLink } from '../../note/body/heading-path.ts';
import type { Heading } from '../../note/note.ts';

/** A part of a note that gets its own vector. */
export interface Passage {
  /** Path of the headings above it as a link names them (`Setup#On Linux`); `''` for the beginning of the note. */
  readonly section: string;
  /** The text to embed: title, heading, then the content. */
  readonly text: string;
  /** Offset of the passage in the file, in UTF-16 units. */
  readonly start: number;
}

/** Where a passage is in its note. */
export type PassagePlace = Pick<Passage, 'section' | 'start'>;

/** A note that changes is another entry of the graph. */
const placesByEntry = new WeakMap<object, readonly PassagePlace[]>();

/** Returns where the passages of a note are. They are cached: splitting sixty notes takes longer than all the rest of a search. */
export function placesOfPassages(entry: { readonly title: string }, text: string): readonly PassagePlace[] {
  let places = placesByEntry.get(entry);
  if (places === undefined) {
    places = splitIntoPassages({ title: entry.title, text }).map(({ section, start }) => ({ section, start }));
    placesByEntry.set(entry, places);
  }
  return places;
}

/** Must grow when notes are split in another way, so that cached passages are not used. */
export const PASSAGES_VERSION = 2;

/** Approximate tokens of a passage: what sentence embedders are trained on. */
const PASSAGE_TOKENS = 128;
/** Those of the first one: more of a beginning costs more, and answers no better (`docs/benchmarks.md`). */
const BEGINNING_TOKENS = 80;
/** A section with fewer tokens is joined with the next one. */
const MIN_SECTION_TOKENS = 32;
/** A passage with fewer tokens is too short to mean anything. */
const MIN_TOKENS = 8;
/** Maximum passages of one note; of a longer one only the first are embedded. */
export const MAX_PASSAGES = 24;
/** Only this much of a note is split. */
const MAX_TEXT_CHARACTERS = 200_000;
const MAX_TITLE_CHARACTERS = 200;

/**
 * Splits a note into passages. The first is its title and beginning, which says what the note is about; its sections follow, long ones
 * split at line ends where possible. No text is in two passages.
 */
export function splitIntoPassages({ title, text }: { readonly title: string; readonly text: string }): readonly Passage[] {
  const from = bodyStartOf(text);
  const body = text.slice(from, from + MAX_TEXT_CHARACTERS);
  const name = title.slice(0, MAX_TITLE_CHARACTERS);
  const firstEnd = findCut(body, 0, BEGINNING_TOKENS);
  const passages: Passage[] = [{ section: '', text: `${name}\n${stripMarkup(body.slice(0, firstEnd))}`, start: from }];
  if (firstEnd >= body.trimEnd().length) return passages;
  let open: OpenPassage | null = null;
  const close = (end: number): void => {
    const closed = open;
    open = null;
    if (closed === null || passages.length >= MAX_PASSAGES) return;
    const { section, start } = closed;
    const piece = stripMarkup(body.slice(start, end));
    if (countTokens(piece) < MIN_TOKENS) return;
    passages.push({ section, text: `${name}${section === '' ? '' : `: ${section.replaceAll('#', ', ')}`}\n${piece}`, start: from + start });
  };
  for (const { start, end, section } of splitAtHeadings(body)) {
    // A section of a few lines is joined with what follows, under the first heading.
    if (isLongEnough(body, open, start)) close(start);
    for (let at = Math.max(start, firstEnd); at < end && passages.length < MAX_PASSAGES;) {
      const opened: OpenPassage = open ?? { start: at, section, isContinuation: at > start };
      open = opened;
      const last = findCut(body, opened.start, PASSAGE_TOKENS, end);
      if (last >= end) break;
      close(last);
      at = last;
    }
  }
  close(body.length);
  return passages;
}

/** A passage that may still grow. */
interface OpenPassage {
  readonly start: number;
  readonly section: string;
  /** Whether the previous passage is of the same section. */
  readonly isContinuation: boolean;
}

function isLongEnough(body: string, open: OpenPassage | null, end: number): boolean {
  return open !== null && (open.isContinuation || countTokens(body.slice(open.start, end)) >= MIN_SECTION_TOKENS);
}

/** Splits a body at its headings; each section has the path of the headings above it. */
function splitAtHeadings(body: string): readonly { readonly start: number; readonly end: number; readonly section: string }[] {
  const { headings } = readOuterBlocks(body);
  const above: Heading[] = [];
  const sections = [{ start: 0, end: headings[0]?.start ?? body.length, section: '' }];
  // A heading that has only other headings below it is joined with the first of those.
  let bare: number | null = null;
  for (const [index, heading] of headings.entries()) {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    above.push(heading);
    const section = headingPathLink(above);
    const end = headings[index + 1]?.start ?? body.length;
    const start: number = bare ?? heading.start;
    bare = body.slice(heading.end, end).trim() === '' ? start : null;
    if (bare === null) sections.push({ start, end, section });
  }
  return sections.filter(({ start, end }) => start < end);
}

/** Removes what is only for the eye: emphasis marks, brackets and destinations of links, rules. */
function stripMarkup(text: string): string {
  return text
    .replace(/!?\[\[((?:(?!\[\[)[^\]|\n])*\|)?((?:(?!\[\[)[^\]\n])*)\]\]/g, '$2')
    .replace(/!?\[([^[\]\n]*)\]\((?:(?!\]\()[^)\n])*\)/g, '$1')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/^[ \t>]*#{1,6}[ \t]+/gm, '')
    .replace(/[*_`~=]{2,}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Characters of scripts without spaces count as a token each; very long words are split. */
const WIDE = '\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF\\u2E80-\\u9FFF\\uAC00-\\uD7AF\\uF900-\\uFAFF';
const WORD = new RegExp(`[${WIDE}]|(?:(?![${WIDE}])[\\p{L}\\p{N}]){1,24}|[^\\s\\p{L}\\p{N}]`, 'gu');

/** Estimates the tokens of a text: a Latin word is about one and a third. */
function countTokens(text: string): number {
  let tokens = 0;
  // Continues where the previous match ended.
  WORD.lastIndex = 0;
  for (const [word] of text.matchAll(WORD)) tokens += tokensOfWord(word);
  return tokens;
}

function tokensOfWord(word: string): number {
  return Math.max(1, word.length / 4.5);
}

/**
 * Returns the offset at which to cut after at most `most` tokens: in their last third at the end of a line, else of a sentence, else
 * anywhere at the end of a word.
 */
function findCut(body: string, from: number, most: number, end = body.length): number {
  let tokens = 0;
  let [line, sentence, last] = [-1, -1, from];
  WORD.lastIndex = from;
  for (let match = WORD.exec(body); match !== null && match.index < end; match = WORD.exec(body)) {
    const gap = body.slice(last, match.index);
    if (tokens > (most * 2) / 3) {
      if (gap.includes('\n')) line = match.index;
      else if (gap !== '' && /[.!?]/.test(body.charAt(last - 1))) sentence = match.index;
    }
    tokens += tokensOfWord(match[0]);
    if (tokens > most) return line > 0 ? line : sentence > 0 ? sentence : Math.max(last, from + 1);
    last = match.index + match[0].length;
  }
  return end;
}
