import { hashOf } from '../../store/folder/hash.ts';
import { revIn } from './note-text.ts';
import type { Committed, FileResult, Plan } from './plan.ts';
import type { PreparedFile } from './prepare.ts';

/** What a plan came to, file by file. `hashes`: what stands on the disk by now, of the files that changed; null before anything was written. */
export function answerTo(plan: Plan, prepared: readonly PreparedFile[], hashes: readonly (string | null)[] | null): Committed {
  const changed = prepared.filter(({ isChanged }) => isChanged);
  const hashAfter = (file: PreparedFile): string | null => {
    const done = hashes?.[changed.indexOf(file)];
    return done === undefined ? plannedHash(file) : done;
  };
  return {
    batch: null,
    files: prepared.map((file) => toResult(file, hashAfter(file))),
    events: [],
    warnings: plan.warnings ?? [],
    ...(plan.result === undefined ? {} : { result: plan.result }),
  };
}

function plannedHash({ change }: PreparedFile): string | null {
  if (change.kind === 'remove') return null;
  if (change.kind === 'move' && change.bytes === null) return change.of.hash;
  return hashOf(change.bytes ?? '');
}

function toResult(file: PreparedFile, hash: string | null): FileResult {
  return { path: file.path, hash, rev: file.sides.after === null ? null : revIn(file.sides.after), changed: file.isChanged };
}

/** Whether a value that was kept under an idempotency key is the answer of a write. */
export function isCommitted(value: unknown): value is Committed {
  return typeof value === 'object' && value !== null && 'files' in value && 'batch' in value;
}
