import { defineToolset } from '../operation.ts';
import { getNode } from './read/get-node.ts';
import { getNodes } from './read/get-nodes.ts';
import { listNodes } from './read/list-nodes.ts';
import { noteAt, noteText } from './read/note-text.ts';
import { randomNode } from './read/random-node.ts';
import { completeWord, notePaths } from './read/resources.ts';
import { searchByTags } from './read/search-by-tags.ts';
import { search } from './read/search.ts';
import { vaultStats } from './read/stats.ts';
import { vaultOverview } from './read/vault-overview.ts';
import { listTags, taggedNotes } from './read/tags.ts';
import { findPath } from './walk/find-path.ts';
import { getHubs } from './walk/get-hubs.ts';
import { getNeighbors } from './walk/get-neighbors.ts';
import { looseNotes, noteLinks, unresolvedLinks } from './walk/links.ts';
import { confirm } from './write/confirm.ts';
import { createNode } from './write/create-node.ts';
import { deleteNode } from './write/delete-node.ts';
import { ensureSingletonNode } from './write/ensure-singleton.ts';
import { rename } from './rename/rename.ts';
import { mergeNodes } from './write/merge-and-extract/merge-nodes.ts';
import { updateNode } from './write/update-node.ts';
import { updateNodes } from './write/update-nodes.ts';

/** Operations on notes: the toolset `vault`, then those that only the faces call. */
export const noteToolset = defineToolset({
  name: 'vault',
  operations: [
    confirm,
    createNode,
    deleteNode,
    ensureSingletonNode,
    findPath,
    getHubs,
    getNeighbors,
    getNode,
    getNodes,
    listNodes,
    mergeNodes,
    randomNode,
    rename,
    search,
    searchByTags,
    updateNode,
    updateNodes,
    vaultOverview,
    completeWord,
    listTags,
    looseNotes,
    noteAt,
    noteLinks,
    notePaths,
    noteText,
    taggedNotes,
    unresolvedLinks,
    vaultStats,
  ],
  prime: async (context, sinceMs) => (await import('./read/prime-notes.ts')).primeNotes(context, sinceMs),
  pageOperations: async () => (await import('./page/operations.ts')).notePageOperations,
});
