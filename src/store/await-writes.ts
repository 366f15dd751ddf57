import { setTimeout } from 'node:timers/promises';
import type { FileReader } from './folder/file-system.ts';
import { listAllowed } from './folder/read-allowed.ts';
import { JOURNAL, isIntentName } from './transaction/journal.ts';

/** A read that found a note under two names, or under none, waits no longer for a write that may be the reason. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 5;

/** Returns what waits until the writes are ended that are in force at that moment, whoever writes, and tells whether there were any. */
export function openAwaitWrites(files: Pick<FileReader, 'list'>): () => Promise<boolean> {
  /** What a crash left, or takes long: nobody waits for it again. */
  let left: ReadonlySet<string> = new Set();
  const inForce = (): readonly string[] =>
    listAllowed(files, JOURNAL)
      .map(({ name }) => name)
      .filter((name) => isIntentName(name) && !left.has(name));
  return async () => {
    const begun = inForce();
    const end = performance.now() + PATIENCE_MS;
    while (inForce().some((name) => begun.includes(name))) {
      if (performance.now() > end) left = new Set(inForce());
      else await setTimeout(PAUSE_MS);
    }
    return begun.length > 0;
  };
}
