import type { StoredFact } from './shapes.ts';

/** Returns the times at which a statement without `validAt` says that it holds: when it was said, unless it was over by then. */
export function statementTimes({ validAt, invalidAt, saidAt }: Pick<StoredFact, 'validAt' | 'invalidAt' | 'saidAt'>): readonly string[] {
  return validAt === null && (invalidAt === null || invalidAt >= saidAt) ? [saidAt] : [];
}
