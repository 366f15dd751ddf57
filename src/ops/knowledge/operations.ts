import * as z from 'zod';
import { unlisted } from '../arguments.ts';
import { defineOperation } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { ingest } from './ingest/ingest.ts';
import { pipelineOf } from './ingest/pipeline.ts';
import type { KnowledgeMetrics } from './ingest/metrics.ts';
import { readReceipt, retryParked } from './ingest/receipts.ts';
import { anyUuid, groupId, items, memorySearch, messages, queryMessages, search, toTime, uuid } from './inputs.ts';
import { addEntity } from './maintain/add-entity.ts';
import { clear, deleteEpisode, deleteFact } from './maintain/delete.ts';
import type { Cleared } from './maintain/delete.ts';
import { composeQuery } from './retrieve/compose-query.ts';
import { getEpisodes, getFact } from './retrieve/read.ts';
import { searchFacts } from './retrieve/search-facts.ts';
import type { FactQuery } from './retrieve/search-facts.ts';

/** What a deletion answers (S3-16 to S3-19). */
export interface Done {
  readonly message: string;
  readonly success: true;
}

const healthcheck = defineOperation({
  name: 'kg_healthcheck',
  toolset: 'knowledge',
  title: 'Knowledge health',
  summary: 'Whether the knowledge graph and its ingestion work.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({}) }),
  run: ({ vault }): { readonly status: 'healthy' | 'degraded'; readonly trouble?: string; readonly metrics: KnowledgeMetrics } => {
    const { trouble, counters } = pipelineOf(vault);
    return { status: trouble === null ? 'healthy' : 'degraded', ...(trouble === null ? {} : { trouble }), metrics: counters.read() };
  },
});

const addMessages = defineOperation({
  name: 'kg_add_messages',
  toolset: 'knowledge',
  title: 'Add messages',
  summary: 'Ingest messages of a conversation; facts in them become searchable.',
  effect: 'write',
  envelope: 'ACCEPTED',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ group_id: groupId, messages }) }),
  async run(context, { input }) {
    const episodes = input.messages.map((message) => ({
      uuid: message.uuid,
      name: message.name,
      source: 'message' as const,
      body: `${message.role ?? ''}(${message.role_type}): ${message.content}`,
      referenceTime: toTime(message.timestamp),
      sourceDescription: message.source_description,
      extraction: message.extraction,
    }));
    const { receipt, accepted } = await ingest(context, { groupId: input.group_id, items: episodes, operation: 'kg_add_messages', input });
    return { message: 'Messages accepted for ingestion.', accepted, receipt_id: receipt };
  },
});

const addEpisodes = defineOperation({
  name: 'kg_add_episodes',
  toolset: 'knowledge',
  title: 'Add episodes',
  summary: 'Ingest texts or JSON, with the facts you read in them as extraction; else lines like "A -[REL]-> B: fact" are read.',
  effect: 'write',
  envelope: 'ACCEPTED',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ group_id: groupId, items }) }),
  async run(context, { input }) {
    const episodes = input.items.map((item) => ({
      uuid: item.uuid,
      name: item.name,
      source: item.source,
      body: item.body,
      referenceTime: toTime(item.reference_time),
      sourceDescription: item.source_description,
      extraction: item.extraction,
    }));
    const { receipt, accepted } = await ingest(context, { groupId: input.group_id, items: episodes, operation: 'kg_add_episodes', input });
    return { receipt_id: receipt, accepted };
  },
});

