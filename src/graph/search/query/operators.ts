import type { NotePart } from './query.ts';

/** A name before a colon: a condition on the whole note, or the part that must contain the words. */
export type Operator = 'file' | 'path' | 'tag' | 'type' | NotePart;

const OPERATORS: ReadonlySet<string> = new Set<Operator>([
  'file',
  'path',
  'tag',
  'type',
  'content',
  'line',
  'block',
  'section',
  'task',
  'task-todo',
  'task-done',
]);
/** The operators, for warnings. */
const KNOWN = `${[...OPERATORS].map((name) => `${name}:`).join(' ')} [property:value] "phrase" -not OR ( )`;
/** URI schemes, which are not operators. */
const SCHEMES = new Set(['mailto', 'tel', 'data', 'urn', 'doi', 'isbn', 'about', 'javascript', 'localhost']);
/** Returns whether a word looks like one of Obsidian's regular expressions; a path has none of these characters. */
function isPattern(word: string): boolean {
  return word.length > 2 && word.startsWith('/') && word.endsWith('/') && /[\\^$*+?()[\]{}|]/.test(word);
}

/** Returns the operator at the start of a word, with the length of `name:`; null for none. */
export function operatorAt(text: string, at: number): { readonly operator: Operator; readonly length: number } | null {
  const name = /^[a-z-]{3,9}(?=:)/i.exec(text.slice(at, at + 10))?.[0] ?? '';
  const operator = name.toLowerCase();
  return isOperator(operator) ? { operator, length: name.length + 1 } : null;
}

function isOperator(name: string): name is Operator {
  return OPERATORS.has(name);
}

/** Returns whether an operator is about the whole note rather than its text. */
export function isField(operator: Operator): operator is 'file' | 'path' | 'tag' | 'type' {
  return operator === 'file' || operator === 'path' || operator === 'tag' || operator === 'type';
}

/** Returns a warning for a word that looks like another program's operator; null for a plain word (`http://x`, `10:30`, `std::vector`). */
export function warnOfWord(word: string): string | null {
  if (isPattern(word)) return `${show(word)} was read as words: there are no regular expressions; mode exact finds literal text.`;
  const like = /^([a-z][a-z_-]+):([^:/\\].*)$/is.exec(word);
  if (like?.[1] === undefined || like[2] === undefined) return null;
  const [, name, value] = like;
  if (SCHEMES.has(name.toLowerCase())) return null;
  if (/^(?:match|ignore)-case$/i.test(name)) return `${show(`${name}:`)} was read as a word: search looks at no case.`;
  return `${show(`${name}:`)} is no operator of search and was read as a word; for a property write ${show(`[${name}:${value}]`)}. Operators: ${KNOWN}.`;
}

/** Returns a warning for an operator without anything after its colon. */
export function warnOfLoneOperator(operator: Operator): string {
  return `${show(`${operator}:`)} has nothing behind it and was read as a word; what it looks for stands right behind the colon.`;
}

/** Quotes a part of a query for a message, bounded. */
function show(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}
