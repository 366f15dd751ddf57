import type { Done } from '../../store.ts';
import type { Planned } from '../../transaction/transact.ts';
import type { LocalChanges } from './local-changes.ts';

/** Of a transaction that is done, what stands under each name now. */
export type StagedFiles = Pick<Extract<Done, { kind: 'done' }>, 'staged' | 'hashes'>;

/** What a transaction has put in place is no edit, and is not read again. */
export function recordStaged(
  edits: Pick<LocalChanges, 'recordStaged'>,
  { steps }: Pick<Planned, 'steps'>,
  { staged, hashes }: StagedFiles,
): void {
  for (const [index, { step }] of steps.entries()) {
    const [state, hash] = [staged[index] ?? null, hashes[index] ?? null];
    if (state !== null && hash !== null) edits.recordStaged(step.kind === 'move' ? step.to : step.path, hash, state);
  }
}
