import { createContext, Script } from 'node:vm';
import { queryError } from './query-error.ts';

/** What a plain pattern may look at: then the time it takes cannot matter. */
const PLAIN_TEXT = 100;
const PLAIN_PATTERN = 100;
/** Milliseconds that all regular expressions of one query may take together. */
const MOST_MS = 500;

/** Calls a function that is handed over, and is nothing that anybody wrote: running a script is Node's one way to stop a regular expression. */
const script = new Script('run()');

/** Lets regular expressions run for so long and no longer: how long one takes cannot be told by looking at it. */
export class PatternClock {
  readonly #box: { run: () => void } = createContext({ run: () => undefined }) as { run: () => void };
  #left = MOST_MS;

  /** Uses a regular expression on a text; `INVALID_PARAMS` when the time of the query is used up. `path`: where, for the message. */
  use<T>({ regex, text, path }: { readonly regex: RegExp; readonly text: string; readonly path: string }, use: (regex: RegExp) => T): T {
    // One with `g` or `y` remembers where it was.
    regex.lastIndex = 0;
    if (text.length <= PLAIN_TEXT && isPlain(regex.source)) return use(regex);
    const started = performance.now();
    const results: T[] = [];
    this.#box.run = () => void results.push(use(regex));
    try {
      script.runInContext(this.#box, { timeout: Math.max(1, Math.ceil(this.#left)) });
    } catch (error) {
      if (isTimeout(error)) throw tooSlow(regex, path);
      throw error;
    }
    this.#left -= performance.now() - started;
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

/** Whether a pattern has one repetition at most, and none of a group. */
function isPlain(source: string): boolean {
  if (source.length > PLAIN_PATTERN) return false;
  return (source.match(/[*+{?]/g)?.length ?? 0) <= 1 && !/\)[*+{?]|\\[1-9k]/.test(source);
}
