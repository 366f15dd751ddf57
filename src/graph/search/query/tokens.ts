import { RouxError } from '../../../errors.ts';
import { operatorAt, warnOfLoneOperator } from './operators.ts';
import type { Operator } from './operators.ts';

/** A token of a query: a word, phrase or `[property]` with its operator, or a mark that joins them. */
export type Token =
  | {
      readonly kind: 'word' | 'phrase' | 'property';
      /** The text between quotes or brackets, or the word after its operator. */
      readonly text: string;
      readonly operator: Operator | null;
      readonly isNegative: boolean;
    }
  | { readonly kind: 'open'; readonly operator: Operator | null; readonly isNegative: boolean }
  | { readonly kind: 'close' }
  | { readonly kind: 'or' };

/** Deepest nesting of parentheses. */
export const MAX_NESTING = 32;
/** Longest `[property:value]`, so that parsing stays linear. */
const MAX_PROPERTY_CHARACTERS = 500;
const SPACE = /\s/;

/**
 * Splits a query into tokens in one pass. Unpaired parentheses are dropped, and those inside a word (`get_user(id)`) belong to it. Throws
 * `INVALID_PARAMS` beyond `MAX_NESTING`.
 */
export function cutQuery(query: string, warn: (message: string) => void): Token[] {
  return keepPairs([...pieces(query, warn)]).map(joinsOrWord);
}

function* pieces(query: string, warn: (message: string) => void): Generator<Token> {
  let at = 0;
  while (at < query.length) {
    const character = query.charAt(at);
    if (SPACE.test(character)) {
      at += 1;
    } else if (character === ')') {
      yield { kind: 'close' };
      at += 1;
    } else {
      const isNegative = character === '-' && /[^\s-]/.test(query.charAt(at + 1));
      const from = isNegative ? at + 1 : at;
      const found = operatorAt(query, from);
      const operator = found?.operator ?? null;
      const start = from + (found?.length ?? 0);
      const next = query.charAt(start);
      if (operator !== null && (next === '' || next === ')' || SPACE.test(next))) {
        warn(warnOfLoneOperator(operator));
        yield { kind: 'word', text: query.slice(from, start), operator: null, isNegative };
        at = start;
      } else if (next === '(') {
        yield { kind: 'open', operator, isNegative };
        at = start + 1;
      } else if (next === '"') {
        const end = quoteEnd(query, start);
        yield { kind: 'phrase', text: query.slice(start + 1, end).replaceAll('\\"', '"'), operator, isNegative };
        at = end + 1;
      } else {
        const piece = (operator === null ? propertyAt(query, start) : null) ?? wordAt(query, start);
        const isOr = piece.text === 'OR' && operator === null && !isNegative;
        yield isOr ? { kind: 'or' } : { ...piece, operator, isNegative };
        at = piece.end;
      }
    }
  }
}

/** Returns the offset of the closing quote, or the end of the query. */
function quoteEnd(query: string, start: number): number {
  let end = query.indexOf('"', start + 1);
  while (end > 0 && query.charAt(end - 1) === '\\') end = query.indexOf('"', end + 1);
  return end < 0 ? query.length : end;
}

/** Reads `[property:value]`, whose value may contain wikilinks. */
function propertyAt(query: string, start: number): { kind: 'property'; text: string; end: number } | null {
  if (query.charAt(start) !== '[' || query.charAt(start + 1) === '[') return null;
  let depth = 0;
  for (let at = start; at < query.length && at < start + MAX_PROPERTY_CHARACTERS; at += 1) {
    const character = query.charAt(at);
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth > 0) continue;
    const text = query.slice(start + 1, at);
    return /^\s*[^\s:]/.test(text) ? { kind: 'property', text, end: at + 1 } : null;
  }
  return null;
}

/** Reads a word. It ends at white space outside of quotes after a colon, and at a parenthesis that does not close one of its own. */
function wordAt(query: string, start: number): { kind: 'word'; text: string; end: number } {
  let depth = 0;
  let at = start;
  for (; at < query.length; at += 1) {
    const character = query.charAt(at);
    if (SPACE.test(character)) break;
    if (character === '"' && at > start && query.charAt(at - 1) === ':') at = quoteEnd(query, at);
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) break;
  }
  const end = Math.min(at, query.length);
  return { kind: 'word', text: query.slice(start, end), end };
}

/** Drops unpaired parentheses. */
function keepPairs(tokens: readonly Token[]): Token[] {
  const opens: number[] = [];
  const dropped = new Set<number>();
  // Nesting depth inside the last closed pair, by depth of its opening.
  const nested: number[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'open') {
      opens.push(at);
      nested[opens.length] = 0;
    } else if (token.kind === 'close') {
      if (opens.pop() === undefined) dropped.add(at);
      else {
        const depth = (nested[opens.length + 1] ?? 0) + 1;
        if (depth > MAX_NESTING)
          throw new RouxError('INVALID_PARAMS', `query nests parentheses deeper than ${MAX_NESTING}; write it with fewer.`);
        nested[opens.length] = Math.max(nested[opens.length] ?? 0, depth);
      }
    }
  }
  for (const at of opens) dropped.add(at);
  return tokens.filter((_, at) => !dropped.has(at));
}

/** `OR` between two operands joins them; elsewhere it is a word (`Portland OR`). */
function joinsOrWord(token: Token, at: number, tokens: readonly Token[]): Token {
  if (token.kind !== 'or') return token;
  const [before, after] = [tokens[at - 1]?.kind, tokens[at + 1]?.kind];
  const isJoining = before !== undefined && before !== 'open' && after !== undefined && after !== 'close';
  return isJoining && before !== 'or' && after !== 'or' ? token : { kind: 'word', text: 'OR', operator: null, isNegative: false };
}
