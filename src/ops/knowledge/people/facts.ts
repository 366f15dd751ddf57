import * as z from 'zod';
import { defineOperation, currentTime, upToDate } from '../../operation.ts';
import { groupId, looseTime } from '../inputs.ts';
import { scopeOf, searchFacts } from '../retrieve/search-facts.ts';
import type { FactResult } from '../retrieve/wire.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import { chooseGroup } from './choose-group.ts';
import { stateInScope, stateAt } from './fact-state.ts';
import type { FactState } from './fact-state.ts';

/** Finds facts of one group, now or at another time on either axis (S3-43), for people. */
export const facts = defineOperation({
  name: 'facts',
  toolset: null,
  title: 'Facts',
  summary: 'Facts of one group by words, each with how it stands; now, or as of another time.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    query: z.string().min(1),
    group_id: groupId.optional(),
    /** Valid time. */
    as_of: looseTime.optional(),
    /** System time. */
    known_at: looseTime.optional(),
    all: z.boolean().default(false),
    limit: z.int().min(1).default(10),
  }),
  async run(context, { query, group_id: named, as_of: valid, known_at: known, all, limit }) {
    const index = knowledgeOf((await upToDate(context)).vault);
    index.refresh();
    const group = chooseGroup(index, named);
    const asOf = { valid, known };
    const found = await searchFacts(context, { groupIds: [group.id], query, maxFacts: limit, asOf, includeExpired: all });
    const scope = scopeOf({ asOf }, currentTime(context));
    const stateIn = (fact: FactResult): FactState => {
      const stored = group.fact(fact.uuid)?.fact;
      return stored === undefined ? stateAt(fact, scope.moment.valid) : stateInScope(stored, fact, scope);
    };
    return { group_id: group.id, facts: found.map((fact) => ({ ...fact, state: stateIn(fact) })) };
  },
});
