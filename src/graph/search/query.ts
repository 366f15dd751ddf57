import { isHan, isHangul } from './words/character-class.ts';
import { isStopWord } from './words/stop-words.ts';
import { nextRun, wordsOfRun } from './words/tokenize.ts';
import type { Alternatives } from './words/tokenize.ts';

/** One word of a query: a note has it when it has all terms of one of the alternatives. */
export interface Clause {
  readonly alternatives: Alternatives;
  /** Whether words that only begin with a term count too. */
  readonly isPrefix: boolean;
}

/** A condition on what the graph knows of a note. */
export type SearchCondition =
  | { readonly kind: 'tag' | 'path' | 'type'; readonly value: string }
  | { readonly kind: 'property'; readonly key: string; readonly value: string | null };

/** A query as read: words are ranked, phrases and conditions must hold, and nothing of `without` may. */
export interface SearchQuery {
  readonly clauses: readonly Clause[];
  readonly phrases: readonly string[];
  readonly conditions: readonly SearchCondition[];
  readonly without: {
    readonly clauses: readonly Clause[];
    readonly phrases: readonly string[];
    readonly conditions: readonly SearchCondition[];
  };
}

/** Most words of a query that are looked for; a pasted page is searched by its first ones. */
export const MOST_CLAUSES = 64;
/** A Latin word is taken as the beginning of longer ones from this length on. */
const SHORTEST_PREFIX = 3;

interface QueryWord {
  readonly text: string;
  readonly isPhrase: boolean;
  readonly isNegative: boolean;
}

/** Reads a query. Every text is a query: what is no operator is a word, and a quote that is not closed runs to the end. */
export function parseSearchQuery(query: string): SearchQuery {
  const sides = [emptySide(), emptySide()] as const;
  for (const word of splitQuery(query)) {
    const side = sides[word.isNegative ? 1 : 0];
    if (word.isPhrase) addPhrase(side, word.text);
    else addWord(side, word.text);
  }
  const [wanted, unwanted] = sides;
  return { ...finishSide(wanted), without: finishSide(unwanted) };
}

/** The clauses a plain text makes, with no operators read. */
export function clausesOf(text: string, options: { isPrefix: boolean }): Clause[] {
  const clauses: Clause[] = [];
  for (let run = nextRun(text, 0); run !== null; run = nextRun(text, run.end)) {
    for (const alternatives of wordsOfRun(text, run)) {
      const first = alternatives[0]?.[0];
      if (first === undefined) continue;
      const mayBegin = run.kind === 'word' ? first.length >= SHORTEST_PREFIX || isHangul(first) : !isHan(first);
      clauses.push({ alternatives, isPrefix: options.isPrefix && mayBegin });
    }
  }
  return clauses;
}

/** The words of a phrase, whole. */
export function phraseClauses(phrase: string): Clause[] {
  return clausesOf(phrase, { isPrefix: false });
}

interface Side {
  clauses: Clause[];
  phrases: string[];
  conditions: SearchCondition[];
}

function emptySide(): Side {
  return { clauses: [], phrases: [], conditions: [] };
}

function addPhrase(side: Side, text: string): void {
  const phrase = text.trim();
  if (nextRun(phrase, 0) !== null) side.phrases.push(phrase);
}

function addWord(side: Side, text: string): void {
  const condition = readCondition(text);
  if (condition === null) side.clauses.push(...clausesOf(text, { isPrefix: true }));
  else side.conditions.push(condition);
}

/** Repeated words count once, and words that say nothing (`the`) only when there are no others. */
function finishSide(side: Side): Side {
  const clauses = [...new Map(side.clauses.map((clause) => [JSON.stringify(clause.alternatives), clause])).values()];
  const telling = clauses.filter((clause) => !isStopWord(clause.alternatives[0]?.[0] ?? ''));
  return { ...side, clauses: (telling.length > 0 ? telling : clauses).slice(0, MOST_CLAUSES) };
}

function readCondition(text: string): SearchCondition | null {
  const operator = /^(tag|path|type):(.+)$/is.exec(text);
  if (operator?.[1] !== undefined && operator[2] !== undefined) {
    const kind = operator[1].toLowerCase();
    const value = unquote(operator[2]);
    if (value === '') return null;
    if (kind === 'tag') return { kind, value: value.replace(/^#/, '') };
    if (kind === 'path' || kind === 'type') return { kind, value };
  }
  const property = /^\[([^\]:]+)(?::([^\]]*(?:\]\][^\]]*)*))?\]$/s.exec(text);
  const key = unquote(property?.[1] ?? '');
  if (key === '' || key.startsWith('[')) return null;
  const value = property?.[2];
  return { kind: 'property', key, value: value === undefined ? null : unquote(value) };
}

function unquote(text: string): string {
  const trimmed = text.trim();
  return trimmed.length >= 2 && trimmed.startsWith('"') && trimmed.endsWith('"') ? trimmed.slice(1, -1).trim() : trimmed;
}

/** Cuts at white space, but not inside quotes and brackets. */
function* splitQuery(query: string): Generator<QueryWord> {
  let at = 0;
  while (at < query.length) {
    if (/\s/.test(query.charAt(at))) {
      at += 1;
      continue;
    }
    const isNegative = query.charAt(at) === '-' && /[^\s-]/.test(query.charAt(at + 1));
    if (isNegative) at += 1;
    if (query.charAt(at) === '"') {
      const end = query.indexOf('"', at + 1);
      yield { text: query.slice(at + 1, end < 0 ? query.length : end), isPhrase: true, isNegative };
      at = end < 0 ? query.length : end + 1;
    } else {
      const end = wordEnd(query, at);
      yield { text: query.slice(at, end), isPhrase: false, isNegative };
      at = end;
    }
  }
}

function wordEnd(query: string, start: number): number {
  if (query.charAt(start) === '[' && query.charAt(start + 1) !== '[') {
    const end = bracketEnd(query, start);
    if (end !== null) return end;
  }
  let at = start;
  while (at < query.length && !/\s/.test(query.charAt(at))) {
    if (query.charAt(at) === '"' && query.charAt(at - 1) === ':') {
      const end = query.indexOf('"', at + 1);
      return end < 0 ? query.length : end + 1;
    }
    at += 1;
  }
  return at;
}

/** The end of `[property:value]`, whose value may hold wikilinks; looked for nearby only, so that reading a query stays linear. */
function bracketEnd(query: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < query.length && at < start + 500; at += 1) {
    const character = query.charAt(at);
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}
