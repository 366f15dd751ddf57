import { setImmediate } from 'node:timers/promises';

/** A stretch of work short enough that a waiting call does not notice it. */
export interface Slice {
  begin(): void;
  isOver(): boolean;
}

/** A slice of so many milliseconds. */
export function openSlice(milliseconds: number): Slice {
  let last = 0;
  return {
    begin() {
      last = performance.now() + milliseconds;
    },
    isOver: () => performance.now() >= last,
  };
}

/** Run steps to their end, giving way to everything else after each slice. */
export async function runInSlices<T>(slice: Slice, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    slice.begin();
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (!slice.isOver());
    await setImmediate();
  }
}
