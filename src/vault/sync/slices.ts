import { setImmediate } from 'node:timers/promises';

/** A stretch of work short enough that a waiting call does not notice it. */
export interface Slice {
  begin(): void;
  isOver(): boolean;
  /** Everything else goes on from here. */
  end(): void;
}

/** A slice of so many milliseconds; `onEnd` gives back what may not be held while others go on. */
export function openSlice(milliseconds: number, onEnd: () => void = () => undefined): Slice {
  let last = 0;
  return {
    begin() {
      last = performance.now() + milliseconds;
    },
    isOver: () => performance.now() >= last,
    end: onEnd,
  };
}

/** Run steps to their end, giving way to everything else after each slice. */
export async function runInSlices<T>(slice: Slice, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    slice.begin();
    try {
      do {
        const step = steps.next();
        if (step.done === true) return step.value;
      } while (!slice.isOver());
    } finally {
      slice.end();
    }
    await setImmediate();
  }
}
