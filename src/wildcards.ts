/** One place of a pattern: a test for a single item, or null for any number of items. */
export type Step<Item> = ((item: Item) => boolean) | null;

/** A bound on the comparisons that one question may cost, whatever the patterns it is put to. */
export class StepBudget {
  readonly #most: number;
  #left: number;
  #onExceeded: () => void;

  /** `onExceeded` is called whenever a question would need more steps. */
  constructor(most: number, onExceeded: () => void) {
    this.#most = most;
    this.#left = most;
    this.#onExceeded = onExceeded;
  }

  /** Begins a question: all steps are there again. */
  begin(): void {
    this.#left = this.#most;
  }

  /** Takes one step; false where none is left. */
  take(): boolean {
    this.#left -= 1;
    if (this.#left === -1) this.#onExceeded();
    return this.#left >= 0;
  }

  /** The question needed more steps than there were: its answer is not known. */
  get isExceeded(): boolean {
    return this.#left < 0;
  }
}

/**
 * Whether the steps match all items in order. Each step is compared with each item at most once, so no pattern takes more than
 * `steps.length * items.length` comparisons. False where the budget runs out.
 */
export function fits<Item>(steps: readonly Step<Item>[], items: ArrayLike<Item>, budget?: StepBudget): boolean {
  let [step, item] = [0, 0];
  // Where to go on after a mismatch: the last null takes one more item. Those before it never have to take more.
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
