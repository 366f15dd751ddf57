import { asKnown, isToCome, isVisible } from '../retrieve/validity.ts';
import type { Scope } from '../retrieve/validity.ts';
import type { FactResult } from '../retrieve/wire.ts';
import type { StoredFact } from '../stored/shapes.ts';

/** The state of a fact at a time: `superseded` by another fact, not yet valid (`to come`), no longer valid (`ended`), valid (`holds`), or `deleted`. */
export type FactState = 'holds' | 'ended' | 'to come' | 'superseded' | 'deleted';

/** Returns the state of a fact at a valid time; a fact that was replaced is always `superseded`. */
export function stateAt(
  { valid_at: from, invalid_at: to, expired_at: expired }: Pick<FactResult, 'valid_at' | 'invalid_at' | 'expired_at'>,
  at: string,
): FactState {
  if (expired !== undefined) return 'superseded';
  if (from !== undefined && from > at) return 'to come';
  return to !== undefined && to <= at ? 'ended' : 'holds';
}

/** Returns the state of a fact in a scope: `holds` if a search would return it. `shown` is the fact as it was known then. */
export function stateInScope(fact: StoredFact, shown: Pick<FactResult, 'valid_at' | 'invalid_at' | 'expired_at'>, scope: Scope): FactState {
  if (isVisible(fact, scope)) return 'holds';
  const isReplaced = shown.expired_at !== undefined;
  return !isReplaced && isToCome(asKnown(fact, scope.moment.known) ?? fact, scope.moment) ? 'to come' : stateAt(shown, scope.moment.valid);
}
