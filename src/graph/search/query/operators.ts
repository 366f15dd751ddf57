import type { NotePart } from './query.ts';

/** What may stand before a colon: a condition on a note as a whole, or the part that words must stand in. */
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
/** The operators, as a warning names them. */
const KNOWN = `${[...OPERATORS].map((name) => `${name}:`).join(' ')} [property:value] "phrase" -not OR ( )`;
/** Names before a colon that belong to addresses. */
const SCHEMES = new Set(['mailto', 'tel', 'data', 'urn', 'doi', 'isbn', 'about', 'javascript', 'localhost']);
/** A regular expression between slashes, as Obsidian takes it; a path has none of these marks. */
function isPattern(word: string): boolean {
  return word.length > 2 && word.startsWith('/') && word.endsWith('/') && /[\\^$*+?()[\]{}|]/.test(word);
}

/** The operator that a word begins with, with the length of `name:`; null for none. */
export function operatorAt(text: string, at: number): { readonly operator: Operator; readonly length: number } | null {
  const name = /^[a-z-]{3,9}(?=:)/i.exec(text.slice(at, at + 10))?.[0] ?? '';
  const operator = name.toLowerCase();
  return isOperator(operator) ? { operator, length: name.length + 1 } : null;
}

function isOperator(name: string): name is Operator {
  return OPERATORS.has(name);
}

/** Whether an operator is about the note as a whole, and not about its text. */
export function isField(operator: Operator): operator is 'file' | 'path' | 'tag' | 'type' {
  return operator === 'file' || operator === 'path' || operator === 'tag' || operator === 'type';
}

/** What to say of a word that looks like an operator of other programs; null where it is just a word (`http://x`, `10:30`, `std::vector`). */
export function warnOfWord(word: string): string | null {
  if (isPattern(word)) return `${show(word)} was read as words: there are no regular expressions; mode exact finds literal text.`;
  const like = /^([a-z][a-z_-]+):([^:/\\].*)$/is.exec(word);
  if (like?.[1] === undefined || like[2] === undefined) return null;
  const [, name, value] = like;
  if (SCHEMES.has(name.toLowerCase())) return null;
  if (/^(?:match|ignore)-case$/i.test(name)) return `${show(`${name}:`)} was read as a word: search looks at no case.`;
  return `${show(`${name}:`)} is no operator of search and was read as a word; for a property write ${show(`[${name}:${value}]`)}. Operators: ${KNOWN}.`;
}

/** What to say of an operator without anything behind its colon. */
export function warnOfLoneOperator(operator: Operator): string {
  return `${show(`${operator}:`)} has nothing behind it and was read as a word; what it looks for stands right behind the colon.`;
}

/** A piece of a query in a message, bounded. */
function show(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}
