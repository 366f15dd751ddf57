import type { NotePath } from '../../note/path.ts';
import type { ClauseScan } from '../search/words/term-scan.ts';
import { holdsClause } from '../search/words/term-scan.ts';
import { foldText } from '../search/words/fold-text.ts';
import { isStopWord } from '../search/words/stop-words.ts';
import { nextRun } from '../search/words/tokenize.ts';
import type { GraphView } from '../view.ts';

/** Words that are searched for: with more, those that tell most have too small a share. */
const MAX_WORDS = 40;
/** Words, or characters in text without spaces, of the longest name that is looked up. */
const MAX_NAME_LENGTH = 8;
/** Lookups for one text. In text without spaces a name can begin at any character. */
const MAX_LOOKUPS = 4_000;
const MAX_NAMED_NOTES = 100;
/** A name of more notes says too little about which of them is meant. */
const MAX_NAMESAKES = 3;
const MIN_NAME_CHARACTERS = 3;
const MIN_DENSE_NAME_CHARACTERS = 2;

/** Words that begin with a capital letter or a digit. */
const NAME_WORD = /(?<![\p{L}\p{N}])[\p{Lu}\p{N}][\p{L}\p{N}]+/gu;

/** Returns the words of a text that may be part of a name, without those of the query, in text order. */
export function findNameWords(text: string, query: readonly ClauseScan[]): readonly string[] {
  const words = new Set<string>();
  for (const [word] of text.matchAll(NAME_WORD)) {
    if (words.size === MAX_WORDS) break;
    if (word !== 'OR' && !isStopWord(foldText(word)) && !query.some((clause) => holdsClause(word, clause))) words.add(word);
  }
  return [...words];
}

/** Returns the notes whose title, alias, path or id occurs in a text, in text order. */
export function findNamedNotes(graph: GraphView, text: string): ReadonlySet<NotePath> {
  const named = new Set<NotePath>();
  const tokens = tokensOf(text);
  let lookups = 0;
  for (const [first, { start, isDense }] of tokens.entries()) {
    let isTelling = false;
    for (const last of tokens.slice(first, first + MAX_NAME_LENGTH)) {
      const name = text.slice(start, last.end);
      if (name.includes('\n') || lookups === MAX_LOOKUPS || named.size >= MAX_NAMED_NOTES) break;
      isTelling ||= !last.isStop;
      if (!isTelling || name.length < (isDense ? MIN_DENSE_NAME_CHARACTERS : MIN_NAME_CHARACTERS)) continue;
      lookups += 1;
      const found = graph.lookup(name);
      const entries = found.kind === 'found' ? [found.entry] : found.kind === 'ambiguous' ? found.candidates : [];
      if (entries.length <= MAX_NAMESAKES) for (const { path } of entries) named.add(path);
    }
  }
  return named;
}

/** A word, or a character of text without spaces. */
interface Token {
  readonly start: number;
  readonly end: number;
  readonly isDense: boolean;
  readonly isStop: boolean;
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const add = (start: number, end: number, isDense: boolean): void => {
    tokens.push({ start, end, isDense, isStop: isStopWord(foldText(text.slice(start, end))) });
  };
  for (let run = nextRun(text, 0); run !== null; run = nextRun(text, run.end)) {
    if (run.kind !== 'dense') {
      add(run.start, run.end, false);
      continue;
    }
    let at = run.start;
    for (const character of text.slice(run.start, run.end)) {
      add(at, at + character.length, true);
      at += character.length;
    }
  }
  return tokens;
}
