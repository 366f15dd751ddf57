import { setTimeout } from 'node:timers/promises';
import type { FileReader } from './folder/file-system.ts';
import { listAllowed } from './folder/read-allowed.ts';
import { JOURNAL, isIntentName } from './transaction/journal.ts';

/** Longest wait for writes that may explain why a note was found under two names, or none. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 5;

/**
 * Creates a function that waits until the writes of any process that are under way when it is called are finished, and returns whether
 * there were any.
 */
export function createWriteWait(files: Pick<FileReader, 'list'>): () => Promise<boolean> {
  /** Intents that a crash ignored or that took too long, which are not waited for again. */
  let ignored: ReadonlySet<string> = new Set();
  const listIntents = (): readonly string[] =>
    listAllowed(files, JOURNAL)
      .map(({ name }) => name)
      .filter((name) => isIntentName(name) && !ignored.has(name));
  return async () => {
    const pending = listIntents();
    const end = performance.now() + MAX_WAIT_MS;
    while (listIntents().some((name) => pending.includes(name))) {
      if (performance.now() > end) ignored = new Set(listIntents());
      else await setTimeout(POLL_MS);
    }
    return pending.length > 0;
  };
}
