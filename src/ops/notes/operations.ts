import type { Operation } from '../operation.ts';
import { getNode } from './read/get-node.ts';
import { listNodes } from './read/list-nodes.ts';
import { randomNode } from './read/random-node.ts';
import { searchByTags } from './read/search-by-tags.ts';
import { search } from './read/search.ts';
import { findPath } from './walk/find-path.ts';
import { getHubs } from './walk/get-hubs.ts';
import { getNeighbors } from './walk/get-neighbors.ts';
import { createNode } from './write/create-node.ts';
import { deleteNode } from './write/delete-node.ts';
import { ensureSingletonNode } from './write/ensure-singleton.ts';
import { updateNode } from './write/update-node.ts';

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
