import { errorMessage, RouxError } from '../../errors.ts';
import type { Log } from '../../ports.ts';
import type { SharedVault } from './shared-vault.ts';

/** A store keeps some things for a time: the machines that follow it see to it that they end. */
export interface Pruning {
  /** The store was reached a moment ago. Nobody waits for what this may begin. */
  runIfDue(shared: SharedVault): void;
}

/**
 * Asks every so many milliseconds whether it is due, the first time after as long: a process that is gone in a moment begins nothing.
 * What fails is logged, and asked for again. Ends with the vault's connections.
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
          log.info(`What the store keeps for a time was not ended, and is later: ${errorMessage(error)}`);
        })
        .finally(() => (nextAt = performance.now() + everyMs));
    },
  };
}