const addEntityNode = defineOperation({
  name: 'kg_add_entity_node',
  toolset: 'knowledge',
  title: 'Add entity',
  summary: 'Make an entity, or update summary and attributes of the one with this uuid.',
  effect: 'write',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({
    input: z.strictObject({
      uuid,
      group_id: groupId,
      name: z.string(),
      summary: z.string().optional(),
      attributes: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
  run: (context, { input }) => addEntity(context, input),
});

function toQuery(
  input: Omit<z.output<typeof searchInput>, 'group_ids' | 'query'>,
): Pick<FactQuery, 'maxFacts' | 'center' | 'asOf' | 'includeExpired'> {
  const at = (written: string | undefined): string | undefined => (written === undefined ? undefined : toTime(written));
  const moment = typeof input.as_of === 'string' ? { valid: input.as_of, known: input.as_of } : input.as_of;
  return {
    maxFacts: input.max_facts,
    center: input.center_node_uuid,
    asOf: moment === undefined ? undefined : { valid: at(moment.valid), known: at(moment.known) },
    includeExpired: input.include_expired,
  };
}

const searchInput = z.strictObject({ group_ids: z.array(groupId).min(1).max(100), query: z.string().min(1), ...search });

const searchFactsTool = defineOperation({
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

const getMemory = defineOperation({
  name: 'kg_get_memory',
  toolset: 'knowledge',
  title: 'Memory of a conversation',
  summary: 'Facts that matter to these messages.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ group_id: groupId, messages: queryMessages.min(1), ...memorySearch }) }),
  run: async (context, { input }) => ({
    facts: await searchFacts(context, { ...toQuery(input), groupIds: [input.group_id], query: composeQuery(input.messages) }),
  }),
});

const getEntityEdge = defineOperation({
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

const getEpisodesTool = defineOperation({
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

const deleteEntityEdge = defineOperation({
  name: 'kg_delete_entity_edge',
  toolset: 'knowledge',
  title: 'Delete fact',
  summary: 'Delete a fact.',
  effect: 'destroy',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ uuid: anyUuid }) }),
  async run(context, { input }): Promise<Done> {
    const isDeleted = await deleteFact(context, input.uuid);
    return { message: isDeleted ? 'Fact deleted.' : 'There was no such fact.', success: true };
  },
});

const deleteEpisodeTool = defineOperation({
  name: 'kg_delete_episode',
  toolset: 'knowledge',
  title: 'Delete episode',
  summary: 'Delete an episode; with cascade, facts that it alone states go too.',
  effect: 'destroy',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({
    input: z.strictObject({ uuid: anyUuid, group_id: unlisted(groupId.optional()), cascade: z.boolean().default(false) }),
  }),
  async run(context, { input }): Promise<Done> {
    const { isDeleted, facts, entities } = await deleteEpisode(context, {
      uuid: input.uuid,
      groupId: input.group_id,
      cascade: input.cascade,
    });
    const also = input.cascade ? ` With it went ${facts} facts and ${entities} entities.` : ' Its facts stay.';
    return { message: isDeleted ? `Episode deleted.${also}` : 'There was no such episode.', success: true };
  },
});

/** What is told of a deletion that cannot be undone. */
function cleared(
  what: string,
  { dry_run: isRehearsal }: { readonly dry_run: boolean },
  found: Cleared,
): Done & { readonly deleted?: Cleared; readonly would_delete?: Cleared } {
  const counts = `${found.episodes} episodes, ${found.facts} facts and ${found.entities} entities`;
  const links =
    found.links_left_total === 0 ? '' : ` ${found.links_left_total} links of other notes ${isRehearsal ? 'would lead' : 'lead'} nowhere.`;
  if (isRehearsal) return { message: `${what} would be deleted for good: ${counts}.${links}`, success: true, would_delete: found };
  return { message: `${what} is deleted for good, which cannot be undone: ${counts}.${links}`, success: true, deleted: found };
}

const deleteGroup = defineOperation({
  name: 'kg_delete_group',
  toolset: 'knowledge',
  title: 'Delete group',
  summary: 'Delete a group with all its episodes, facts and entities; cannot be undone. dry_run only tells.',
  effect: 'destroy',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ group_id: groupId, dry_run: z.boolean().default(false) }) }),
  run: async (context, { input }) =>
    cleared(
      `The group ${input.group_id}`,
      input,
      await clear(context, { groupId: input.group_id, operation: 'kg_delete_group', isRehearsal: input.dry_run }),
    ),
});

const getReceipt = defineOperation({
  name: 'kg_get_receipt',
  toolset: 'knowledge',
  title: 'State of ingestion',
  summary: 'How far the items of a receipt are; with group_id alone, what of it is not completed.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ receipt_id: z.string().min(1).max(128).optional(), group_id: groupId.optional() }) }),
  run: (context, { input }) => readReceipt(context, { receipt: input.receipt_id, groupId: input.group_id }),
});

const retryParkedTool = defineOperation({
  name: 'kg_retry_parked',
  toolset: 'knowledge',
  title: 'Retry parked items',
  summary: 'Try parked items of a group or receipt again.',
  effect: 'write',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({
    input: z.strictObject({
      group_id: groupId.optional(),
      receipt_id: z.string().min(1).max(128).optional(),
      uuids: z.array(anyUuid).max(1000).optional(),
    }),
  }),
  async run(context, { input }) {
    const retried = await retryParked(context, { receipt: input.receipt_id, groupId: input.group_id, uuids: input.uuids });
    return { message: `${retried} items are tried again.`, retried };
  },
});

const clearAll = defineOperation({
  name: 'kg_clear_all',
  toolset: 'admin',
  title: 'Clear the knowledge graph',
  summary: 'Delete the whole knowledge graph, and nothing else; cannot be undone. dry_run only tells.',
  effect: 'destroy',
  envelope: 'OK',
  isIdempotent: true,
  input: z.object({ input: z.strictObject({ dry_run: z.boolean().default(false) }) }),
  run: async (context, { input }) =>
    cleared('The knowledge graph', input, await clear(context, { groupId: null, operation: 'kg_clear_all', isRehearsal: input.dry_run })),
});

export const knowledgeOperations = [
  healthcheck,
  addMessages,
  addEpisodes,
  addEntityNode,
  searchFactsTool,
  getEntityEdge,
  getEpisodesTool,
  getMemory,
  deleteEntityEdge,
  deleteEpisodeTool,
  deleteGroup,
  getReceipt,
  retryParkedTool,
  clearAll,
] as const satisfies readonly Operation[];
