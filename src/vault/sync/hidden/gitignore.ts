import { fits } from '../../../wildcards.ts';
import type { Step, StepBudget } from '../../../wildcards.ts';
import { isSame } from './path-pattern.ts';

/** The lower-case characters of a name. */
type Name = readonly string[];

/** A parsed pattern. */
interface Rule {
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** Compared with the last segment of a path only, because the pattern has no inner slash. */
  readonly isForName: boolean;
  readonly steps: readonly Step<Name>[];
}

/** Folders whose results are cached. */
const MAX_REMEMBERED_FOLDERS = 10_000;

/** Character classes of git; ASCII only. */
const CHARACTER_CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /^[0-9A-Za-z]$/],
  ['alpha', /^[A-Za-z]$/],
  ['blank', /^[ \t]$/],
  ['cntrl', /^\p{Cc}$/u],
  ['digit', /^[0-9]$/],
  ['graph', /^[!-~]$/],
  ['lower', /^[a-z]$/],
  ['print', /^[ -~]$/],
  ['punct', /^[!-/:-@[-`{-~]$/],
  ['space', /^[ \t\n\r]$/],
  ['upper', /^[A-Z]$/],
  ['xdigit', /^[0-9A-Fa-f]$/],
]);

/**
 * Parses gitignore patterns, relative to the root of the vault and ignoring case; invalid ones match nothing. The returned function tells
 * whether a path is ignored. Each file and each parent folder has the whole budget; a path that exceeds it is not ignored.
 */
export function readIgnorePatterns(patterns: readonly string[], budget: StepBudget): (path: string) => boolean {
  const rules = patterns.flatMap((pattern) => readRule(pattern, budget) ?? []).reverse();
  const folders = new Map<string, boolean>();

  function decide(path: string, isFolder: boolean): boolean {
    budget.reset();
    const names = path.split('/').map((name) => Array.from(name, (character) => character.toLowerCase()));
    const last = names.slice(-1);
    const rule = rules.find((each) => (isFolder || !each.isForFolders) && fits(each.steps, each.isForName ? last : names, budget));
    return rule?.isNegated === false && !budget.isExceeded;
  }

  function isInIgnored(path: string): boolean {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (folder === '') return false;
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const isIgnored = isInIgnored(folder) || decide(folder, true);
    if (folders.size >= MAX_REMEMBERED_FOLDERS) folders.clear();
    folders.set(folder, isIgnored);
    return isIgnored;
  }

  return (path) => rules.length > 0 && (isInIgnored(path) || decide(path, false));
}

function readRule(pattern: string, budget: StepBudget): Rule | null {
  if (pattern.startsWith('#')) return null;
  const isNegated = pattern.startsWith('!');
  const text = pattern.slice(isNegated ? 1 : 0, endOf(pattern));
  const isForFolders = text.endsWith('/');
  const body = isForFolders ? text.slice(0, -1) : text;
  const names = body === '' ? null : new PatternReader(body, budget).read();
  if (names === null) return null;
  if (body.startsWith('/')) names.shift();
  return { isNegated, isForFolders, isForName: !body.includes('/'), steps: toSteps(names, budget) };
}

/** Returns the end of a pattern, without unescaped trailing spaces. */
function endOf(pattern: string): number {
  let end = 0;
  for (const { 0: part, index } of pattern.matchAll(/\\?[^]/g)) if (!' \r\n'.includes(part)) end = index + part.length;
  return end;
}

const ANY_NAME = (): boolean => true;

function toSteps(names: readonly (readonly Step<string>[])[], budget: StepBudget): Step<Name>[] {
  const steps = names.map((name): Step<Name> => (isAnyFolders(name) ? null : (characters) => fits(name, characters, budget)));
  // A pattern that ends in `/**` ignores the content of a folder, not the folder.
  if (steps.at(-1) === null) steps.push(ANY_NAME);
  return steps;
}

function isAnyFolders(name: readonly Step<string>[]): boolean {
  return name.length > 1 && name.every((step) => step === null);
}

/** Parses the segments of a pattern. */
class PatternReader {
  readonly #text: string;
  readonly #budget: StepBudget;
  #at = 0;

  constructor(text: string, budget: StepBudget) {
    this.#text = text;
    this.#budget = budget;
  }

  /** Returns null for an unterminated class, which matches nothing. */
  read(): Step<string>[][] | null {
    const names: Step<string>[][] = [[]];
    while (this.#at < this.#text.length) {
      const character = this.#next();
      if (character === '*') names.at(-1)?.push(null);
      else if (character === '?') names.at(-1)?.push(ANY_NAME);
      else if (character === '[') {
        const test = this.#readClass();
        if (test === null) return null;
        names.at(-1)?.push(test);
      } else {
        const literal = character === '\\' ? this.#next() : character;
        if (literal === '/') names.push([]);
        else names.at(-1)?.push(isSame(literal));
      }
    }
    return names;
  }

  #readClass(): ((character: string) => boolean) | null {
    const isNegated = '!^'.includes(this.#peek() || ' ');
    if (isNegated) this.#next();
    const members: Member[] = [];
    // A bracket in first place is a member.
    do {
      const member = this.#readMember();
      if (member === null) return null;
      members.push(member);
    } while (this.#peek() !== ']');
    this.#next();
    return (character) => {
      const upper = character.toUpperCase();
      const isMember = members.some((member) => this.#budget.take() && (member(character) || member(upper)));
      return isMember !== isNegated;
    };
  }

  #readMember(): Member | null {
    let first = this.#next();
    if (first === '[' && this.#peek() === ':') {
      const end = this.#text.indexOf(']', this.#at);
      if (end - this.#at > 1 && this.#text[end - 1] === ':') {
        const known = CHARACTER_CLASSES.get(this.#text.slice(this.#at + 1, end - 1));
        this.#at = end + 1;
        return known === undefined ? null : (character) => known.test(character);
      }
    }
    if (first === '\\') first = this.#next();
    if (first === '') return null;
    if (this.#peek() !== '-' || [']', ''].includes(this.#text.charAt(this.#at + 1))) return (character) => character === first;
    this.#next();
    let last = this.#next();
    if (last === '\\') last = this.#next();
    return last === '' ? null : (character) => (first <= character && character <= last) || character === first;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #next(): string {
    const point = this.#text.codePointAt(this.#at);
    const character = point === undefined ? '' : String.fromCodePoint(point);
    this.#at += character.length;
    return character;
  }
}

/** Tests a character in lower case, and again in upper case. */
type Member = (character: string) => boolean;
