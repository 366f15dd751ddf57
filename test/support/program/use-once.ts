import { afterAll } from 'vitest';

/**
 * What the tests of a file share, as they change nothing in it that another one looks at: a server takes longer to start than most tests
 * take. It is made when the first of them asks, and gone after the last. `open`: has it for as long as what it is given runs.
 */
export function useOnce<T>(open: (use: (value: T) => Promise<void>) => Promise<void>): () => Promise<T> {
  let opened: Promise<T> | null = null;
  let ended: Promise<void> | null = null;
  let end = (): void => undefined;
  afterAll(async () => {
    end();
    await ended;
  });
  return () =>
    (opened ??= new Promise<T>((resolve, reject) => {
      const isOver = new Promise<void>((done) => (end = done));
      ended = open((value) => {
        resolve(value);
        return isOver;
      });
      ended.catch(reject);
    }));
}
