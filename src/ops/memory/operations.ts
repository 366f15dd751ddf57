import * as z from 'zod';
import { originInput } from '../call/origin.ts';
import { defineOperation, defineToolset, upToDate } from '../operation.ts';
import { openNodes, readGraph, searchNodes, wholeGraph } from './read-graph.ts';
import { acceptAdditions, additionInput, deletionInput, entityInput, relationInput, renameKeys } from './shapes.ts';
import type { KnowledgeGraph } from './shapes.ts';
import { exportMemory } from './transfer/export.ts';
import { importMemory } from './transfer/import.ts';
import { addObservations, createEntities, deleteObservations } from './write-entities.ts';
import { createRelations, deleteEntities, deleteRelations } from './write-relations.ts';

const RELATION_ALIASES = { source: 'from', target: 'to', type: 'relationType' };
const offset = z.int().min(0).max(1_000_000).default(0).describe('Entities to skip');
const maxObservations = z.int().min(0).max(1000).optional().describe('Of each entity; default: as many as fit');
const within = z.int().min(0).max(10_000_000).optional();

const asGraph = (graph: KnowledgeGraph): Record<string, unknown> => ({ ...graph });

/** The result of a deletion: a text, and the same in `structuredContent` (S4-07). */
const asMessage = (message: string): Record<string, unknown> => ({ success: true, message });

const createEntitiesTool = defineOperation({
  name: 'create_entities',
  toolset: 'memory',
  title: 'Create Entities',
  summary: 'Remember new entities; existing names are skipped.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({ entities: z.array(entityInput).describe('All or none'), origin: originInput }),
  accept: (args) => ({ ...args, entities: renameKeys(args['entities'], { type: 'entityType' }) }),
  structured: (entities) => ({ entities }),
  run: (context, { entities, origin }) => createEntities(context, entities, origin),
});

const createRelationsTool = defineOperation({
  name: 'create_relations',
  toolset: 'memory',
  title: 'Create Relations',
  summary: 'Relate entities, in the active voice; existing relations are skipped.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({ relations: z.array(relationInput).describe('All or none') }),
  accept: (args) => ({ ...args, relations: renameKeys(args['relations'], RELATION_ALIASES) }),
  structured: (relations) => ({ relations }),
  run: (context, { relations }) => createRelations(context, relations),
});

const addObservationsTool = defineOperation({
  name: 'add_observations',
  toolset: 'memory',
  title: 'Add Observations',
  summary: 'Add observations to existing entities.',
  effect: 'write',
  isIdempotent: true,
  input: z.object({ observations: z.array(additionInput).describe('All or none'), origin: originInput }),
  accept: acceptAdditions,
  structured: (results) => ({ results }),
  run: (context, { observations, origin }) => addObservations(context, observations, origin),
});

const deleteEntitiesTool = defineOperation({
  name: 'delete_entities',
  toolset: 'memory',
  title: 'Delete Entities',
  summary: 'Forget entities and their relations.',
  effect: 'destroy',
  isIdempotent: true,
  input: z.object({ entityNames: z.array(z.string()).describe('With their relations') }),
  structured: asMessage,
  run: async (context, { entityNames }) => {
    await deleteEntities(await upToDate(context), entityNames);
    return 'Entities deleted successfully';
  },
});

const deleteObservationsTool = defineOperation({
  name: 'delete_observations',
  toolset: 'memory',
  title: 'Delete Observations',
  summary: 'Remove observations, given word for word.',
  effect: 'destroy',
  isIdempotent: true,
  input: z.object({ deletions: z.array(deletionInput).describe('By entity') }),
  accept: (args) => ({ ...args, deletions: renameKeys(args['deletions'], { contents: 'observations', name: 'entityName' }) }),
  structured: asMessage,
  run: async (context, { deletions }) => {
    await deleteObservations(await upToDate(context), deletions);
    return 'Observations deleted successfully';
  },
});

