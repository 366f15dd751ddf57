import { readOuterBlocks } from '../../note/body/outer-blocks.ts';
import { bodyStartOf } from '../../note/frontmatter/read-frontmatter.ts';
import { headingLink } from '../../note/body/heading-path.ts';
import type { Heading } from '../../note/note.ts';

/** A stretch of a note that gets a vector. */
export interface Passage {
  /** The headings above it as a link names them (`Setup#On Linux`); `''` for the beginning. */
  readonly section: string;
  /** What is embedded: the title, the heading, then the text. */
  readonly text: string;
  /** Where the stretch begins in the file, in UTF-16 units. */
  readonly start: number;
}

/** Grows when notes are cut otherwise, so that what was kept of them is not used. */
export const PASSAGES_VERSION = 1;

/** Tokens of a passage, about: what embedders of sentences were made for, and a quarter of a second of one. */
const TOKENS = 128;
/** A section with fewer stands with the next one. */
const FEW_TOKENS = 32;
/** Less says nothing by itself. */
const MIN_TOKENS = 8;
/** Passages of one note: a book has its first ones only. */
export const MAX_PASSAGES = 24;
/** How much of a note is looked at. */
const MAX_TEXT_CHARACTERS = 200_000;
const MAX_TITLE_CHARACTERS = 200;

/**
 * The passages of a note, the first one its title and beginning, which says what it is about; then its sections, long ones in pieces that end
 * with a line where that is possible. What the first passage holds is not repeated.
 */
export function passagesOf({ title, text }: { readonly title: string; readonly text: string }): readonly Passage[] {
  const from = bodyStartOf(text);
  const body = text.slice(from, from + MAX_TEXT_CHARACTERS);
  const name = title.slice(0, MAX_TITLE_CHARACTERS);
  const firstEnd = cutAfter(body, 0, TOKENS);
  // A little more than is counted as said, so that the embedder has what it can read.
  const passages: Passage[] = [
    { section: '', text: `${name}\n${plain(body.slice(0, cutAfter(body, firstEnd, TOKENS / 2)))}`, start: from },
  ];
  if (firstEnd >= body.trimEnd().length) return passages;
  let open: Stretch | null = null;
  const close = (end: number): void => {
    const closed = open;
    open = null;
    if (closed === null || end <= firstEnd || passages.length >= MAX_PASSAGES) return;
    const { section, start } = closed;
    const piece = plain(body.slice(start, end));
    if (tokensOf(piece) < MIN_TOKENS) return;
    passages.push({ section, text: `${name}${section === '' ? '' : `: ${section.replaceAll('#', ', ')}`}\n${piece}`, start: from + start });
  };
  for (const { start, end, section } of sectionsOf(body)) {
    // A section of a few lines stands with what follows, under the heading that came first.
    if (isEnough(body, open, start)) close(start);
    for (let at = start; at < end && passages.length < MAX_PASSAGES;) {
      const opened: Stretch = open ?? { start: at, section, isRest: at > start };
      open = opened;
      const last = cutAfter(body, opened.start, TOKENS, end);
      if (last >= end) break;
      close(last);
      at = last;
    }
  }
  close(body.length);
  return passages;
}

/** A passage that may go on. */
interface Stretch {
  readonly start: number;
  readonly section: string;
  /** The passage before it is of the same section. */
  readonly isRest: boolean;
}

function isEnough(body: string, open: Stretch | null, end: number): boolean {
  return open !== null && (open.isRest || tokensOf(body.slice(open.start, end)) >= FEW_TOKENS);
}

/** The stretches between headings, each with the headings above it. */
function sectionsOf(body: string): readonly { readonly start: number; readonly end: number; readonly section: string }[] {
  const { headings } = readOuterBlocks(body);
  const above: Heading[] = [];
  const sections = [{ start: 0, end: headings[0]?.start ?? body.length, section: '' }];
  // A heading with nothing below it but other headings stands with the first of those.
  let bare: number | null = null;
  for (const [index, heading] of headings.entries()) {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    above.push(heading);
    const section = above.map(({ text }) => headingLink(text)).join('#');
    const end = headings[index + 1]?.start ?? body.length;
    const start: number = bare ?? heading.start;
    bare = body.slice(heading.end, end).trim() === '' ? start : null;
    if (bare === null) sections.push({ start, end, section });
  }
  return sections.filter(({ start, end }) => start < end);
}

/** Without what is only for the eye: marks of emphasis, brackets and destinations of links, rules. */
function plain(text: string): string {
  return text
    .replace(/!?\[\[((?:(?!\[\[)[^\]|\n])*\|)?((?:(?!\[\[)[^\]\n])*)\]\]/g, '$2')
    .replace(/!?\[([^[\]\n]*)\]\((?:(?!\]\()[^)\n])*\)/g, '$1')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/^[ \t>]*#{1,6}[ \t]+/gm, '')
    .replace(/[*_`~=]{2,}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Characters of scripts without spaces are a token each; words that are too long for one are cut. */
const WIDE = '\\u0E00-\\u0EFF\\u1000-\\u109F\\u1780-\\u17FF\\u2E80-\\u9FFF\\uAC00-\\uD7AF\\uF900-\\uFAFF';
const WORD = new RegExp(`[${WIDE}]|(?:(?![${WIDE}])[\\p{L}\\p{N}]){1,24}|[^\\s\\p{L}\\p{N}]`, 'gu');

/** About how many tokens a text has: a word of Latin letters is one and a third. */
function tokensOf(text: string): number {
  let tokens = 0;
  // Looking begins where the last look ended.
  WORD.lastIndex = 0;
  for (const [word] of text.matchAll(WORD)) tokens += costOf(word);
  return tokens;
}

function costOf(word: string): number {
  return Math.max(1, word.length / 4.5);
}

/** The place after so many tokens: the end of a line, else of a sentence, in their last third, else of a word. */
function cutAfter(body: string, from: number, most: number, end = body.length): number {
  let tokens = 0;
  let [line, sentence, last] = [-1, -1, from];
  WORD.lastIndex = from;
  for (let match = WORD.exec(body); match !== null && match.index < end; match = WORD.exec(body)) {
    const gap = body.slice(last, match.index);
    if (tokens > (most * 2) / 3) {
      if (gap.includes('\n')) line = match.index;
      else if (gap !== '' && /[.!?]/.test(body.charAt(last - 1))) sentence = match.index;
    }
    tokens += costOf(match[0]);
    if (tokens > most) return line > 0 ? line : sentence > 0 ? sentence : Math.max(last, from + 1);
    last = match.index + match[0].length;
  }
  return end;
}
