/** A timer may be a little early; its task must not run twice. */
const MIN_DELAY_MS = 20;

/**
 * Runs a task at whole multiples of an interval, so that what is done every second, every two and every five wakes the process once. Keeps no
 * process alive. Returns a function that ends it.
 */
export function every(intervalMs: number, task: () => void): () => void {
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    const left = intervalMs - (performance.now() % intervalMs);
    const delay = left < MIN_DELAY_MS ? left + intervalMs : left;
    timer = setTimeout(() => {
      schedule();
      task();
    }, Math.ceil(delay)).unref();
  };
  schedule();
  return () => clearTimeout(timer);
}
