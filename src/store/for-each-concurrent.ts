/**
 * Runs a task for each value, at most sixteen at once. After a failure starts no more tasks, waits for the running ones, and throws the
 * first error.
 */
export async function forEachConcurrent<T>(values: readonly T[], task: (value: T, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const runner = async (): Promise<void> => {
    while (next < values.length && failures.length === 0) {
      const index = next++;
      try {
        await task(values[index] as T, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(16, values.length) }, runner));
  if (failures.length > 0) throw failures[0];
}
