import type { StoredFact } from '../stored/shapes.ts';

/** Both times that a fact is looked at from, ISO 8601 UTC with milliseconds. */
export interface Moment {
  /** Valid time: when it has to hold. */
  readonly valid: string;
  /** System time: by what was known then. */
  readonly known: string;
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
  if (fact.createdAt > moment.known) return false;
  if (includeExpired) return true;
  const isExpired = fact.expiredAt !== null && fact.expiredAt <= moment.known;
  // A fact that was replaced keeps the time before its successor, and is believed of that time still.
  if (isExpired && !(moment.isPast && fact.cuts.some(({ at }) => at === fact.expiredAt))) return false;
  if (fact.validAt !== null && fact.validAt > moment.valid) return false;
  const end = endKnownAt(fact, moment.known);
  return end === null || end > moment.valid;
}

/** The end of a fact's valid time as it was known at a time of the system; null for none. */
function endKnownAt({ invalidAt, cuts }: StoredFact, known: string): string | null {
  const later = cuts.find(({ at }) => at > known);
  return later === undefined ? invalidAt : later.from;
}
