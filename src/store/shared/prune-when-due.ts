import { errorMessage, RouxError } from '../../errors.ts';
import type { Log } from '../../ports.ts';
import type { SharedVault } from './shared-vault.ts';

/** Prunes a store: the machines that follow it remove what has expired there. */
export interface Pruning {
  /** Prunes in the background if it is time for it. */
  runIfDue(shared: SharedVault): void;
}

/**
 * Creates a pruning that asks the store every `everyMs` milliseconds, first after one interval, so that a short-lived process starts none.
 * Failures are logged and repeated. Ends with the connections of the vault.
 */
export function createPruning({ everyMs, log }: { readonly everyMs: number; readonly log: Log }): Pruning {
  let nextAt = performance.now() + everyMs;
  return {
    runIfDue(shared) {
      if (shared.isReadOnly || performance.now() < nextAt) return;
      nextAt = Infinity;
      shared
        .prune({ ifDue: true })
        .catch((error: unknown) => {
          if (error instanceof RouxError && error.code === 'CANCELLED') return;
          log.info(`Expired records of the store were not removed; this is tried again later: ${errorMessage(error)}`);
        })
        .finally(() => (nextAt = performance.now() + everyMs));
    },
  };
}
