import type { FactResult } from '../retrieve/wire.ts';

/** How a fact stands at a time: `superseded` by another one, not begun (`to come`), over (`ended`), or it holds; `deleted` is no longer there. */
export type FactState = 'holds' | 'ended' | 'to come' | 'superseded' | 'deleted';

/** How a fact stands at a valid time; what another one replaced is `superseded` whenever. */
export function stateOf({ valid_at: from, invalid_at: to, expired_at: expired }: FactResult, at: string): FactState {
  if (expired !== undefined) return 'superseded';
  if (from !== undefined && from > at) return 'to come';
  return to !== undefined && to <= at ? 'ended' : 'holds';
}
