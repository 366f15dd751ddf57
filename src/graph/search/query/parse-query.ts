import { RouxError } from '../../../errors.ts';
import { isStopWord } from '../words/stop-words.ts';
import { nextRun } from '../words/tokenize.ts';
import { bonusClausesOf, clausesOf, phraseClauses } from './clauses.ts';
import type { Clause } from './clauses.ts';
import { isField, warnOfWord } from './operators.ts';
import type { Operator } from './operators.ts';
import { readProperty, toComparable } from './property-values.ts';
import type { AskedProperty } from './property-values.ts';
import { ANY_NOTE } from './query.ts';
import type { RankedWord, SearchQuery, Test } from './query.ts';
import { cutQuery } from './tokens.ts';
import type { Token } from './tokens.ts';

/** Words of a query that are searched; of a pasted page, the first ones. */
export const MAX_CLAUSES = 64;
/** Words with operators, which cannot be left out. */
const MAX_TERMS = 192;
/** Words of a phrase used to find candidates; the text is checked anyway. */
const MAX_PHRASE_TERMS = 16;
/** Share of a bonus relative to a requested word: of a bigram, and of a single character, which is part of many words. */
const BIGRAM_SHARE = 1;
const CHARACTER_SHARE = 0.25;

/**
 * Parses a query. Every text is valid: what is not an operator is a word, and an unclosed quote or parenthesis is ignored. Plain words are
 * ranked, and any of them is enough; with an `OR` among them the query is read as in Obsidian, where all adjacent words are required.
 * Everything else is required. Throws `INVALID_PARAMS` for too much nesting or too many required words.
 */
export function parseSearchQuery(query: string): SearchQuery {
  if (last?.text !== query) last = { text: query, parsed: new QueryReader().read(query) };
  return last.parsed;
}

/** Several parts of one search parse its query. */
let last: { readonly text: string; readonly parsed: SearchQuery } | null = null;

/** The context of a word in the query. */
interface Context {
  /** The operator of the enclosing parentheses. */
  readonly operator: Operator | null;
  readonly isNegative: boolean;
  /** Whether words are ranked and optional. */
  readonly isFree: boolean;
}

class QueryReader {
  readonly #words: Clause[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #free = new Set<number>();
  /** Required words that count for the rank too. */
  readonly #bound = new Set<number>();
  readonly #bonus = new Set<number>();
  readonly #literals: string[] = [];
  readonly #plainTexts: string[] = [];
  readonly #warnings = new Set<string>();
  #tokens: readonly Token[] = [];
  #at = 0;
  #left = 0;

