import { RouxError } from '../../../errors.ts';
import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { takeWhileFits, withFit } from '../../shorten.ts';
import { anyUuid, groupId, queryMessages, search, request } from '../inputs.ts';
import { composeQuery } from './compose-query.ts';
import { getEpisodes, getFact } from './read.ts';
import { searchFacts } from './search-facts.ts';
import type { FactQuery } from './search-facts.ts';
import type { AgedFact } from './wire.ts';

/** Room for what is beside the episodes of an answer. */
const MAX_NOTE_CHARACTERS = 500;

const searchInput = z.strictObject({
  group_ids: z.array(groupId).min(1).max(100).describe('Where to look'),
  query: z.string().min(1).describe('A question or words'),
  ...search,
});

function toQuery(
  input: Omit<z.output<typeof searchInput>, 'group_ids' | 'query'>,
): Pick<FactQuery, 'maxFacts' | 'offset' | 'center' | 'asOf' | 'includeExpired'> {
  return {
    maxFacts: input.max_facts,
    offset: input.offset,
    center: input.center_node_uuid,
    asOf: input.as_of,
    includeExpired: input.include_expired,
  };
}

export interface FactsPage {
  readonly facts: readonly AgedFact[];
  /** How many of them did not fit. */
  readonly omitted?: number;
  readonly read_on?: string;
}

/** Returns an answer with facts; a short one says how to read on. */
function withPages(facts: readonly AgedFact[], offset: number): FactsPage {
  const whole: FactsPage = { facts };
  return withFit(whole, (characters) => {
    const first = takeWhileFits(facts, characters - MAX_NOTE_CHARACTERS);
    const omitted = facts.length - first.length;
    return omitted === 0 ? whole : { facts: first, omitted, read_on: `pass offset: ${offset + first.length}` };
  });
}

export const searchFactsTool = defineOperation({
  name: 'kg_search_facts',
  toolset: 'knowledge',
  title: 'Search facts',
  summary: 'Facts that hold now, by words and meaning; as_of asks for what held, or was known, at another time.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: request(searchInput.shape),
  run: async (context, { input }) =>
    withPages(await searchFacts(context, { ...toQuery(input), groupIds: input.group_ids, query: input.query }), input.offset),
});

export const getMemory = defineOperation({
  name: 'kg_get_memory',
  toolset: 'knowledge',
  title: 'Get memory',
  summary: 'Facts that matter to these messages.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: request({
    group_id: groupId,
    messages: queryMessages.min(1).describe('The end of the conversation, oldest first'),
    ...search,
  }),
  run: async (context, { input }) =>
    withPages(
      await searchFacts(context, { ...toQuery(input), groupIds: [input.group_id], query: composeQuery(input.messages) }),
      input.offset,
    ),
});

export const getEntityEdge = defineOperation({
  name: 'kg_get_entity_edge',
  toolset: 'knowledge',
  title: 'Get fact',
  summary: 'One fact by its uuid, expired or not: who said it, when, in which episode and in which words.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: request({ uuid: anyUuid.describe('Of a fact') }),
  run: (context, { input }) => getFact(context, input.uuid),
});

export const getEpisodesTool = defineOperation({
  name: 'kg_get_episodes',
  toolset: 'knowledge',
  title: 'Get episodes',
  summary: 'The newest episodes of a group, oldest first; or one by its uuid.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: request({
    group_id: groupId,
    last_n: z.int().min(1).max(1000).optional().describe('How many, counted from the newest; required without uuid'),
    before: anyUuid.optional().describe('Those before this episode: the first one of an answer, to read on'),
    uuid: anyUuid.optional().describe('This episode alone'),
  }),
  run: async (context, { input: { group_id: groupId, last_n: lastN, before, uuid } }) => {
    if (lastN === undefined && uuid === undefined)
      throw new RouxError('INVALID_ARGUMENT', 'Pass last_n, how many episodes, or the uuid of one.');
    const episodes = await getEpisodes(context, { groupId, lastN: lastN ?? 1, before, uuid });
    const whole: { episodes: typeof episodes; omitted?: number; read_on?: string } = { episodes };
    return withFit(whole, (characters) => {
      const newest = takeWhileFits(episodes.toReversed(), characters - MAX_NOTE_CHARACTERS).toReversed();
      const omitted = episodes.length - newest.length;
      return omitted === 0 ? whole : { episodes: newest, omitted, read_on: `pass before: ${JSON.stringify(newest[0]?.uuid)}` };
    });
  },
});
