import type { StepBudget } from '../../../wildcards.ts';

/**
 * A regular expression that runs in linear time, without backtracking. The text must be lower case; returns false if the budget is exceeded.
 */
export type PathPattern = (text: string, budget: StepBudget) => boolean;

/** A state of the automaton; `matches` and the assertions continue with `next`. */
type State =
  | { readonly kind: 'one'; readonly matches: (character: string) => boolean; next: number }
  | { readonly kind: 'either'; next: number; other: number }
  | { readonly kind: 'start' | 'end' | 'edge' | 'no-edge'; next: number }
  | { readonly kind: 'found' };

/** Limit of states; counted repetitions are expanded. */
const MAX_STATES = 400;
const MAX_SOURCE_CHARACTERS = 500;
const isWord = (character: string): boolean => /^[a-z0-9_]$/.test(character);

/** Parses a JavaScript expression, ignoring case. Returns null if it is invalid, very long, or has lookaround or back references. */
export function readPathPattern(source: string): PathPattern | null {
  if (source.length > MAX_SOURCE_CHARACTERS) return null;
  const states: State[] = [];
  try {
    const start = new PatternReader(source, states).read();
    return openSearch(states, start);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

class Unreadable extends Error {}

/** Scans a text once, tracking all possible states. */
function openSearch(states: readonly State[], start: number): PathPattern {
  // Visits each state once per character, by the number of its last visit.
  const lookedAt = new Float64Array(states.length);
  let look = 0;
  let [active, next]: [number[], number[]] = [[], []];
  return (text, budget) => {
    active.length = 0;
    for (let at = 0; at <= text.length; at += 1) {
      look += 1;
      next.length = 0;
      active.push(start);
      const character = text.charAt(at);
      // The list grows during the loop.
      for (const number of active) {
        const state = states[number];
        if (state === undefined || lookedAt[number] === look) continue;
        if (!budget.take()) return false;
        lookedAt[number] = look;
        if (state.kind === 'found') return true;
        if (state.kind === 'one') {
          if (character !== '' && state.matches(character)) next.push(state.next);
        } else if (state.kind === 'either') active.push(state.next, state.other);
        else if (holds(state.kind, text, at)) active.push(state.next);
      }
      [active, next] = [next, active];
    }
    return false;
  };
}

function holds(kind: 'start' | 'end' | 'edge' | 'no-edge', text: string, at: number): boolean {
  if (kind === 'start') return at === 0;
  if (kind === 'end') return at === text.length;
  const isEdge = isWord(text.charAt(at - 1)) !== isWord(text.charAt(at));
  return (kind === 'edge') === isEdge;
}

const isDigit = (character: string): boolean => character >= '0' && character <= '9';
const isBlank = (character: string): boolean => /^\s$/.test(character);

/** Builds the states of a part of an expression in front of a given one. Called once for each repetition. */
type Part = (next: number) => number;

/** Parses an expression from its start and builds the states from its end. */
class PatternReader {
  readonly #source: string;
  readonly #states: State[];
  #at = 0;

  constructor(source: string, states: State[]) {
    this.#source = source;
    this.#states = states;
  }

  read(): number {
    const whole = this.#readEither();
    if (this.#at < this.#source.length) throw new Unreadable();
    return whole(this.#add({ kind: 'found' }));
  }

  #readEither(): Part {
    const first = this.#readRow();
    if (!this.#take('|')) return first;
    const other = this.#readEither();
    return (next) => this.#add({ kind: 'either', next: first(next), other: other(next) });
  }

  #readRow(): Part {
    const parts: Part[] = [];
    // Stops at the end of the source too, where charAt returns an empty text.
    while (!'|)'.includes(this.#source.charAt(this.#at))) parts.push(this.#readRepeated());
    return (next) => parts.reduceRight((after, part) => part(after), next);
  }

  #readRepeated(): Part {
    const part = this.#readPart();
    const counts = /^(?:[*+?]|\{(\d{1,3})(?:(,)(\d{1,3})?)?\})\??/.exec(this.#source.slice(this.#at));
    if (counts === null) return part;
    this.#at += counts[0].length;
    const sign = counts[0].charAt(0);
    const least = sign === '{' ? Number(counts[1]) : sign === '+' ? 1 : 0;
    const most = sign === '{' ? (counts[2] === undefined ? least : Number(counts[3] ?? Infinity)) : sign === '?' ? 1 : Infinity;
    if (most < least) throw new Unreadable();
    return (next) => this.#repeat(part, { least, most, next });
  }

  #repeat(part: Part, { least, most, next }: { least: number; most: number; next: number }): number {
    let start = next;
    if (most === Infinity) {
      const loop: Extract<State, { kind: 'either' }> = { kind: 'either', next, other: next };
      start = this.#add(loop);
      loop.next = part(start);
    } else for (let count = least; count < most; count += 1) start = this.#add({ kind: 'either', next: part(start), other: next });
    for (let count = 0; count < least; count += 1) start = part(start);
    return start;
  }

  #readPart(): Part {
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#readGroup();
      case '[':
        return this.#one(this.#readClass());
      case '.':
        return this.#one((other) => other !== '\n');
      case '^':
        return (next) => this.#add({ kind: 'start', next });
      case '$':
        return (next) => this.#add({ kind: 'end', next });
      case '\\':
        return this.#readEscape();
      case '*':
      case '+':
      case '?':
      case '{':
        throw new Unreadable();
      default:
        return this.#one(isSame(character));
    }
  }

  #readGroup(): Part {
    if (this.#take('?') && !this.#take(':')) throw new Unreadable();
    const inner = this.#readEither();
    if (!this.#take(')')) throw new Unreadable();
    return inner;
  }

  #readEscape(): Part {
    const letter = this.#next();
    if (letter === 'b' || letter === 'B') return (next) => this.#add({ kind: letter === 'b' ? 'edge' : 'no-edge', next });
    return this.#one(escaped(letter));
  }

  #readClass(): (character: string) => boolean {
    const isNot = this.#take('^');
    const tests: ((character: string) => boolean)[] = [];
    while (!this.#take(']')) {
      const first = this.#next();
      if (first === '\\') tests.push(escaped(this.#next()));
      else if (/^-[^\]\\]/.test(this.#source.slice(this.#at))) {
        this.#at += 1;
        const last = this.#next();
        if (last < first) throw new Unreadable();
        tests.push((character) => isBetween(character, first, last) || isBetween(character.toUpperCase(), first, last));
      } else tests.push(isSame(first));
    }
    return remember((character) => tests.some((test) => test(character)) !== isNot);
  }

  #one(matches: (character: string) => boolean): Part {
    return (next) => this.#add({ kind: 'one', matches, next });
  }

  #add(state: State): number {
    if (this.#states.length >= MAX_STATES) throw new Unreadable();
    return this.#states.push(state) - 1;
  }

  #next(): string {
    if (this.#at >= this.#source.length) throw new Unreadable();
    return this.#source.charAt(this.#at++);
  }

  #take(character: string): boolean {
    if (this.#source.charAt(this.#at) !== character) return false;
    this.#at += 1;
    return true;
  }
}

/** Caches the results of a class, which may have hundreds of members. */
function remember(test: (character: string) => boolean): (character: string) => boolean {
  const known = new Map<string, boolean>();
  return (character) => {
    let answer = known.get(character);
    if (answer === undefined) known.set(character, (answer = test(character)));
    return answer;
  };
}

/** Returns a test for a lower-case character. */
export function isSame(character: string): (other: string) => boolean {
  const lower = character.toLowerCase();
  return (other) => other === lower;
}

function isBetween(character: string, first: string, last: string): boolean {
  return character >= first && character <= last;
}

/** Returns the meaning of an escaped letter; other characters stand for themselves. */
function escaped(letter: string): (character: string) => boolean {
  const kinds: Readonly<Record<string, (character: string) => boolean>> = { d: isDigit, w: isWord, s: isBlank };
  const kind = kinds[letter.toLowerCase()];
  if (kind !== undefined) return letter === letter.toLowerCase() ? kind : (character) => !kind(character);
  const control = { t: '\t', n: '\n', r: '\r' }[letter];
  if (control !== undefined) return isSame(control);
  if (/[a-z0-9]/i.test(letter)) throw new Unreadable();
  return isSame(letter);
}
