import { hashOf } from '../../store/folder/hash.ts';
import { revIn } from './note-text.ts';
import type { Committed, FileResult, Plan } from './plan.ts';
import type { PreparedFile } from './prepare.ts';

/** Returns the results of a plan, file by file. `hashes`: those of the changed files on disk after the write; null before it. */
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

/** Returns whether a value stored under an idempotency key is the answer of a write. */
export function isCommitted(value: unknown): value is Committed {
  return typeof value === 'object' && value !== null && 'files' in value && 'batch' in value;
}
