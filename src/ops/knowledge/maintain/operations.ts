import * as z from 'zod';
import { originInput } from '../../call/origin.ts';
import { defineOperation, upToDate } from '../../operation.ts';
import type { KnowledgeMetrics } from '../ingest/metrics.ts';
import { pipelineOf } from '../ingest/pipeline.ts';
import { anyUuid, groupId, uuid, request } from '../inputs.ts';
import { addEntity } from './add-entity.ts';
import { countKnowledge } from './counts.ts';
import type { KnowledgeCounts } from './counts.ts';
import { warnOfMissingGroups } from '../retrieve/known-names.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import { clearGroups, deleteEpisode, deleteFact } from './delete.ts';
import type { Cleared } from './delete.ts';

const rehearsal = z.boolean().default(false).describe('true: only count what would be deleted');

/** The result of a deletion (S3-16 to S3-19). */
export interface Done {
  readonly message: string;
  readonly success: true;
}

/** The state of the knowledge graph (S3-08); `degraded`, with the reason in `trouble`, if something prevents ingestion. */
export interface Health {
  readonly status: 'healthy' | 'degraded';
  readonly trouble?: string;
  readonly metrics: KnowledgeMetrics;
  readonly counts: KnowledgeCounts;
}

export const healthcheck = defineOperation({
  name: 'kg_healthcheck',
  toolset: 'knowledge',
  title: 'Knowledge health',
  summary: 'Whether the knowledge graph and its ingestion work.',
  effect: 'read',
  envelope: 'OK',
  isIdempotent: true,
  input: request({}),
  run({ vault }): Health {
    const { problem, counters } = pipelineOf(vault);
    return {
      status: problem === null ? 'healthy' : 'degraded',
      ...(problem === null ? {} : { trouble: problem }),
      metrics: counters.read(),
      counts: countKnowledge(vault),
    };
  },
});

export const addEntityNode = defineOperation({
  name: 'kg_add_entity_node',
  toolset: 'knowledge',
  title: 'Add entity',
  summary: 'Make an entity, or update summary and attributes of the one with this uuid.',
  effect: 'write',
  overwrites: true,
  envelope: 'OK',
  isIdempotent: true,
  input: request({
    uuid: uuid.describe('Yours; the one of an entity that is there updates it'),
    group_id: groupId,
    name: z.string().describe('As people call it'),
    summary: z.string().optional().describe('What it is, in a sentence'),
    attributes: z.record(z.string(), z.unknown()).optional().describe('Your own keys'),
    origin: originInput,
  }),
  run: (context, { input }) => addEntity(context, input),
});

export const deleteEntityEdge = defineOperation({
  name: 'kg_delete_entity_edge',
  toolset: 'knowledge',
  title: 'Delete fact',
  summary: 'Delete a fact.',
  effect: 'destroy',
  envelope: 'OK',
  isIdempotent: true,
  input: request({ uuid: anyUuid.describe('Of the fact') }),
  async run(context, { input }): Promise<Done> {
    const isDeleted = await deleteFact(context, input.uuid);
    return { message: isDeleted ? 'Fact deleted.' : 'There was no such fact.', success: true };
  },
});

export const deleteEpisodeTool = defineOperation({
  name: 'kg_delete_episode',
  toolset: 'knowledge',
  title: 'Delete episode',
  summary: 'Delete an episode; with cascade, facts that it alone states go too.',
  effect: 'destroy',
  envelope: 'OK',
  isIdempotent: true,
  input: request({
    uuid: anyUuid.describe('Of the episode'),
    group_id: groupId.optional(),
    cascade: z.boolean().default(false).describe('true: also facts and entities from it alone'),
  }),
  async run(context, { input }): Promise<Done> {
    const { isDeleted, facts, entities } = await deleteEpisode(context, {
      uuid: input.uuid,
      groupId: input.group_id,
      cascade: input.cascade,
    });
    const also = input.cascade ? ` ${facts} facts and ${entities} entities were deleted with it.` : ' Its facts stay.';
    return { message: isDeleted ? `Episode deleted.${also}` : 'There was no such episode.', success: true };
  },
});

/** Describes a deletion that cannot be undone. */
function cleared(
  what: string,
  { dry_run: isDryRun }: { readonly dry_run: boolean },
  found: Cleared,
): Done & { readonly deleted?: Cleared; readonly would_delete?: Cleared } {
  const counts = `${found.episodes} episodes, ${found.facts} facts and ${found.entities} entities`;
  const trash = found.to_trash === 0 ? '' : ` ${found.to_trash} notes without a type ${isDryRun ? 'would go' : 'went'} to the trash.`;
  const links =
    found.links_left_total === 0 ? '' : ` ${found.links_left_total} links of other notes ${isDryRun ? 'would be' : 'are'} unresolved.`;
  if (isDryRun) return { message: `${what} would be deleted permanently: ${counts}.${trash}${links}`, success: true, would_delete: found };
  return { message: `${what} was deleted permanently, which cannot be undone: ${counts}.${trash}${links}`, success: true, deleted: found };
}

export const deleteGroup = defineOperation({
  name: 'kg_delete_group',
  toolset: 'knowledge',
  title: 'Delete group',
  summary: 'Delete a group with all its episodes, facts and entities; cannot be undone. dry_run only tells.',
  effect: 'destroy',
  envelope: 'OK',
  isIdempotent: true,
  input: request({ group_id: groupId, dry_run: rehearsal }),
  async run(context, { input }) {
    knowledgeOf((await upToDate(context)).vault).refresh();
    warnOfMissingGroups(context, [input.group_id]);
    return cleared(
      `The group ${input.group_id}`,
      input,
      await clearGroups(context, { groupId: input.group_id, operation: 'kg_delete_group', isDryRun: input.dry_run }),
    );
  },
});

export const clearAll = defineOperation({
  name: 'kg_clear_all',
  toolset: 'admin',
  title: 'Clear the knowledge graph',
  summary: 'Delete the whole knowledge graph, and nothing else; cannot be undone. dry_run only tells.',
  effect: 'destroy',
  envelope: 'OK',
  isIdempotent: true,
  input: request({ dry_run: rehearsal }),
  run: async (context, { input }) =>
    cleared(
      'The knowledge graph',
      input,
      await clearGroups(context, { groupId: null, operation: 'kg_clear_all', isDryRun: input.dry_run }),
    ),
});
