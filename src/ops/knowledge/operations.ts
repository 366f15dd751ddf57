import { defineToolset } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { addEpisodes, addMessages, getReceipt, retryParkedTool } from './ingest/operations.ts';
import { addEntityNode, clearAll, deleteEntityEdge, deleteEpisodeTool, deleteGroup, healthcheck } from './maintain/operations.ts';
import { knowledgeStats } from './maintain/counts.ts';
import { facts } from './people/facts.ts';
import { ingestAll } from './people/ingest-all.ts';
import { timeline } from './people/timeline.ts';
import { getEntityEdge, getEpisodesTool, getMemory, searchFactsTool } from './retrieve/operations.ts';
import { checkKnowledgeRenames } from './rename-guard.ts';

/** The operations that have an envelope, by the names that HTTP clients use (seed 003, section 4). */
export const OPERATIONS_BY_NAME = {
  Healthcheck: healthcheck,
  AddMessages: addMessages,
  AddEpisodes: addEpisodes,
  AddEntityNode: addEntityNode,
  SearchFacts: searchFactsTool,
  GetEntityEdge: getEntityEdge,
  GetEpisodes: getEpisodesTool,
  GetMemory: getMemory,
  DeleteEntityEdge: deleteEntityEdge,
  DeleteEpisode: deleteEpisodeTool,
  DeleteGroup: deleteGroup,
  GetReceipt: getReceipt,
  RetryParked: retryParkedTool,
  ClearAll: clearAll,
} as const satisfies Readonly<Record<string, Operation>>;

/** The knowledge graph (seed 003): its tools, and operations for people at a terminal. */
export const knowledgeToolset = defineToolset({
  name: 'knowledge',
  operations: [
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
    ingestAll,
    facts,
    timeline,
    knowledgeStats,
  ],
  guards: {
    checkRenames: ({ vault }, graph, files) => checkKnowledgeRenames(vault, graph, files),
    planConfirmation: async (...given) => (await import('./maintain/confirm.ts')).planConfirmation(...given),
  },
  checks: async (vault) => (await import('./maintain/checks.ts')).knowledgeChecks(vault),
  origins: async (vault) => (await import('./retrieve/fact-origin.ts')).countKnowledgeOrigins(vault),
  prime: async ({ vault }) => (await import('./people/prime-facts.ts')).primeFacts(vault),
  pageOperations: async () => (await import('./page/operations.ts')).knowledgePageOperations,
});
