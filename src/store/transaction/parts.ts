import { removeIfThere } from '../folder/write-file.ts';
import type { StagedStep } from './commit.ts';
import type { RetainedFile } from './conflict-copy.ts';
import { pathsOf } from './intent.ts';
import type { Intent } from './intent.ts';
import type { UnderLock } from './under-lock.ts';

/** One of several transactions of other machines that are carried out here as one. */
export interface Part {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly operation: string;
  readonly agent: string;
  /** Returns whether it changes this file. At most one part changes any file. */
  readonly has: (path: string) => boolean;
}

/**
 * Splits the batch of a transaction into its parts, so that each is listed and undone separately. Steps that belong to no part stay in the
 * batch. Returns the displaced files with their new paths.
 */
export async function splitBatch(
  { files, journal, records }: Pick<UnderLock, 'files' | 'journal' | 'records'>,
  { id, steps }: { readonly id: string; readonly steps: readonly StagedStep[] },
  { parts, displaced }: { readonly parts: readonly Part[]; readonly displaced: readonly RetainedFile[] },
): Promise<readonly RetainedFile[]> {
  const renamed = new Map<string, string>();
  let left = steps.length;
  for (const part of parts) {
    const own = steps.flatMap(({ step }, index) => (pathsOf(step).some(part.has) ? [{ step, index }] : []));
    for (const [index, whole] of own.entries()) {
      const [from, to] = [records.beforeFile(id, whole.index), records.beforeFile(part.id, index)];
      if (files.stat(from) === null) continue;
      files.rename(from, to);
      renamed.set(from, to);
    }
    const intent: Intent = {
      format: 1,
      id: part.id,
      operation: part.operation,
      agent: part.agent,
      timestamp: part.at,
      steps: own.map(({ step }) => step),
      events: [],
      folders: [],
    };
    if (own.length > 0) await journal.writeIntent(records.batchFile(part.id), intent, false);
    left -= own.length;
  }
  if (left === 0) removeIfThere(files, records.batchFile(id));
  return displaced.map((each) => ({ ...each, file: renamed.get(each.file) ?? each.file }));
}
