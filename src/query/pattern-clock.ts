import { createContext, Script } from 'node:vm';
import { queryError } from './query-error.ts';

/** The time for all regular expressions of one query together. */
const MAX_MS = 500;
/** Longer patterns are not analysed. */
const MAX_ANALYSED_CHARACTERS = 100;

/** Calls a function of ours; no text of a user is run. In Node, only the timeout of a script can stop a regular expression. */
const script = new Script('run()');

/** Limits the time that regular expressions take. */
export class PatternClock {
  readonly #box: { run: () => void } = createContext({ run: () => undefined }) as { run: () => void };
  #left = MAX_MS;

  /** Runs a regular expression. Throws `INVALID_PARAMS`, which names `path`, when the query's time is used up. */
  use<T>(regex: RegExp, path: string, use: (regex: RegExp) => T): T {
    const results: T[] = [];
    let taken = 0;
    // Measured inside, so that the cost of the script itself does not count.
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

/** Recognises a timeout by its code, since the error may be of the script's own realm and no `Error` of this one. */
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
 * Counts the places where a pattern has a choice. They and the length of a text bound how often matching can backtrack. Infinite if there is
 * no such bound: with a repeated group or a back reference.
 */
export function countChoices({ source }: RegExp): number {
  if (source.length > MAX_ANALYSED_CHARACTERS || /\)[*+{?]|\\[1-9k]/.test(source)) return Number.POSITIVE_INFINITY;
  return source.match(/[*+{?|]/g)?.length ?? 0;
}

/** Bounds the characters that a pattern with this many choices can look at: the number of ways to divide the text between them. */
export function maxEffort(choices: number, length: number): number {
  if (choices === Number.POSITIVE_INFINITY) return choices;
  let ways = 1;
  for (let part = 1; part <= choices + 1; part += 1) ways = (ways * (length + part)) / part;
  return ways;
}
