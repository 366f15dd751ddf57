import { startOf } from '../stored/shapes.ts';
import type { StoredFact } from '../stored/shapes.ts';

/** A point in valid and system time, ISO 8601 UTC with milliseconds. */
export interface Moment {
  /** Valid time: when the fact holds. */
  readonly valid: string;
  /** System time: what was known then; null for all that is known. */
  readonly known: string | null;
  /** Whether the caller named a valid time and so asks about the past. */
  readonly isPast: boolean;
}

/** Which facts an answer includes. */
export interface Scope {
  readonly moment: Moment;
  /** Includes facts that do not hold, as far as they were known. */
  readonly includeExpired: boolean;
}

/**
 * Returns whether a fact is in scope. By default it must be valid now and not expired (S3-41). Valid time is half-open, so a fact that ends
 * now does not hold (S3-42). At a time in the past, a fact that was replaced later holds until its successor begins.
 */
export function isVisible(fact: StoredFact, { moment, includeExpired }: Scope): boolean {
  const then = asKnown(fact, moment.known);
  if (then === null) return false;
  if (includeExpired) return true;
  // A replaced fact is still believed for the time before its successor.
  if (then.expiredAt !== null && !(moment.isPast && then.withdrawnAt === null && then.cuts.some(({ at }) => at === then.expiredAt)))
    return false;
  return !isToCome(then, moment) && (then.invalidAt === null || then.invalidAt > moment.valid);
}

/** Returns whether a fact begins after a time. Who asks about now finds what was said, even if its episode names a later time. */
export function isToCome(fact: StoredFact, { valid, isPast }: Moment): boolean {
  return (isPast || fact.validAt !== null) && (startOf(fact) ?? '') > valid;
}

/** Returns a fact as it was known at a system time, or null if it was not (S3-43). With null, returns it unchanged. */
export function asKnown(fact: StoredFact, known: string | null): StoredFact | null {
  if (known === null) return fact;
  if (fact.createdAt > known) return null;
  const start = fact.earlierStarts.find(({ at }) => at > known);
  const later = fact.cuts.findIndex(({ at }) => at > known);
  return {
    ...fact,
    invalidAt: fact.cuts[later]?.from ?? (later === -1 ? fact.invalidAt : null),
    cuts: later === -1 ? fact.cuts : fact.cuts.slice(0, later),
    heldAt: start === undefined ? fact.heldAt : [start.from, ...fact.heldAt.filter((at) => at > start.from)],
    expiredAt: fact.expiredAt !== null && fact.expiredAt <= known ? fact.expiredAt : null,
    withdrawnAt: fact.withdrawnAt !== null && fact.withdrawnAt <= known ? fact.withdrawnAt : null,
  };
}
