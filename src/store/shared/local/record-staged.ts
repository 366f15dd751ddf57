import type { Done } from '../../store.ts';
import type { Planned } from '../../transaction/transact.ts';
import type { LocalChanges } from './local-changes.ts';

/** The files that a transaction wrote. */
export type StagedFiles = Pick<Extract<Done, { kind: 'done' }>, 'staged' | 'hashes'>;

/** Records the files that a transaction wrote, so that they are not read again as edits. */
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
