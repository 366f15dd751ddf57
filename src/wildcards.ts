/** Stands for any number of folders. */
export const ANY = '**';

/** A part of a pattern: a test for a single item, or null for any number of items. */
export type Step<Item> = ((item: Item) => boolean) | null;

/** Limits the comparisons of one query, over all patterns. */
export class StepBudget {
  readonly #most: number;
  #left: number;
  #onExceeded: () => void;

  /** `onExceeded` is called each time that a query needs more steps. */
  constructor(most: number, onExceeded: () => void) {
    this.#most = most;
    this.#left = most;
    this.#onExceeded = onExceeded;
  }

  /** Starts a query, with the full budget. */
  reset(): void {
    this.#left = this.#most;
  }

  /** Takes one step; false if none is left. */
  take(): boolean {
    this.#left -= 1;
    if (this.#left === -1) this.#onExceeded();
    return this.#left >= 0;
  }

  /** Whether the query needed more steps than allowed, so that its result is unknown. */
  get isExceeded(): boolean {
    return this.#left < 0;
  }
}

/**
 * Whether the steps match all items in order. Each step is compared with each item at most once, so that a pattern takes at most
 * `steps.length * items.length` comparisons. Returns false if the budget runs out.
 */
export function fits<Item>(steps: readonly Step<Item>[], items: ArrayLike<Item>, budget?: StepBudget): boolean {
  let [step, item] = [0, 0];
  // After a mismatch, the last null takes one more item. Earlier nulls never have to take more.
  let [afterAny, retryAt] = [-1, 0];
  while (item < items.length) {
    if (budget?.take() === false) return false;
    const test = steps[step];
    if (test === null) {
      step += 1;
      [afterAny, retryAt] = [step, item];
    } else if (test?.(items[item]!) === true) {
      step += 1;
      item += 1;
    } else if (afterAny >= 0) {
      retryAt += 1;
      [step, item] = [afterAny, retryAt];
    } else return false;
  }
  while (steps[step] === null) step += 1;
  return step === steps.length;
}

/** Whether a text has wildcards. */
export function isWild(text: string): boolean {
  return /[*?]/.test(text);
}

/**
 * Returns a test of paths, given as their names, for a pattern: `*` matches any part of a name, `?` one character, `**` between slashes any
 * number of folders. A plain name at the end means the folder with everything in it, a wildcard only what it matches.
 */
export function toPathTest(pattern: string): (names: readonly string[]) => boolean {
  const parts = pattern.split('/');
  const steps = [...parts, ...(isWild(parts.at(-1) ?? '') ? [] : [ANY])].map((part) => (part === ANY ? null : toNameTest(part)));
  return (names) => fits(steps, names);
}

function toNameTest(pattern: string): (name: string) => boolean {
  if (!isWild(pattern)) return (name) => name === pattern;
  const steps = Array.from(pattern, (each): Step<string> => (each === '*' ? null : (character) => each === '?' || character === each));
  return (name) => fits(steps, Array.from(name));
}
