import { firstCharacters } from '../text.ts';
import { findHidden, hasHidden, showHidden, withoutHidden } from './hidden-characters.ts';
import { CodeRanges, MARKERS } from './markers.ts';
import { PHRASE_STARTS, PHRASES, SECRET_WORDS, SEND_WORDS } from './phrases.ts';
import type { OrderKind } from './phrases.ts';

/** A place of a text that gives orders to a model. */
export interface Order {
  /** From 1. */
  readonly line: number;
  readonly kind: OrderKind;
  /** The beginning of it on one line, with hidden characters shown by their numbers. */
  readonly excerpt: string;
}

/** Maximum number of orders that are found in one text. */
export const MAX_ORDERS = 20;
const MAX_EXCERPT_CHARACTERS = 120;
/** Maximum number of markers in code that one text is believed to have as examples. */
const MAX_EXAMPLES = 500;
/** Characters in which a phrase ends. */
const MAX_PHRASE_CHARACTERS = 220;
/** Characters around a word for a secret in which an address and a request to send are looked for. */
const MAX_SENTENCE_CHARACTERS = 160;

/**
 * Finds what gives orders to a reader that is a model, in the order of the text: sentences, role markers and calls, characters and comments
 * that nobody sees. Markers and addresses in code are examples, and are left out. `isCodeText`: the text is in a code block only so that it
 * stays as it is, so its code is no example. Takes linear time.
 */
export function findOrders(text: string, { isCodeText = false }: { readonly isCodeText?: boolean } = {}): readonly Order[] {
  const found = findPlaces(text, isCodeText);
  if (found.length === 0) return [];
  found.sort((a, b) => a.at - b.at);
  const orders: Order[] = [];
  let [line, counted] = [1, 0];
  for (const { at, kind } of found) {
    for (let end = text.indexOf('\n', counted); end !== -1 && end < at; end = text.indexOf('\n', counted)) {
      line += 1;
      counted = end + 1;
    }
    const before = orders.at(-1);
    if (before?.line === line && before.kind === kind) continue;
    orders.push({ line, kind, excerpt: excerptAt(text, at) });
    if (orders.length === MAX_ORDERS) break;
  }
  return orders;
}

interface Place {
  readonly at: number;
  readonly kind: OrderKind;
}

function findPlaces(text: string, isCodeText: boolean): Place[] {
  const plain = withoutHidden(text);
  const places = [...findPhrases(plain.text), ...findMarkers(plain.text, isCodeText), ...findSecrets(plain.text, isCodeText)];
  const comments = places.length === 0 ? [] : findComments(plain.text);
  return [
    ...places.map(({ at, kind }) => ({
      at: plain.offsetOf(at),
      kind: comments.some(([start, end]) => at > start && at < end) ? ('hidden-comment' as const) : kind,
    })),
    ...(hasHidden(text) ? findHidden(text).map((at): Place => ({ at, kind: 'hidden-characters' })) : []),
  ];
}

function findPhrases(text: string): readonly Place[] {
  const places: Place[] = [];
  PHRASE_STARTS.lastIndex = 0;
  for (let start = PHRASE_STARTS.exec(text); start !== null; start = PHRASE_STARTS.exec(text)) {
    const { index: at } = start;
    // Phrases overlap: "attention, you are now …".
    PHRASE_STARTS.lastIndex = at + 1;
    const folded = fold(text.slice(at, at + MAX_PHRASE_CHARACTERS));
    const phrase = PHRASES.find(({ pattern }) => pattern.test(folded));
    if (phrase === undefined) continue;
    places.push({ at, kind: phrase.kind });
    if (places.length > MAX_ORDERS) break;
  }
  return places;
}

/** Folds a text for comparison: lower case, no accents, tags or targets of links, one blank for white space and marks of Markdown. */
function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/&(?:nbsp|shy|#32|#160);/g, ' ')
    .replace(/<\/?[a-z][^<>]{0,60}>|\]\([^()\s]{0,100}\)/g, ' ')
    .replace(/[\s*_~`"“”«»>|=[\]-]+/g, ' ')
    .trimStart();
}

function findMarkers(text: string, isCodeText: boolean): readonly Place[] {
  // Most texts have none, and `matchAll` makes a copy of its pattern.
  const found = MARKERS.filter(({ pattern }) => text.search(pattern) >= 0);
  return found.flatMap(({ kind, pattern }) => outsideCode(text, text.matchAll(pattern), isCodeText).map((at) => ({ at, kind })));
}

/** Returns the offsets of the first matches that are not in code. */
function outsideCode(text: string, matches: Iterable<{ readonly index: number }>, isCodeText: boolean): readonly number[] {
  const code = new CodeRanges(text);
  const found: number[] = [];
  let examined = 0;
  for (const { index } of matches) {
    // A text with more matches than this is no document with examples, and looking for the code around each would take square time.
    examined += 1;
    if (!isCodeText && examined <= MAX_EXAMPLES && code.has(index)) continue;
    found.push(index);
    if (found.length > MAX_ORDERS) break;
  }
  return found;
}

/** Finds sentences that ask to send a secret to an address. */
function findSecrets(text: string, isCodeText: boolean): readonly Place[] {
  if (!text.includes('://')) return [];
  const sentences = [...text.matchAll(SECRET_WORDS)].filter(({ index }) => {
    const before = text.slice(Math.max(0, index - MAX_SENTENCE_CHARACTERS), index);
    const after = text.slice(index, index + MAX_SENTENCE_CHARACTERS);
    const sentence = `${before.slice(before.lastIndexOf('\n') + 1)}${after.split('\n', 1)[0]}`;
    return /https?:\/\//i.test(sentence) && SEND_WORDS.test(sentence);
  });
  return outsideCode(text, sentences, isCodeText).map((at) => ({ at, kind: 'send-secrets' }));
}

/** Finds the comments of HTML and of Obsidian, start and end. */
function findComments(text: string): readonly (readonly [start: number, end: number])[] {
  const comments: [number, number][] = [];
  for (const [open, close] of [
    ['<!--', '-->'],
    ['%%', '%%'],
  ] as const) {
    for (let start = text.indexOf(open); start !== -1;) {
      const end = text.indexOf(close, start + open.length);
      comments.push([start, end === -1 ? text.length : end]);
      start = end === -1 ? -1 : text.indexOf(open, end + close.length);
    }
  }
  return comments;
}

function excerptAt(text: string, at: number): string {
  const shown = showHidden(text.slice(at, at + MAX_EXCERPT_CHARACTERS * 2))
    .replace(/\s+/g, ' ')
    .trim();
  return shown.length <= MAX_EXCERPT_CHARACTERS ? shown : `${firstCharacters(shown, MAX_EXCERPT_CHARACTERS - 1)}…`;
}
