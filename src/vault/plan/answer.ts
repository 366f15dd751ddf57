import { hashOf, isTooLarge } from '../../store/folder/hash.ts';
import type { Done } from '../../store/store.ts';
import type { OwnBytes } from '../sync/compare-folders.ts';
import { revIn } from './note-text.ts';
import type { Committed, FileResult, Plan } from './plan.ts';
import type { PreparedFile } from './prepare.ts';

/** Returns the results of a plan, file by file. `hashes`: those of the changed files on disk after the write; null before it. */
export function answerTo<P extends Plan>(
  plan: P,
  prepared: readonly PreparedFile[],
  hashes: readonly (string | null)[] | null,
): Committed<P['result']> {
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
    result: plan.result,
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

/** Returns the bytes written to each path, with the state of their files. */
export function ownBytes(
  prepared: readonly PreparedFile[],
  { staged, hashes }: Pick<Extract<Done, { kind: 'done' }>, 'staged' | 'hashes'>,
): ReadonlyMap<string, OwnBytes> {
  const own = new Map<string, OwnBytes>();
  for (const [index, { change }] of prepared.filter(({ isChanged }) => isChanged).entries()) {
    const [state, hash] = [staged[index] ?? null, hashes[index] ?? null];
    if (state === null || hash === null || change.kind === 'remove' || change.bytes === null) continue;
    // It is read as every large file is: its beginning.
    if (isTooLarge({ size: change.bytes.length })) continue;
    const bytes = Buffer.from(change.bytes.buffer, change.bytes.byteOffset, change.bytes.byteLength);
    const path = change.kind === 'create' ? change.path : change.kind === 'move' ? change.to : change.of.path;
    own.set(path, { bytes, hash, state });
  }
  return own;
}
