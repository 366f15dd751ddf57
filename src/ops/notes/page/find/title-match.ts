/** How well a name fits a query, and where: ranges of the folded name. */
export interface TitleMatch {
  /** How it matches. */
  readonly tier: keyof typeof TIER;
  /** The higher the better. */
  readonly score: number;
  readonly marks: readonly (readonly [start: number, end: number])[];
}

/** What each way to match adds to a score. `loose`: the name merely has the characters of the query in their order. */
const TIER = { loose: 0, words: 100, inside: 200, wordStarts: 300, start: 400, whole: 500 } as const;

/** Longer names are compared up to here. */
const MAX_NAME_CHARACTERS = 300;
/** With characters inside words, the part of the name that has all of them is at most this many times as long as the query. */
const MAX_SPAN_SHARE = 3;
const SEPARATOR = /[^\p{L}\p{N}]/u;

/**
 * Matches a folded name with a folded query without spaces around it: the whole name, its start, its words, a part of it, or else the
 * characters of the query in their order, most of them in a row or at the starts of words. Returns null if it does not match, and may do so
 * if its score would be less than `least`.
 */
export function matchTitle(wholeName: string, query: string, least = 0): TitleMatch | null {
  const name = wholeName.slice(0, MAX_NAME_CHARACTERS);
  // Of two names that match equally well, the shorter one comes first.
  const share = 90 * (Math.min(query.length, name.length) / Math.max(1, name.length));
  if (name === query) return { tier: 'whole', score: TIER.whole + share, marks: [[0, name.length]] };
  if (name.startsWith(query)) return { tier: 'start', score: TIER.start + share, marks: [[0, query.length]] };
  if (TIER.wordStarts + share < least) return null;
  const at = findWordStart(name, query);
  if (at >= 0) return { tier: 'wordStarts', score: TIER.wordStarts + share, marks: [[at, at + query.length]] };
  const words = query.split(' ').filter((word) => word !== '');
  const starts = words.length > 1 ? findWords(name, words, findWordStart) : null;
  if (starts !== null) return { tier: 'wordStarts', score: TIER.wordStarts + share - 5, marks: starts };
  if (TIER.inside + share < least) return null;
  const inside = name.indexOf(query);
  if (inside >= 0) return { tier: 'inside', score: TIER.inside + share, marks: [[inside, inside + query.length]] };
  if (TIER.words + share < least) return null;
  const parts = words.length > 1 ? findWords(name, words, (text, word) => text.indexOf(word)) : null;
  if (parts !== null) return { tier: 'words', score: TIER.words + share, marks: parts };
  return TIER.loose + share < least ? null : matchLoosely(name, words.join(''), share);
}

/** Returns the first position at which `part` begins a word of the name, or -1. */
function findWordStart(name: string, part: string): number {
  for (let at = name.indexOf(part); at !== -1; at = name.indexOf(part, at + 1)) if (isWordStart(name, at)) return at;
  return -1;
}

function isWordStart(name: string, at: number): boolean {
  return at === 0 || SEPARATOR.test(name[at - 1] ?? '');
}

/** Finds each word by `find`; null if one is missing. Returns ranges in order that do not overlap. */
function findWords(name: string, words: readonly string[], find: (name: string, word: string) => number): TitleMatch['marks'] | null {
  const ranges: (readonly [number, number])[] = [];
  for (const word of words) {
    const at = find(name, word);
    if (at < 0) return null;
    ranges.push([at, at + word.length]);
  }
  ranges.sort(([a], [b]) => a - b);
  return ranges.filter(([start], index) => start >= (ranges[index - 1]?.[1] ?? 0));
}

/** Finds the characters in their order. Scattered characters do not match: nearly every long name has them. */
function matchLoosely(name: string, characters: string, share: number): TitleMatch | null {
  if (characters.length < 2 || !hasInOrder(name, characters)) return null;
  const runs = findRuns(name, characters, true) ?? findRuns(name, characters, false);
  if (runs === null) return null;
  const scattered = runs.filter(([start]) => !isWordStart(name, start)).length;
  const span = (runs.at(-1)?.[1] ?? 0) - (runs[0]?.[0] ?? 0);
  if (scattered > characters.length / 2 || (scattered > 0 && span > MAX_SPAN_SHARE * characters.length)) return null;
  return { tier: 'loose', score: TIER.loose + Math.max(0, share - scattered * 20 - runs.length), marks: runs };
}

function hasInOrder(name: string, characters: string): boolean {
  let at = -1;
  for (const character of characters) {
    at = name.indexOf(character, at + 1);
    if (at < 0) return false;
  }
  return true;
}

/** Returns the ranges of adjacent characters. `prefersStarts`: the next range begins at the start of a word, if one has the character. */
function findRuns(name: string, characters: string, prefersStarts: boolean): (readonly [number, number])[] | null {
  const runs: [number, number][] = [];
  let from = 0;
  for (const character of characters) {
    const last = runs.at(-1);
    if (last !== undefined && name.startsWith(character, from) && last[1] === from) {
      last[1] = from += character.length;
      continue;
    }
    const start = prefersStarts ? findWordStart(name.slice(from), character) : -1;
    const at = start > 0 ? from + start : name.indexOf(character, from);
    if (at < 0) return null;
    from = at + character.length;
    runs.push([at, from]);
  }
  return runs;
}
