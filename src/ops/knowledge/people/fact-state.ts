import { isVisible } from '../retrieve/validity.ts';
import type { Scope } from '../retrieve/validity.ts';
import type { FactResult } from '../retrieve/wire.ts';
import type { StoredFact } from '../stored/shapes.ts';

/** How a fact stands at a time: `superseded` by another one, not begun (`to come`), over (`ended`), or it holds; `deleted` is no longer there. */
export type FactState = 'holds' | 'ended' | 'to come' | 'superseded' | 'deleted';

/** How a fact stands at a valid time; what another one replaced is `superseded` whenever. */
export function stateOf(
  { valid_at: from, invalid_at: to, expired_at: expired }: Pick<FactResult, 'valid_at' | 'invalid_at' | 'expired_at'>,
  at: string,
): FactState {
  if (expired !== undefined) return 'superseded';
  if (from !== undefined && from > at) return 'to come';
  return to !== undefined && to <= at ? 'ended' : 'holds';
}

/** How a fact stands in what is looked at: it holds where a search would give it. `shown`: the fact as it was known then. */
export function standingOf(fact: StoredFact, shown: Pick<FactResult, 'valid_at' | 'invalid_at' | 'expired_at'>, scope: Scope): FactState {
  return isVisible(fact, scope) ? 'holds' : stateOf(shown, scope.moment.valid);
}
