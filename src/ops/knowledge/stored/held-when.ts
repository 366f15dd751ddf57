import type { StoredFact } from './shapes.ts';

/**
 * The times at which a statement says of itself that it holds: the one at which it is said, where it names none from which on it does and was
 * not over by then.
 */
export function heldWhen({ validAt, invalidAt, saidAt }: Pick<StoredFact, 'validAt' | 'invalidAt' | 'saidAt'>): readonly string[] {
  return validAt === null && (invalidAt === null || invalidAt >= saidAt) ? [saidAt] : [];
}