  read(query: string): SearchQuery {
    const warn = (message: string): void => void this.#warnings.add(message);
    this.#tokens = cutQuery(query, warn);
    const must = this.#list({ operator: null, isNegative: false, isFree: !hasOr(this.#tokens) });
    const full = this.#telling([...this.#free]);
    const needed: Test[] = full.length > 0 ? [{ kind: 'any', of: full.map(toWord) }] : [];
    const test = simplify('all', [...needed, ...must]);
    if (this.#words.length > MAX_CLAUSES + MAX_TERMS) {
      throw new RouxError(
        'INVALID_PARAMS',
        `query names ${this.#words.length} different words; with operators it can name ${MAX_CLAUSES + MAX_TERMS}. Ask in several searches.`,
      );
    }
    if (this.#left > 0) warn(`Only the first ${MAX_CLAUSES} words of the query were looked for.`);
    return {
      words: this.#words,
      test,
      must: simplify('all', must),
      plainTexts: this.#plainTexts.join(' '),
      ranked: this.#rank(full),
      full,
      shown: { words: [...new Set([...full, ...this.#bound])], literals: this.#literals },
      isBlank: test === ANY_NOTE,
      warnings: [...this.#warnings],
    };
  }

  /** Stop words (`the`) count only if there are no others. */
  #telling(words: readonly number[]): readonly number[] {
    const telling = words.filter((word) => !isStopWord(this.#words[word]?.alternatives[0]?.[0] ?? ''));
    return telling.length > 0 ? telling : words;
  }

  #rank(full: readonly number[]): readonly RankedWord[] {
    const ranked = new Set([...full, ...this.#telling([...this.#bound])]);
    const bonus = [...this.#bonus].filter((word) => !ranked.has(word));
    return [...Array.from(ranked, (word) => ({ word, share: 1 })), ...bonus.map((word) => ({ word, share: this.#bonusShare(word) }))];
  }

  #bonusShare(word: number): number {
    const term = this.#words[word]?.alternatives[0]?.[0] ?? '';
    return Array.from(term).length > 1 ? BIGRAM_SHARE : CHARACTER_SHARE;
  }

  /** Parses up to the end of the parentheses: everything between two `OR` is required, and one such group is enough. */
  #list(context: Context): readonly Test[] {
    const choices: (readonly Test[])[] = [];
    let tests: Test[] = [];
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at];
      if (token === undefined || token.kind === 'close') break;
      if (token.kind === 'or') {
        if (tests.length > 0) choices.push(tests);
        tests = [];
      } else if (token.kind === 'open') {
        this.#at += 1;
        tests.push(...this.#group(token, context));
      } else tests.push(...this.#term(token, context));
    }
    if (tests.length > 0) choices.push(tests);
    return choices.length > 1 ? [{ kind: 'any', of: choices.map((each) => simplify('all', each)) }] : (choices[0] ?? []);
  }

  #group(token: Extract<Token, { kind: 'open' }>, context: Context): readonly Test[] {
    const operator = token.operator ?? context.operator;
    const tests = this.#list({
      operator: operator !== null && isField(operator) ? operator : null,
      isNegative: token.isNegative !== context.isNegative,
      isFree: context.isFree && token.operator === null && !token.isNegative,
    });
    const isPart = token.operator !== null && !isField(token.operator);
    if (tests.length === 0 && !isPart) return [];
    if (isPart) return [this.#signed(token, { kind: 'part', part: token.operator, of: simplify('all', tests) })];
    return token.isNegative ? [{ kind: 'not', of: simplify('all', tests) }] : tests;
  }

  #term(token: Extract<Token, { text: string }>, context: Context): readonly Test[] {
    const operator = token.operator ?? context.operator;
    const isNegative = token.isNegative !== context.isNegative;
    if (token.kind === 'property') {
      const asked = readProperty(token.text);
      if (asked !== null) return [this.#signed(token, this.#property(asked))];
    }
    if (operator !== null && isField(operator)) {
      const value = operator === 'tag' ? token.text.trim().replace(/^#/, '') : token.text.trim();
      return value === '' ? [] : [this.#signed(token, { kind: operator, value })];
    }
    if (operator !== null) {
      const inside = token.kind === 'phrase' ? this.#phrase(token.text, isNegative) : this.#all(token.text, isNegative);
      return [this.#signed(token, { kind: 'part', part: operator, of: simplify('all', inside) })];
    }
    if (!isNegative) this.#plainTexts.push(token.text);
    if (token.kind === 'phrase') return this.#phrase(token.text, isNegative).map((test) => this.#signed(token, test));
    const warning = warnOfWord(token.text);
    if (warning !== null) this.#warnings.add(warning);
    if (context.isFree && !token.isNegative) {
      this.#addFree(token.text);
      return [];
    }
    const tests = this.#all(token.text, isNegative);
    return token.isNegative && tests.length > 0 ? [{ kind: 'not', of: simplify('all', tests) }] : tests;
  }

  #signed(token: { readonly isNegative: boolean }, test: Test): Test {
    return token.isNegative ? { kind: 'not', of: test } : test;
  }

  #property({ key, values }: AskedProperty): Test {
    for (const value of values ?? []) {
      if (value.kind !== 'compare' || toComparable(value.value) !== null) continue;
      this.#warnings.add(
        `[${key}:${value.by}…] compares with a number or a date such as 2024-01-31, and ${JSON.stringify(value.value)} is neither.`,
      );
    }
    return { kind: 'property', key, values, words: this.#number(phraseClauses(key).slice(0, MAX_PHRASE_TERMS)) };
  }

  #phrase(text: string, isNegative: boolean): readonly Test[] {
    const phrase = text.trim();
    if (nextRun(phrase, 0) === null) return [];
    const words = this.#number(phraseClauses(phrase).slice(0, MAX_PHRASE_TERMS));
    if (!isNegative) {
      for (const word of words) this.#bound.add(word);
      this.#literals.push(phrase);
    }
    return [{ kind: 'phrase', text: phrase, words }];
  }

  /** Requires all words of a text. */
  #all(text: string, isNegative: boolean): readonly Test[] {
    const words = this.#number(clausesOf(text, { isPrefix: true }));
    if (!isNegative) for (const word of words) this.#bound.add(word);
    return words.map(toWord);
  }

  #addFree(text: string): void {
    const clauses = clausesOf(text, { isPrefix: true });
    const room = MAX_CLAUSES - this.#free.size;
    const taken = clauses.filter((clause, at) => at < room || this.#numbers.has(keyOf(clause)));
    this.#left += clauses.length - taken.length;
    for (const word of this.#number(taken)) this.#free.add(word);
    if (taken.length < clauses.length) return;
    for (const word of this.#number(bonusClausesOf(text).slice(0, MAX_CLAUSES - this.#bonus.size))) this.#bonus.add(word);
  }

  #number(clauses: readonly Clause[]): readonly number[] {
    const numbers = clauses.map((clause) => {
      const key = keyOf(clause);
      const known = this.#numbers.get(key);
      if (known !== undefined) return known;
      this.#numbers.set(key, this.#words.length);
      return this.#words.push(clause) - 1;
    });
    return [...new Set(numbers)];
  }
}

function keyOf(clause: Clause): string {
  return JSON.stringify([clause.isPrefix, clause.alternatives]);
}

function toWord(word: number): Test {
  return { kind: 'word', word };
}

function simplify(kind: 'all', of: readonly Test[]): Test {
  const [first] = of;
  return first === undefined ? ANY_NOTE : of.length === 1 ? first : { kind, of };
}

/** Returns whether an `OR` joins words of the query itself; one inside an operator (`line:(a OR b)`) does not affect the others. */
function hasOr(tokens: readonly Token[]): boolean {
  const bound: boolean[] = [];
  for (const token of tokens) {
    if (token.kind === 'open') bound.push(token.operator !== null || token.isNegative || bound.at(-1) === true);
    else if (token.kind === 'close') bound.pop();
    else if (token.kind === 'or' && bound.at(-1) !== true) return true;
  }
  return false;
}
