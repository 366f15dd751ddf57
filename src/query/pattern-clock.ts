import { createContext, Script } from 'node:vm';
import { queryError } from './query-error.ts';

/** Milliseconds that all regular expressions of one query may take together. */
const MAX_MS = 500;
/** A longer pattern is not looked at. */
const PLAIN_PATTERN = 100;

/** Calls a function that is handed over, and is nothing that anybody wrote: running a script is Node's one way to stop a regular expression. */
const script = new Script('run()');

/** Lets regular expressions run for so long and no longer. */
export class PatternClock {
  readonly #box: { run: () => void } = createContext({ run: () => undefined }) as { run: () => void };
  #left = MAX_MS;

  /** Uses a regular expression on a text; `INVALID_PARAMS` when the time of the query is used up. `path`: where, for the message. */
  use<T>(regex: RegExp, path: string, use: (regex: RegExp) => T): T {
    const results: T[] = [];
    let taken = 0;
    // What the script costs by itself is not the fault of the pattern.
    this.#box.run = () => {
      const started = performance.now();
      results.push(use(regex));
      taken = performance.now() - started;
    };
    try {
      script.runInContext(this.#box, { timeout: Math.max(1, Math.ceil(this.#left)) });
    } catch (error) {
      if (isTimeout(error)) throw tooSlow(regex, path);
      throw error;
    }
    this.#left -= taken;
    if (this.#left <= 0) throw tooSlow(regex, path);
    return results[0] as T;
  }
}

/** The error may be one of the script's own world, and then no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function tooSlow(regex: RegExp, path: string): Error {
  const shown = String(regex);
  return queryError(
    `The regular expression ${shown.length > 100 ? `${shown.slice(0, 100)}…` : shown} takes too long, last on ${path}; write a simpler one, without repetitions in repetitions, or narrow the query with tag or path.`,
  );
}

/**
 * At how many places a pattern has a choice: the times it can go back over a text are bounded by those and the length. Infinite where
 * that cannot be told by looking at it: a group that is repeated, a reference back.
 */
export function choicesOf({ source }: RegExp): number {
  if (source.length > PLAIN_PATTERN || /\)[*+{?]|\\[1-9k]/.test(source)) return Number.POSITIVE_INFINITY;
  return source.match(/[*+{?|]/g)?.length ?? 0;
}

/** How often a pattern with so many choices can look at a character of a text, at most: the ways to part the text between them. */
export function worstEffort(choices: number, length: number): number {
  if (choices === Number.POSITIVE_INFINITY) return choices;
  let ways = 1;
  for (let part = 1; part <= choices + 1; part += 1) ways = (ways * (length + part)) / part;
  return ways;
}
