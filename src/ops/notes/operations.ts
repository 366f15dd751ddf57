import type { Operation } from '../operation.ts';
import { createNode } from './create-node.ts';
import { deleteNode } from './delete-node.ts';
import { ensureSingletonNode } from './ensure-singleton.ts';
import { findPath } from './find-path.ts';
import { getHubs } from './get-hubs.ts';
import { getNeighbors } from './get-neighbors.ts';
import { getNode } from './get-node.ts';
import { listNodes } from './list-nodes.ts';
import { randomNode } from './random-node.ts';
import { searchByTags } from './search-by-tags.ts';
import { search } from './search.ts';
import { updateNode } from './update-node.ts';

/** The operations on notes as such. */
export const noteOperations: readonly Operation[] = [
  createNode,
  deleteNode,
  ensureSingletonNode,
  findPath,
  getHubs,
  getNeighbors,
  getNode,
  listNodes,
  randomNode,
  search,
  searchByTags,
  updateNode,
];
