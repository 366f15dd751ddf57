import * as z from 'zod';
import { fileName, folderOf } from '../../../../note/path.ts';
import { defineOperation } from '../../../operation.ts';
import { findPaths, openFileTree } from './file-tree.ts';

/** Entries of a page. */
const MAX_ENTRIES = 500;
const MAX_FOUND = 200;

/** Lists a folder for the sidebar. */
export const treeLevel = defineOperation({
  name: 'tree_level',
  toolset: null,
  title: 'A folder of the sidebar',
  summary: 'The folders and files of a folder, notes and others, folders first, page by page.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: z.strictObject({
    folder: z.string().max(4_096).default(''),
    offset: z.int().min(0).default(0),
    /** A name in the folder: the page that contains it, instead of the one at `offset`. */
    around: z.string().max(4_096).optional(),
  }),
  async run({ vault }, { folder, offset, around }) {
    await vault.refresh('changed');
    const entries = vault.derived(openFileTree).now().entriesOf(folder);
    const at = around === undefined ? -1 : (entries?.findIndex(({ name }) => name === around) ?? -1);
    const start = at === -1 ? offset : at - (at % MAX_ENTRIES);
    return {
      folder,
      is_there: entries !== null,
      offset: start,
      total: entries?.length ?? 0,
      page_size: MAX_ENTRIES,
      entries: entries?.slice(start, start + MAX_ENTRIES) ?? [],
    };
  },
});

/** Finds files by parts of their paths, for the filter of the sidebar. */
export const treeFilter = defineOperation({
  name: 'tree_filter',
  toolset: null,
  title: 'Filter of the sidebar',
  summary: 'Files whose path contains all words of a query.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: z.strictObject({ query: z.string().max(500) }),
  async run({ vault }, { query }) {
    await vault.refresh('changed');
    const found = query.trim() === '' ? [] : findPaths(vault.derived(openFileTree).now(), query);
    return {
      total: found.length,
      files: found.slice(0, MAX_FOUND).map((path) => ({ path, folder: folderOf(path), name: fileName(path) })),
    };
  },
});
