import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { anyUuid, groupId, memorySearch, queryMessages, search } from '../inputs.ts';
import { composeQuery } from './compose-query.ts';
import { getEpisodes, getFact } from './read.ts';
import { searchFacts } from './search-facts.ts';
import type { FactQuery } from './search-facts.ts';

const searchInput = z.strictObject({ group_ids: z.array(groupId).min(1).max(100), query: z.string().min(1), ...search });

function toQuery(
  input: Omit<z.output<typeof searchInput>, 'group_ids' | 'query'>,
): Pick<FactQuery, 'maxFacts' | 'center' | 'asOf' | 'includeExpired'> {
  return {
    maxFacts: input.max_facts,
    center: input.center_node_uuid,
    asOf: input.as_of,
    includeExpired: input.include_expired,
  };
}

export const searchFactsTool = defineOperation({
  name: 'kg_search_facts',
  toolset: 'knowledge',
  title: 'Search facts',
  summary: 'Facts that hold now, by words and meaning; as_of asks for what held, or was known, at another time.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: searchInput }),
  run: async (context, { input }) => ({
    facts: await searchFacts(context, { ...toQuery(input), groupIds: input.group_ids, query: input.query }),
  }),
});

export const getMemory = defineOperation({
  name: 'kg_get_memory',
  toolset: 'knowledge',
  title: 'Get memory',
  summary: 'Facts that matter to these messages.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ group_id: groupId, messages: queryMessages.min(1), ...memorySearch }) }),
  run: async (context, { input }) => ({
    facts: await searchFacts(context, { ...toQuery(input), groupIds: [input.group_id], query: composeQuery(input.messages) }),
  }),
});

export const getEntityEdge = defineOperation({
  name: 'kg_get_entity_edge',
  toolset: 'knowledge',
  title: 'Get fact',
  summary: 'One fact by its uuid, expired or not.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ uuid: anyUuid }) }),
  run: (context, { input }) => getFact(context, input.uuid),
});

export const getEpisodesTool = defineOperation({
  name: 'kg_get_episodes',
  toolset: 'knowledge',
  title: 'Get episodes',
  summary: 'The newest episodes of a group, oldest first.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ group_id: groupId, last_n: z.int().min(1).max(1000) }) }),
  run: async (context, { input }) => ({ episodes: await getEpisodes(context, { groupId: input.group_id, lastN: input.last_n }) }),
});
