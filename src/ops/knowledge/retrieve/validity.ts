import type { StoredFact } from '../stored/shapes.ts';

/** Both times that a fact is looked at from, ISO 8601 UTC with milliseconds. */
export interface Moment {
  /** Valid time: when it has to hold. */
  readonly valid: string;
  /** System time: by what was known then; null: by all that is known. */
  readonly known: string | null;
  /** The caller named a valid time, so that the past is what it asks for. */
  readonly isPast: boolean;
}

/** What of a fact's life is asked for. */
export interface Scope {
  readonly moment: Moment;
  /** Whatever holds or held, and was known by then. */
  readonly includeExpired: boolean;
}

/**
 * Whether a fact is in an answer. By default: valid now and not expired (S3-41); valid time is half-open, so that what ends now is over
 * (S3-42). Seen from a time in the past, what another fact has replaced since holds for the time that it had.
 */
export function isVisible(fact: StoredFact, { moment, includeExpired }: Scope): boolean {
  const then = asKnown(fact, moment.known);
  if (then === null) return false;
  if (includeExpired) return true;
  // A fact that was replaced keeps the time before its successor, and is believed of that time still.
  if (then.expiredAt !== null && !(moment.isPast && then.withdrawnAt === null && then.cuts.some(({ at }) => at === then.expiredAt)))
    return false;
  if (then.validAt !== null && then.validAt > moment.valid) return false;
  return then.invalidAt === null || then.invalidAt > moment.valid;
}

/** A fact as it was known at a time of the system (S3-43); null: it was not. What is known now is as it is, whatever the clock says. */
export function asKnown(fact: StoredFact, known: string | null): StoredFact | null {
  if (known === null) return fact;
  if (fact.createdAt > known) return null;
  const later = fact.cuts.findIndex(({ at }) => at > known);
  return {
    ...fact,
    invalidAt: fact.cuts[later]?.from ?? (later === -1 ? fact.invalidAt : null),
    cuts: later === -1 ? fact.cuts : fact.cuts.slice(0, later),
    expiredAt: fact.expiredAt !== null && fact.expiredAt <= known ? fact.expiredAt : null,
    withdrawnAt: fact.withdrawnAt !== null && fact.withdrawnAt <= known ? fact.withdrawnAt : null,
  };
}
