import { setImmediate } from 'node:timers/promises';

/** A time limit for work that keeps waiting calls from noticing it. */
export interface Slice {
  begin(): void;
  isOver(): boolean;
}

/** Short enough that a waiting call does not notice it. */
const SLICE_MS = 10;

/** Creates a slice. */
export function createSlice(milliseconds = SLICE_MS): Slice {
  let last = 0;
  return {
    begin() {
      last = performance.now() + milliseconds;
    },
    isOver: () => performance.now() >= last,
  };
}

/** Runs steps to the end without a pause. */
export function runAtOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs steps to the end, yielding to other work after each slice, and for as long as `rest` takes. */
export async function runInSlices<T>(slice: Slice, steps: Generator<void, T>, rest: () => Promise<unknown> = setImmediate): Promise<T> {
  for (;;) {
    slice.begin();
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (!slice.isOver());
    await rest();
  }
}

/** Yields items, and lets other work run after each slice: a loop over an async generator alone lets nothing in. */
export async function* yieldInSlices<T>(slice: Slice, items: Iterable<T>): AsyncGenerator<T> {
  slice.begin();
  for (const item of items) {
    yield item;
    if (!slice.isOver()) continue;
    await setImmediate();
    slice.begin();
  }
}
