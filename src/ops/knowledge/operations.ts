import type { Operation } from '../operation.ts';
import { addEpisodes, addMessages, getReceipt, retryParkedTool } from './ingest/operations.ts';
import { addEntityNode, clearAll, deleteEntityEdge, deleteEpisodeTool, deleteGroup, healthcheck } from './maintain/operations.ts';
import { getEntityEdge, getEpisodesTool, getMemory, searchFactsTool } from './retrieve/operations.ts';

/** Every operation of the knowledge graph (seed 003). */
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
