import type { Operation } from '../operation.ts';
import { findPath } from './find-path.ts';
import { getHubs } from './get-hubs.ts';
import { getNeighbors } from './get-neighbors.ts';
import { getNode } from './get-node.ts';
import { listNodes } from './list-nodes.ts';
import { randomNode } from './random-node.ts';
import { searchByTags } from './search-by-tags.ts';
import { search } from './search.ts';

/** The operations on notes as such. */
export const noteOperations: readonly Operation[] = [findPath, getHubs, getNeighbors, getNode, listNodes, randomNode, search, searchByTags];
