import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { findGhost, readNote } from '../../reference.ts';
import { NEIGHBOR_CONTENT, toGhost, toNodeList, toNodeResponse } from '../../view.ts';

const MAX_NEIGHBORS = 20;
/** What a note with its neighbours may take; the note comes first, and get_neighbors lists what is left out. */
const MAX_ANSWER = 36_500;

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
    const found = await readNote(context, id);
    if (found === null) {
      const ghost = findGhost(context.vault.graph, id);
      return ghost === null ? null : toGhost(ghost.linkpath);
    }
    const node = toNodeResponse(context, found, { offset });
    if (depth === 0) return node;
    const { entry } = found;
    const { graph } = context.vault;
    const degree = graph.degree(entry.path);
    const neighbors = graph.neighbors(entry.path, 'both').slice(0, MAX_NEIGHBORS);
    const characters = Math.max(0, MAX_ANSWER - JSON.stringify(node).length);
    return {
      ...node,
      neighbors: toNodeList(context, neighbors, { contentLength: NEIGHBOR_CONTENT, includeContent: true, characters }),
      incomingCount: degree.in,
      outgoingCount: degree.out,
    };
  },
});
