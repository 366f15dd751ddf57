import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { findNote } from '../reference.ts';
import { NEIGHBOR_CONTENT, toGhost, toNodeList, toNodeResponse } from '../view.ts';
import { findGhost } from './ghost.ts';

const MAX_NEIGHBORS = 20;

/** One note, with its neighbours when asked. */
export const getNode = defineOperation({
  name: 'get_node',
  toolset: 'vault',
  title: 'Read a note',
  summary: 'Read a note by id, path, title or alias. depth 1 adds neighbors; offset reads on past 10,000 characters.',
  effect: 'read',
  isIdempotent: true,
  input: z.object({
    id: z.string(),
    depth: z.int().min(0).max(1).default(0),
    offset: z.int().min(0).default(0),
  }),
  async run(context, { id, depth, offset }) {
    const entry = await findNote(context, id);
    const onDisk = entry === null ? null : context.vault.read(entry.path);
    if (entry === null || onDisk === null) {
      const ghost = findGhost(context.vault.graph, id);
      return ghost === null ? null : toGhost(ghost.linkpath);
    }
    const node = toNodeResponse(context, { entry, onDisk }, { offset });
    if (depth === 0) return node;
    const { graph } = context.vault;
    const degree = graph.degree(entry.path);
    const neighbors = graph.neighbors(entry.path, 'both').slice(0, MAX_NEIGHBORS);
    return {
      ...node,
      neighbors: toNodeList(context, neighbors, { contentLength: NEIGHBOR_CONTENT, includeContent: true }),
      incomingCount: degree.in,
      outgoingCount: degree.out,
    };
  },
});