const deleteRelationsTool = defineOperation({
  name: 'delete_relations',
  toolset: 'memory',
  title: 'Delete Relations',
  summary: 'Remove relations.',
  effect: 'destroy',
  isIdempotent: true,
  input: z.object({ relations: z.array(relationInput).describe('All or none') }),
  accept: (args) => ({ ...args, relations: renameKeys(args['relations'], RELATION_ALIASES) }),
  structured: asMessage,
  run: async (context, { relations }) => {
    await deleteRelations(await upToDate(context), relations);
    return 'Relations deleted successfully';
  },
});

const readGraphTool = defineOperation({
  name: 'read_graph',
  toolset: 'memory',
  title: 'Read Graph',
  summary: 'All remembered entities and relations. Prefer search_nodes or open_nodes.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({ offset }),
  structured: asGraph,
  run: async (context, part) => readGraph(await upToDate(context), part),
});

const searchNodesTool = defineOperation({
  name: 'search_nodes',
  toolset: 'memory',
  title: 'Search Nodes',
  summary: 'Find entities with every word of the query, or else some. Filters: type:Error name:tea key:value.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    query: z.string().max(2000).describe('Words or a question'),
    offset,
    max_observations: maxObservations,
  }),
  structured: asGraph,
  run: async (context, { query, ...part }) => searchNodes(await upToDate(context), query, toPart(part)),
});

const openNodesTool = defineOperation({
  name: 'open_nodes',
  toolset: 'memory',
  title: 'Open Nodes',
  summary: 'Entities by exact name, with their relations.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    names: z.array(z.string()).describe('In any case; aliases too'),
    offset,
    max_observations: maxObservations,
    observations_offset: within.describe('Observations to skip'),
    text_offset: within.describe('Characters of an observation to skip').meta({ unlisted: true }),
    relations_offset: within.describe('Relations to skip'),
  }),
  structured: asGraph,
  run: async (context, { names, observations_offset, text_offset, relations_offset, ...part }) =>
    openNodes(await upToDate(context), names, {
      ...toPart(part),
      within: {
        ...(observations_offset === undefined ? {} : { observationsOffset: observations_offset }),
        ...(text_offset === undefined ? {} : { textOffset: text_offset }),
        ...(relations_offset === undefined ? {} : { relationsOffset: relations_offset }),
      },
    }),
});

/** The whole memory in one piece, as the reference server's resource returns it. */
export const memoryGraph = defineOperation({
  name: 'memory_graph',
  toolset: null,
  title: 'Whole memory',
  summary: 'All remembered entities and relations, not in pages.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({}),
  run: async (context) => wholeGraph(await upToDate(context)),
});

function toPart({ offset: from, max_observations: max }: { offset: number; max_observations?: number | undefined }): {
  offset: number;
  maxObservations?: number;
} {
  return max === undefined ? { offset: from } : { offset: from, maxObservations: max };
}

/** The tools of `@modelcontextprotocol/server-memory` with the same names, arguments and answers (S4-01 to S4-16), and internal operations. */
export const memoryToolset = defineToolset({
  name: 'memory',
  operations: [
    createEntitiesTool,
    createRelationsTool,
    addObservationsTool,
    deleteEntitiesTool,
    deleteObservationsTool,
    deleteRelationsTool,
    readGraphTool,
    searchNodesTool,
    openNodesTool,
    memoryGraph,
    exportMemory,
    importMemory,
  ],
  async checks(vault) {
    const { findSameNames } = await import('./checks.ts');
    return { all: () => findSameNames(vault) };
  },
  origins: async (vault) => (await import('./origin/observation-origin.ts')).countObservations(vault),
  prime: async ({ vault }) => [(await import('./prime/prime-memory.ts')).primeMemory(vault)],
  async pageOperations() {
    const { memoryEntity, memoryMap } = await import('./page/memory-map.ts');
    return [memoryMap, memoryEntity];
  },
});
